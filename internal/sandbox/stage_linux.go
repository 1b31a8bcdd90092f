package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stageWord is the argument that makes a process a stage.
const stageWord = "__sandbox-stage"

// Child does the work of a stage of the sandbox if the arguments of this process
// say that it is one; stage tells whether. It has to be the first statement of
// main, which exits with code then:
//
//	if code, stage := sandbox.Child(os.Args); stage {
//		os.Exit(code)
//	}
func Child(args []string) (code int, stage bool) {
	if len(args) != 2 || args[1] != stageWord {
		return 0, false
	}
	// Capabilities and restrictions are those of a thread.
	runtime.LockOSThread()
	// It was started by the number of a descriptor, which says nothing to who
	// lists processes.
	if name, err := unix.BytePtrFromString("sandbox-stage"); err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(name)), 0, 0, 0)
	}
	p, err := receivePolicy()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2, true
	}
	if err := runStage(p); err != nil {
		tell(message{Failed: err.Error()}, -1)
		return 1, true
	}
	return 0, true
}

// runStage makes the surroundings of a program, starts it, and ends with it.
func runStage(p *policy) (err error) {
	// Descriptors that the caller of our caller left open are not the program's.
	if err := unix.CloseRange(control, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing files needs Linux 5.11: %w", err)
	}
	var told applied
	tmp := privateTmp
	if p.Private {
		if len(p.View) > 0 {
			release, weak, err := makeRoot(p)
			if err != nil {
				return err
			}
			defer release()
			told.Weak = append(told.Weak, weak...)
		}
	} else {
		if tmp, err = os.MkdirTemp("", "sandbox-"); err != nil {
			return err
		}
		defer removeAll(tmp)
		if p.Switch {
			if err := os.Chown(tmp, p.UID, p.GID); err != nil {
				return err
			}
		}
		p.Write = append(p.Write, tmp)
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("subreaper: %w", err)
		}
	}
	env := withHome(p.Env, tmp)
	if p.Proxy {
		port := p.Port
		if port == 0 {
			if port, err = openProxy(); err != nil {
				return fmt.Errorf("network: %w", err)
			}
		}
		env = proxied(env, port)
	}
	rules := -1
	if p.Confine {
		if told.Landlock = landlockABI(); told.Landlock > 0 {
			if rules, err = landlockRules(p, told.Landlock); err != nil {
				return err
			}
			defer unix.Close(rules)
		} else if !p.Private {
			return errors.New("this kernel has no Landlock, or does not use it")
		}
		told.Seccomp = true
		told.Weak = append(told.Weak, withoutLandlock(told.Landlock)...)
	}
	if err := unix.Chdir(p.Dir); err != nil {
		return fmt.Errorf("folder %s: %w", p.Dir, err)
	}
	path, err := findProgram(p.Argv[0], env)
	if err != nil {
		return err
	}
	calls, err := confinement(p, path, p.Argv, env, rules)
	if err != nil {
		return err
	}
	// Nobody may look into the stage, whose privileges are not all gone.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	deafen()
	// The parent may still be busy with bounding this process and its children.
	var bounded [1]byte
	if err := readFull(bounded[:]); err != nil {
		return err
	}
	gone := parentGone()
	pid, err := calls.start()
	if err != nil {
		return err
	}
	// The program has them; held here they would keep its readers waiting.
	for fd := range 3 {
		unix.Close(fd)
	}
	tell(message{Started: &told}, -1)
	tell(message{Ended: supervise(p, pid, gone)}, -1)
	return nil
}

// parentGone is closed when the parent wants the end, or is gone itself.
func parentGone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		var buf [1]byte
		_ = readFull(buf[:])
	}()
	return gone
}

// supervise waits for the program, ends what it leaves, and reaps all of it.
func supervise(p *policy, pid int, gone <-chan struct{}) *endState {
	main, none := make(chan programEnd, 1), make(chan struct{})
	go reap(pid, main, none)
	end := &endState{}
	var count <-chan time.Time
	if p.Count > 0 {
		tick := time.NewTicker(countEvery)
		defer tick.Stop()
		count = tick.C
	}
	for running := true; running; {
		select {
		case e := <-main:
			if end.set(e.status); e.alone {
				return end
			}
			running = false
		case <-gone:
			end.Exit, end.Signal, running = -1, int(unix.SIGKILL), false
		case <-count:
			if countAll(p.Private) > p.Count {
				end.Exit, end.Signal, end.Over, running = -1, int(unix.SIGKILL), true, false
			}
		}
	}
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		killAll(p.Private)
		select {
		case <-none:
			return end
		case <-again.C:
		}
	}
}

// programEnd is how the program ended, and whether it left nothing behind.
type programEnd struct {
	status unix.WaitStatus
	alone  bool
}

// reap waits for all children. It tells how the program ended, and closes none
// when no child is left.
func reap(program int, main chan<- programEnd, none chan<- struct{}) {
	defer close(none)
	var ended *unix.WaitStatus
	flags := 0
	for {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, flags, nil)
		switch {
		case errors.Is(err, unix.EINTR), err == nil && got > 0 && got != program:
			continue
		case err == nil && got == program:
			ended, flags = &status, unix.WNOHANG
			continue
		}
		if ended != nil {
			main <- programEnd{*ended, err != nil}
			ended, flags = nil, 0
		}
		if err != nil {
			return
		}
	}
}

// set takes over how a process ended.
func (e *endState) set(status unix.WaitStatus) {
	if e.Exit = status.ExitStatus(); status.Signaled() {
		e.Signal = int(status.Signal())
	}
}

const (
	// countEvery is how often processes are counted where the kernel does not:
	// a fork takes 0.1 ms, so that a bomb gets to some dozens in between.
	countEvery = 5 * time.Millisecond
	// sweepEvery is how often what is left is killed again: what was forked
	// while the first sweep went round.
	sweepEvery = 2 * time.Millisecond
)
