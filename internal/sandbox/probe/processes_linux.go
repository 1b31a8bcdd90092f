package probe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

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
		{Name: "parent-environ", Title: "reads the environment of the agent", attack: func(p *place) error {
			environ, err := os.ReadFile(inProc(p.Parent, "environ"))
			if err == nil && digest(environ) != p.ParentEnviron {
				err = errOther
			}
			return err
		}, offered: func(s *stage) error {
			if s.ParentEnviron == "" {
				return errors.New("the agent's environment is empty")
			}
			return traceable(s)
		}},
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
			return unix.Setpriority(unix.PRIO_PROCESS, p.Helper, 19)
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
