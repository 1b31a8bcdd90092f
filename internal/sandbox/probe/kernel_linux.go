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

// opensForWriting is the attack on what the kernel shows as files. Nothing is
// ever written: being let in is enough.
func opensForWriting(paths ...string) func(*place) error {
	return func(*place) error {
		var all error
		for _, path := range paths {
			fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NOCTTY, 0)
			if err == nil {
				return unix.Close(fd)
			}
			all = errors.Join(all, fmt.Errorf("%s: %w", path, err))
		}
		return all
	}
}

// descriptor closes what a system call has made.
func descriptor(fd uintptr, _ uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

// alsoOutside offers an attack only where it succeeds without a sandbox.
func alsoOutside(attack func(*place) error) (func(*place) error, func(*stage) error) {
	return attack, func(s *stage) error {
		if err := attack(&s.place); err != nil {
			return fmt.Errorf("this machine does not let this user: %w", err)
		}
		return nil
	}
}

func kernelProbes() []Probe {
	probes := []Probe{
		{Name: "core-pattern", Title: "could choose the program that the kernel runs after a crash", NeedsRoot: true,
			attack: opensForWriting("/proc/sys/kernel/core_pattern")},
		{Name: "kernel-settings", Title: "could change settings of the kernel", NeedsRoot: true,
			attack: opensForWriting("/proc/sysrq-trigger", "/proc/sys/kernel/sysrq", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/printk", "/proc/sys/vm/drop_caches", "/proc/sys/fs/suid_dumpable")},
		{Name: "sysfs", Title: "could change settings of devices and control groups", NeedsRoot: true,
			attack: opensForWriting("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs")},
		{Name: "kernel-log", Title: "opens the log of the kernel", NeedsRoot: true, attack: func(*place) error {
			fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK, 0)
			return descriptor(uintptr(fd), 0, asErrno(err))
		}},
		{Name: "mount", Title: "mounts a file system", NeedsRoot: true, attack: mounts},
		{Name: "chroot", Title: "changes its root", NeedsRoot: true, attack: func(p *place) error { return unix.Chroot(p.Work) }},
		{Name: "device-node", Title: "makes a device and opens it", NeedsRoot: true, attack: func(p *place) error {
			path := filepath.Join(p.Work, "null")
			if err := unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
				return err
			}
			defer os.RemoveAll(path)
			return opensForWriting(path)(p)
		}},
		{Name: "join-namespace", Title: "joins the network of another process", NeedsRoot: true, attack: func(p *place) error {
			runtime.LockOSThread()
			fd, err := unix.Open(inProc(p.Helper, "ns/net"), unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			return unix.Setns(fd, unix.CLONE_NEWNET)
		}},
		{Name: "change-user", Title: "becomes another user", NeedsRoot: true, attack: func(*place) error {
			return syscall.Setuid(nobody - 1)
		}},
		{Name: "setuid-program", Title: "gains privileges by a program", attack: gains, offered: hasSetuid},
		{Name: "bpf", Title: "loads something into the kernel", NeedsRoot: true, attack: func(*place) error {
			attr := [32]uint32{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1}
			return descriptor(unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)))
		}},
	}
	for _, common := range []struct {
		name, title string
		attack      func(*place) error
	}{
		{"user-namespace", "makes a user namespace, in which it is root", makesNamespace},
		{"io-uring", "makes system calls past the filter", func(*place) error {
			var params [120]byte
			return descriptor(unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0))
		}},
		{"perf-events", "observes the machine", func(*place) error {
			fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{
				Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: unix.PERF_ATTR_SIZE_VER0,
				Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
			}, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
			return descriptor(uintptr(fd), 0, asErrno(err))
		}},
		{"keyring", "uses the kernel's store of keys", func(*place) error {
			_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_PROCESS_KEYRING, true)
			return err
		}},
		{"userfaultfd", "stops the kernel in the middle of its work", func(*place) error {
			return descriptor(unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|userModeOnly, 0, 0))
		}},
	} {
		attack, offered := alsoOutside(common.attack)
		probes = append(probes, Probe{Name: common.name, Title: common.title, attack: attack, offered: offered})
	}
	for i := range probes {
		probes[i].Threatens = Processes
	}
	return probes
}

// userModeOnly is UFFD_USER_MODE_ONLY: all that is granted to everybody.
const userModeOnly = 1

func asErrno(err error) syscall.Errno {
	var errno syscall.Errno
	errors.As(err, &errno)
	return errno
}

// mounts puts an empty file system where nobody looks, in a namespace of its own
// if it can have one, so that it goes with this process.
func mounts(p *place) error {
	runtime.LockOSThread()
	dir := filepath.Join(p.Work, "mounted")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=4k"); err != nil {
		return err
	}
	return unix.Unmount(dir, unix.MNT_DETACH)
}

// makesNamespace starts a shell that is root in a world of its own.
func makesNamespace(*place) error {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", ":")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}

// setuidPrograms change their user to root, and explain themselves before they
// do anything else.
func setuidPrograms() []string {
	return []string{"/usr/bin/passwd", "/usr/bin/newgrp", "/usr/bin/su", "/usr/bin/chsh", "/usr/bin/gpasswd", "/bin/su"}
}

func hasSetuid(s *stage) error {
	if s.Root && s.Setuid != "" {
		return nil
	}
	for _, path := range setuidPrograms() {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid != 0 && !s.Root {
			s.Setuid = path
			return nil
		}
	}
	return errors.New("this machine has no program to gain privileges by")
}

// gains starts a program that changes its user. Root has one planted that tells
// whom it became. Others are asked for help, into a pipe that is full, so that
// they can be looked at while they wait.
func gains(p *place) error {
	if p.Root {
		out, err := exec.CommandContext(context.Background(), p.Setuid, "-u").Output()
		if err == nil && string(bytes.TrimSpace(out)) != strconv.Itoa(nobody) {
			err = errUnchanged
		}
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	defer r.Close()
	defer w.Close()
	if err := fill(w); err != nil {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	cmd := exec.CommandContext(context.Background(), p.Setuid, "--help")
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	for range 50 { // half a second is plenty to begin in
		status, err := os.ReadFile(inProc(cmd.Process.Pid, "status"))
		if err != nil {
			return linkedFreely(p.Setuid)
		}
		_, uids, _ := strings.Cut(string(status), "\nUid:")
		if words := strings.Fields(uids); len(words) > 1 && words[1] == "0" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errUnchanged
}

// linkedFreely asks, where processes are not to be seen, what the linker thinks of
// a program: it describes itself, unless the program has gained something. That
// it says nothing may have other reasons.
func linkedFreely(program string) error {
	cmd := exec.CommandContext(context.Background(), program, "--help")
	cmd.Env = []string{"LD_SHOW_AUXV=1"}
	out, _ := cmd.Output() // how it ends does not matter
	if bytes.Contains(out, []byte("AT_SECURE:")) {
		return errUnchanged
	}
	return fmt.Errorf("%w: processes are not to be seen", errUntried)
}

// fill writes to a pipe until it takes no more.
func fill(w *os.File) error {
	fd := int(w.Fd())
	size, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return err
	}
	_, err = w.Write(make([]byte, size))
	return err
}
