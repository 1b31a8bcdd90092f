package probe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lifetimeProbes are about whoever started the sandbox: reaching up to it, and
// staying when it wants the end.
func lifetimeProbes() []Probe {
	probes := []Probe{
		{Name: "terminal", Title: "types into the terminal", attack: types, offered: hasTerminal},
		{Name: "daemon", Title: "leaves a process behind", attack: daemonises, seen: sawDaemon},
		{Name: "supervisor", Title: "could kill the process that is to end it", attack: func(p *place) error {
			switch p.Above {
			case 0, 1: // the first process of its world, which nobody in it can kill
				return errOther
			}
			return unix.Kill(p.Above, 0)
		}},
	}
	for i := range probes {
		probes[i].Threatens = Processes
	}
	return probes
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
	ready := filepath.Join(p.Work, "daemon-lives")
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
