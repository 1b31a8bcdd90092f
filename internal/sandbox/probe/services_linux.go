package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// serve starts services that tell the token to whoever reaches them: on both
// loopback addresses, on a socket with a path and on one without.
func (s *stage) serve(ctx context.Context) error {
	s.Socket = filepath.Join(s.base, "agent.sock")
	var config net.ListenConfig
	for _, service := range []struct {
		network, address string
		at               *string
	}{
		{"tcp4", "127.0.0.1:0", &s.TCP}, {"tcp6", "[::1]:0", &s.TCP6},
		{"unix", s.Socket, &s.Socket}, {"unix", "@" + s.Token + "-socket", &s.Abstract},
	} {
		*service.at = ""
		l, err := config.Listen(ctx, service.network, service.address)
		if err != nil {
			continue // a machine may be without one; the probe says so
		}
		*service.at = l.Addr().String()
		s.later(func() { closes(l) })
		go s.tell(l)
	}
	packets, err := config.ListenPacket(ctx, "udp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("a service to attack: %w", err)
	}
	s.UDP = packets.LocalAddr().String()
	s.later(func() { closes(packets) })
	go s.echo(packets)
	interfaces, _ := net.Interfaces() // none are none
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 {
			s.Interfaces = append(s.Interfaces, i.Name)
		}
	}
	return nil
}

func (s *stage) tell(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte(s.Token))
		closes(conn)
	}
}

func (s *stage) echo(packets net.PacketConn) {
	buffer := make([]byte, 64)
	for {
		_, from, err := packets.ReadFrom(buffer)
		if err != nil {
			return
		}
		_, _ = packets.WriteTo([]byte(s.Token), from)
	}
}

// helper is a process of the same user, outside of the sandbox, to be attacked.
type helper struct {
	cmd      *exec.Cmd
	signals  atomic.Int32
	priority int
}

// helperState is what a helper says of itself.
type helperState struct {
	At   uint64
	File int
}

// tokenVariable gives the helper its secret, where /proc shows it.
const tokenVariable = "PROBE_SECRET"

// assist starts the helper. It ends when its input does, so also with us.
func (s *stage) assist(ctx context.Context) error {
	h := &helper{cmd: exec.CommandContext(ctx, s.Program, childArg, "helper", s.key())}
	h.cmd.Env = []string{tokenVariable + "=" + s.Token}
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.cmd.Start(); err != nil {
		return fmt.Errorf("a process to attack: %w", err)
	}
	lines := bufio.NewScanner(out)
	var state helperState
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &state) != nil {
		in.Close()
		return fmt.Errorf("%w: %s does not begin with probe.Child", ErrNothingRan, s.Program)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines.Scan() {
			h.signals.Add(1)
		}
	}()
	s.later(func() {
		in.Close()
		<-done
		_ = h.cmd.Wait()
	})
	s.helper, s.Helper = h, h.cmd.Process.Pid
	s.HelperAt, s.HelperFile = state.At, state.File
	h.priority, _ = unix.Getpriority(unix.PRIO_PROCESS, s.Helper)
	return nil
}

// signalled waits a little for the helper to say that it got a signal.
func (h *helper) signalled() bool {
	for range 50 { // half a second is plenty for a signal
		if h.signals.Load() > 0 {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// help is the helper's process: a secret in its environment, in its memory and in
// an open file, and a line for each signal it gets.
func help(path string) int {
	// Where only descendants may be traced, this process allows anyone: that it
	// is not traced must be the sandbox's doing.
	_ = unix.Prctl(unix.PR_SET_PTRACER, uintptr(unix.PR_SET_PTRACER_ANY), 0, 0, 0)
	value, _ := syscall.Getenv(tokenVariable)
	secret := []byte(value)
	file, err := os.Open(path)
	if err != nil || len(secret) == 0 {
		return 1
	}
	defer file.Close()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGUSR1)
	state, err := json.Marshal(helperState{At: uint64(uintptr(unsafe.Pointer(&secret[0]))), File: int(file.Fd())})
	if err != nil {
		return 1
	}
	fmt.Printf("%s\n", state)
	go func() {
		for range signals {
			fmt.Println("signalled")
		}
	}()
	_, _ = os.Stdin.Read(make([]byte, 1))
	return min(0, len(secret)) // it has to be in memory until here
}
