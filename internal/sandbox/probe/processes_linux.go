package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inProc is a file that the kernel has of a process.
func inProc(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// readsMemory is the attack of reading another process's memory as a file.
func readsMemory(pid func(*place) (int, uint64)) func(*place) error {
	return func(p *place) error {
		id, at := pid(p)
		f, err := os.Open(inProc(id, "mem"))
		if err != nil {
			return err
		}
		defer f.Close()
		data := make([]byte, len(p.Token))
		if _, err := f.ReadAt(data, int64(at)); err != nil {
			return err
		}
		return readsToken(bytes.NewReader(data), p.Token)
	}
}

// processes are the folders of all that a process can see.
func processes() ([]string, error) {
	found, err := filepath.Glob("/proc/[0-9]*")
	if err == nil && len(found) == 0 {
		err = errors.New("no process is to be seen")
	}
	return found, err
}

// readsAny is the attack on every process in sight, such as those of the sandbox
// itself, by a file that the kernel has of each.
func readsAny(name string, below func(*place) string) func(*place) error {
	return func(p *place) error {
		found, err := processes()
		for _, process := range found {
			if err = holdsToken(filepath.Join(process, name)+below(p), p.Token); err == nil {
				return nil
			}
		}
		return err
	}
}

func readsAnyOpen(p *place) error {
	found, err := processes()
	for _, process := range found {
		links, _ := filepath.Glob(filepath.Join(process, "fd", "*")) // the pattern is a good one
		for _, link := range links {
			if id, bad := identityOf(link); bad == nil && id == p.OpenFile {
				return holdsToken(link, p.Token)
			}
		}
	}
	return errors.Join(err, errOther)
}

// traceable tells why this process cannot be read by its own children: where only
// descendants may be traced, parents are safe from them without any sandbox.
func traceable(s *stage) error {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err == nil && strings.TrimSpace(string(scope)) != "0" && !s.Root {
		return errors.New("on this machine no process may trace its parent")
	}
	return nil
}

func processProbes() []Probe {
	helper := func(p *place) (int, uint64) { return p.Helper, p.HelperAt }
	parent := func(p *place) (int, uint64) { return p.Parent, p.ParentAt }
	probes := []Probe{
		{Name: "proc-root", Title: "reads the home through the root of another process",
			attack: reads(func(p *place) string { return inProc(p.Helper, "root"+p.key()) })},
		{Name: "proc-any-root", Title: "reads the home through the root of any process there is, the first included",
			attack: readsAny("root", func(p *place) string { return p.key() })},
		{Name: "proc-any-environ", Title: "finds a secret in the environment of any process there is",
			attack: readsAny("environ", func(*place) string { return "" })},
		{Name: "proc-any-fd", Title: "reads what any process there is has open", attack: readsAnyOpen},
		{Name: "proc-environ", Title: "reads the environment of another process",
			attack: reads(func(p *place) string { return inProc(p.Helper, "environ") })},
		{Name: "proc-cmdline", Title: "sees which programs others run",
			attack: func(p *place) error {
				data, err := os.ReadFile(inProc(p.Helper, "cmdline"))
				if err == nil && !bytes.HasPrefix(data, []byte(p.Program)) {
					err = errOther
				}
				return err
			}},
		{Name: "proc-fd", Title: "reads a file that another process has open",
			attack: reads(func(p *place) string { return inProc(p.Helper, fmt.Sprintf("fd/%d", p.HelperFile)) })},
		{Name: "proc-mem", Title: "reads the memory of another process", attack: readsMemory(helper)},
		{Name: "parent-mem", Title: "reads the memory of the agent", attack: readsMemory(parent), offered: traceable},
		{Name: "process-vm-readv", Title: "copies memory out of another process", attack: func(p *place) error {
			data := make([]byte, len(p.Token))
			local := []unix.Iovec{{Base: &data[0]}}
			local[0].SetLen(len(data))
			if _, err := unix.ProcessVMReadv(p.Helper, local, []unix.RemoteIovec{{Base: uintptr(p.HelperAt), Len: len(data)}}, 0); err != nil {
				return err
			}
			return readsToken(bytes.NewReader(data), p.Token)
		}},
		{Name: "ptrace", Title: "takes control of another process", attack: traces},
		{Name: "pidfd-getfd", Title: "takes an open file from another process", attack: func(p *place) error {
			process, err := unix.PidfdOpen(p.Helper, 0)
			if err != nil {
				return err
			}
			fd, err := unix.PidfdGetfd(process, p.HelperFile, 0)
			if err != nil {
				return err
			}
			data := make([]byte, len(p.Token))
			_, err = unix.Pread(fd, data, 0)
			return errors.Join(err, readsToken(bytes.NewReader(data), p.Token))
		}},
		{Name: "signal", Title: "signals another process", attack: func(p *place) error {
			return unix.Kill(p.Helper, unix.SIGUSR1)
		}, seen: func(s *stage) error {
			if !s.helper.signalled() {
				return errUnchanged
			}
			return nil
		}},
		{Name: "renice", Title: "slows another process down", attack: func(p *place) error {
			return unix.Setpriority(unix.PRIO_PROCESS, p.Helper, 7)
		}, seen: func(s *stage) error {
			now, err := unix.Getpriority(unix.PRIO_PROCESS, s.Helper)
			if err == nil && now == s.helper.priority {
				err = errUnchanged
			}
			return err
		}},
		{Name: "prlimit", Title: "changes the limits of another process", attack: func(p *place) error {
			return unix.Prlimit(p.Helper, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
		}, seen: func(s *stage) error {
			var now unix.Rlimit
			err := unix.Prlimit(s.Helper, unix.RLIMIT_CORE, nil, &now)
			if err == nil && now.Max != 0 {
				err = errUnchanged
			}
			return err
		}},
		{Name: "shared-memory", Title: "reads shared memory of the user", attack: func(p *place) error {
			memory, err := unix.SysvShmAttach(p.Segment, 0, unix.SHM_RDONLY)
			if err != nil {
				return err
			}
			return readsToken(bytes.NewReader(memory), p.Token)
		}, offered: func(s *stage) error {
			if s.Segment < 0 {
				return errors.New("this machine has no shared memory")
			}
			return nil
		}},
		{Name: "terminal", Title: "types into the terminal", attack: types, offered: hasTerminal},
		{Name: "daemon", Title: "leaves a process behind", attack: daemonises, seen: sawDaemon},
	}
	for i := range probes {
		probes[i].Threatens = Processes
	}
	return probes
}

// traces stops the helper for a moment and reads its memory.
func traces(p *place) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.PtraceAttach(p.Helper); err != nil {
		return err
	}
	defer func() { _ = syscall.PtraceDetach(p.Helper) }() // the end of this process does it as well
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Helper, &status, unix.WALL, nil); err != nil {
		return err
	}
	data := make([]byte, len(p.Token))
	if _, err := syscall.PtracePeekData(p.Helper, uintptr(p.HelperAt), data); err != nil {
		return err
	}
	return readsToken(bytes.NewReader(data), p.Token)
}

// types makes the input its terminal, if it is that of the outside, and types a
// letter. When this process ends, the terminal is hung up and forgets it.
func types(p *place) error {
	if id, err := identityOfFile(0); err != nil || id != p.Terminal {
		return errors.Join(err, errOther)
	}
	// Only the first process of a session gets a terminal: this becomes one,
	// unless it is one. Root needs neither.
	_, _ = unix.Setsid()
	_ = unix.IoctlSetInt(0, unix.TIOCSCTTY, 0)
	letter := byte('x')
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&letter))); errno != 0 {
		return errno
	}
	return nil
}

func hasTerminal(s *stage) error {
	if s.terminal == nil {
		return errors.New("this machine makes no terminals")
	}
	legacy, err := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
	if err == nil && strings.TrimSpace(string(legacy)) == "0" && !s.Root {
		return errors.New("on this machine nobody may type into terminals")
	}
	return nil
}

// daemonMark is how a daemon is known outside.
func (p *place) daemonMark() string { return "daemon-" + p.Token }

// daemonises leaves a process with a session and a parent of its own.
func daemonises(p *place) error {
	ready := filepath.Join(p.Workspace, "daemon-lives")
	cmd := exec.CommandContext(context.Background(), p.Program, childArg, "daemon", ready, p.daemonMark())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		return err
	}
	for range 300 { // three seconds, below what an attack may take
		if _, err := os.Stat(ready); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the daemon did not start")
}

// sawDaemon looks for it, and ends it.
func sawDaemon(s *stage) error {
	found := processesWith(s.daemonMark())
	for _, pid := range found {
		_ = unix.Kill(pid, unix.SIGKILL) // it ends by itself, a little later
	}
	if len(found) == 0 {
		return errors.New("it did not outlive the run")
	}
	return nil
}

// processesWith are the processes that have a mark in their arguments.
func processesWith(mark string) []int {
	var found []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is a good one
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte(mark)) {
			continue // gone by now, or not one of ours
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}
