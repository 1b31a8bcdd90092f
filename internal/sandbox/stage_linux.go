package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

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
	gone := parentGone()
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
		_ = readFull(control, buf[:])
	}()
	return gone
}

// supervise waits for the program, ends what it leaves, and reaps all of it.
func supervise(p *policy, pid int, gone <-chan struct{}) *endState {
	main, none := make(chan unix.WaitStatus, 1), make(chan struct{})
	go func() {
		defer close(none)
		for {
			var status unix.WaitStatus
			got, err := unix.Wait4(-1, &status, 0, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil:
				return // no children are left
			case got == pid:
				main <- status
			}
		}
	}()
	end := &endState{}
	var count <-chan time.Time
	if p.Count > 0 {
		tick := time.NewTicker(countEvery)
		defer tick.Stop()
		count = tick.C
	}
	for running := true; running; {
		select {
		case status := <-main:
			end.Exit, running = status.ExitStatus(), false
			if status.Signaled() {
				end.Signal = int(status.Signal())
			}
		case <-gone:
			end.Exit, end.Signal, running = -1, int(unix.SIGKILL), false
		case <-count:
			if offspring(p.Private, nil) > p.Count {
				end.Exit, end.Signal, end.Over, running = -1, int(unix.SIGKILL), true, false
			}
		}
	}
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		offspring(p.Private, func(pid int) { _ = unix.Kill(pid, unix.SIGKILL) })
		select {
		case <-none:
			return end
		case <-again.C:
		}
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
