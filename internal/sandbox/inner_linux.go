package sandbox

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// step is one system call that a new process makes between fork and exec.
type step struct {
	what string // for the error
	nr   uintptr
	args [6]uintptr
	may  bool // its failure does not matter
}

// steps are the calls that turn a fork of the stage into the confined program.
// All is prepared beforehand, because between fork and exec a Go program may
// neither allocate nor lock. Forking here, instead of starting the binary once
// more, halves what a start costs.
type steps struct {
	list []step
	keep []any // what the arguments point to
}

func (s *steps) add(what string, nr uintptr, args ...uintptr) {
	st := step{what: what, nr: nr}
	copy(st.args[:], args)
	s.list = append(s.list, st)
}

// try adds a call that may fail.
func (s *steps) try(nr uintptr, args ...uintptr) {
	s.add("", nr, args...)
	s.list[len(s.list)-1].may = true
}

// point keeps a value in memory and returns where it is. A slice's elements are
// on the heap once the slice is in an interface, and the heap does not move.
func point[T any](s *steps, v *T) uintptr {
	s.keep = append(s.keep, v)
	return uintptr(unsafe.Pointer(v))
}

func (s *steps) text(v string) (uintptr, error) {
	p, err := unix.BytePtrFromString(v)
	if err != nil {
		return 0, fmt.Errorf("%q has a zero byte in it", v)
	}
	return point(s, p), nil
}

// vector is a list of strings in the form that execve takes.
func (s *steps) vector(list []string) (uintptr, error) {
	out := make([]uintptr, len(list)+1)
	for i, v := range list {
		p, err := s.text(v)
		if err != nil {
			return 0, err
		}
		out[i] = p
	}
	s.keep = append(s.keep, out)
	return point(s, &out[0]), nil
}

// signals resets what the Go runtime does with signals: handlers, and the mask
// that start puts on.
func (s *steps) signals() {
	var none [4]uintptr // a sigaction of zeros is the default
	act := point(s, &none)
	for sig := uintptr(1); sig <= 64; sig++ {
		s.try(unix.SYS_RT_SIGACTION, sig, act, 0, 8)
	}
	var mask uint64
	s.add("unblocking signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, point(s, &mask), 0, 8)
}

// start forks and makes the calls; the last of them is execve. It returns once
// that succeeded, or with what failed.
func (s *steps) start() (pid int, err error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return 0, err
	}
	defer unix.Close(pipe[0])
	all, before := ^uint64(0), new(uint64)
	failure := new([2]uint32)
	// A handler of the Go runtime must not run in the fork: it knows one thread.
	_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK,
		uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(before)), 8, 0, 0)
	child, errno := forkSteps(s.list, uintptr(pipe[1]), failure)
	_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK,
		uintptr(unsafe.Pointer(before)), 0, 8, 0, 0)
	runtime.KeepAlive(s)
	unix.Close(pipe[1])
	if errno != 0 {
		return 0, fmt.Errorf("fork: %w", errno)
	}
	buf := unsafe.Slice((*byte)(unsafe.Pointer(failure)), 8)
	for {
		n, err := unix.Read(pipe[0], buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err == nil && n == 0:
			return int(child), nil
		case err == nil && n != len(buf):
			err = io.ErrUnexpectedEOF
			fallthrough
		case err != nil:
			return 0, fmt.Errorf("start: %w after %d bytes", err, n)
		}
		var status unix.WaitStatus
		_, _ = unix.Wait4(int(child), &status, 0, nil)
		return 0, fmt.Errorf("%s: %w", s.list[failure[0]].what, unix.Errno(failure[1]))
	}
}

// forkSteps runs in two processes after its first call. In the new one it may
// do nothing but system calls, on memory that is there.
//
//go:norace
//go:nosplit
//go:noinline
func forkSteps(list []step, pipe uintptr, failure *[2]uint32) (uintptr, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	for i := range list {
		st := &list[i]
		_, _, errno = syscall.RawSyscall6(st.nr, st.args[0], st.args[1], st.args[2], st.args[3], st.args[4], st.args[5])
		if errno != 0 && !st.may {
			failure[0], failure[1] = uint32(i), uint32(errno)
			break
		}
	}
	_, _, _ = syscall.RawSyscall6(unix.SYS_WRITE, pipe, uintptr(unsafe.Pointer(failure)), 8, 0, 0, 0)
	for {
		_, _, _ = syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 127, 0, 0, 0, 0, 0)
	}
}
