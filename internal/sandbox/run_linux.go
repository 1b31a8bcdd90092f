package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// graceTime is how long a stage may take to end what it started before it is
// killed itself. Killing takes milliseconds; more is a machine in distress.
const graceTime = 10 * time.Second

// run starts a spec in a layer. The bounds are filled in.
func (b *Box) run(ctx context.Context, layer Layer, spec Spec) (Result, error) {
	if b.options.Program == "" {
		return runPlain(ctx, spec)
	}
	plan, err := b.plan(layer, spec)
	if err != nil {
		return Result{}, err
	}
	defer plan.release()
	if err := plan.prepare(b.machine(), spec); err != nil {
		return Result{}, err
	}
	return plan.run(ctx, spec)
}

// attempt runs next to nothing in a layer.
func (b *Box) attempt(ctx context.Context, layer Layer) (Report, error) {
	spec := Spec{Argv: []string{trueProgram}, Dir: "/", Bounds: Defaults}
	result, err := b.run(ctx, layer, spec)
	if err == nil && result.Exit != 0 {
		err = fmt.Errorf("%s ended with %d %s", trueProgram, result.Exit, result.Signal)
	}
	return result.Report, err
}

// machine is what is found out once.
type machine struct {
	groups []hierarchy
	bounds bounded
	// bwrap finds that program, once, and not before somebody wants that layer.
	bwrap func() (string, error)
}

// machine finds out what a box needs at every start.
func (b *Box) machine() *machine {
	b.lookOnce.Do(func() {
		b.looked = &machine{groups: hierarchies()}
		removeStale(b.looked.groups)
		tried := newCgroup(b.looked.groups, Defaults)
		b.looked.bounds = tried.bounds
		tried.remove()
		b.looked.bwrap = sync.OnceValues(func() (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), tryTime)
			defer cancel()
			return findBwrap(ctx, b.options.Path)
		})
	})
	return b.looked
}

// trueProgram does nothing, on every system.
const trueProgram = "/bin/true"

// stage is a running stage and what it told.
type stage struct {
	conn    *net.UnixConn
	process *os.Process
	bounded chan error // what came of bounding it
	policy  []byte

	applied *applied
	failed  string
	ended   *endState
	done    chan struct{} // closed when nothing more will come
	helpers sync.WaitGroup
}

// run starts the stage of a plan, follows what it tells, and waits for its end.
func (p *plan) run(ctx context.Context, spec Spec) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("it did not start: %w", context.Cause(ctx))
	}
	pipes, err := openStreams(spec)
	if err != nil {
		return Result{}, err
	}
	st, err := p.start(pipes)
	if err != nil {
		pipes.abandon()
		return Result{}, err
	}
	pipes.started()
	go st.listen(spec)
	timedOut := st.follow(ctx)
	state, waitErr := st.process.Wait()
	<-st.done
	st.helpers.Wait()
	pipes.ended()
	switch {
	case st.failed != "":
		return Result{}, errors.New(st.failed)
	case st.applied == nil && timedOut:
		return Result{}, fmt.Errorf("it did not start: %w", context.Cause(ctx))
	case st.applied == nil:
		return Result{}, fmt.Errorf("the stage of the sandbox ended before its program began: %w", errors.Join(waitErr, errors.New(state.String())))
	}
	result := Result{Exit: -1, Signal: unix.SIGKILL.String(), TimedOut: timedOut, Report: p.report(*st.applied)}
	if end := st.ended; end != nil {
		result.Exit, result.Signal = end.Exit, ""
		if end.Signal != 0 {
			result.Exit, result.Signal = -1, unix.Signal(end.Signal).String()
		}
		if end.Over {
			result.Report.Weak = append(result.Report.Weak, fmt.Sprintf("it was ended for having more than %d processes", p.policy.Count))
		}
	}
	return result, nil
}

// start makes the process, and begins to bound it.
func (p *plan) start(pipes *streams) (*stage, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs, mine := os.NewFile(uintptr(fds[1]), "stage"), os.NewFile(uintptr(fds[0]), "sandbox")
	defer theirs.Close()
	conn, err := net.FileConn(mine)
	mine.Close()
	if err != nil {
		return nil, err
	}
	st := &stage{conn: conn.(*net.UnixConn), bounded: make(chan error, 1), done: make(chan struct{})}
	if st.policy, err = frame(p.policy); err != nil {
		_ = conn.Close()
		return nil, err
	}
	files, whose, err := p.openFiles(append(pipes.files[:3:3], theirs))
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	st.process, err = os.StartProcess(p.path, p.argv, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: files, Sys: p.attr,
	})
	if err != nil {
		_ = conn.Close()
		_, _ = whose(nil)
		return nil, fmt.Errorf("starting a stage of the sandbox: %w", err)
	}
	st.helpers.Go(func() {
		pid, err := whose(st.process)
		if err == nil {
			err = p.group.add(pid)
		}
		st.bounded <- err
	})
	return st, nil
}

// begin sends the policy, and when the stage is bounded, a byte by which it knows
// that it may start the program. Bounding takes the kernel milliseconds, in which
// the stage prepares. A stage that is dead does not read, and is noticed by
// listening.
func (st *stage) begin() {
	_, _ = st.conn.Write(st.policy)
	if err := <-st.bounded; err != nil {
		st.failed = err.Error()
		_ = st.process.Kill()
		return
	}
	_, _ = st.conn.Write([]byte{1})
}

// listen follows what the stage tells until it ends.
func (st *stage) listen(spec Spec) {
	defer close(st.done)
	for {
		m, file, err := hear(st.conn)
		if err != nil {
			return
		}
		if file != nil {
			st.serve(file, spec)
		}
		switch {
		case m.Ready:
			st.begin()
		case m.Started != nil:
			st.applied = m.Started
		case m.Failed != "":
			st.failed = m.Failed
		case m.Ended != nil:
			st.ended = m.Ended
			return
		}
	}
}

// serve runs the proxy on a listener of the process's network, until the stage
// is gone.
func (st *stage) serve(file *os.File, spec Spec) {
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil || spec.Proxy == nil {
		return
	}
	st.helpers.Go(func() {
		defer func() { _ = listener.Close() }() // who gave up serving refuses
		spec.Proxy(listener)
	})
	st.helpers.Go(func() {
		<-st.done
		_ = listener.Close()
	})
}

// follow waits until the stage has told the end, or tells it to end. It reports
// whether the context ended first.
func (st *stage) follow(ctx context.Context) (timedOut bool) {
	defer func() { _ = st.conn.Close() }()
	select {
	case <-st.done:
		return false
	case <-ctx.Done():
	}
	select {
	case <-st.done: // both at once: it ended by itself
		return false
	default:
	}
	_ = st.conn.CloseWrite()
	late := time.AfterFunc(graceTime, func() { _ = st.process.Kill() })
	defer late.Stop()
	<-st.done
	return true
}
