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

// trueProgram does nothing, on every system.
const trueProgram = "/bin/true"

// stage is a running stage and what it told.
type stage struct {
	conn    *net.UnixConn
	process *os.Process

	started chan struct{} // closed when Started or Failed came, or nothing will
	applied *applied
	failed  string
	ended   *endState
	done    chan struct{} // closed when nothing more will come
	proxies sync.WaitGroup
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
	st.proxies.Wait()
	pipes.ended()
	switch {
	case st.failed != "":
		return Result{}, errors.New(st.failed)
	case st.applied == nil && timedOut:
		return Result{}, fmt.Errorf("it did not start: %w", context.Cause(ctx))
	case st.applied == nil:
		return Result{}, fmt.Errorf("the stage of the sandbox ended before its program began: %v %w", state, waitErr)
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

// start makes the process and sends it the policy.
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
	data, err := frame(p.policy)
	if err != nil {
		conn.Close()
		return nil, err
	}
	process, err := os.StartProcess(p.argv[0], p.argv, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: append(pipes.files[:3:3], theirs), Sys: p.attr,
	})
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("starting a stage of the sandbox: %w", err)
	}
	p.group.add(process.Pid)
	st := &stage{conn: conn.(*net.UnixConn), process: process, started: make(chan struct{}), done: make(chan struct{})}
	// A stage that is dead already does not read, and is noticed by listening.
	go func() { _, _ = conn.Write(data) }()
	return st, nil
}

// listen follows what the stage tells until it ends.
func (st *stage) listen(spec Spec) {
	defer close(st.done)
	var once sync.Once
	told := func() { once.Do(func() { close(st.started) }) }
	defer told()
	for {
		m, file, err := hear(st.conn)
		if err != nil {
			return
		}
		if file != nil {
			st.serve(file, spec)
		}
		switch {
		case m.Started != nil:
			st.applied = m.Started
			told()
		case m.Failed != "":
			st.failed = m.Failed
			told()
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
	st.proxies.Go(func() { spec.Proxy(listener) })
	st.proxies.Go(func() {
		<-st.done
		listener.Close()
	})
}

// follow waits until the stage has told the end, or tells it to end. It reports
// whether the context ended first.
func (st *stage) follow(ctx context.Context) (timedOut bool) {
	defer st.conn.Close()
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
