package egress

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// listener turns away connections beyond the most there may be. It goes on
// accepting them, or it would not notice that it is closed.
type listener struct {
	net.Listener
	proxy *proxy
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.proxy.open.Add(1) > l.proxy.most {
			l.proxy.open.Add(-1)
			_ = conn.Close()
			continue
		}
		l.proxy.serving.Add(1)
		return &counted{quietConn: newQuiet(conn, l.proxy.quiet), proxy: l.proxy}, nil
	}
}

// counted is a connection of a program. It counts until whatever serves it is
// done: the server, or the handler that took the connection from it.
type counted struct {
	*quietConn
	proxy *proxy
	taken atomic.Bool
	once  sync.Once
}

// connKey is where the context of a request has its connection.
type connKey struct{}

// became follows what the server does with the connection.
func (c *counted) became(state http.ConnState) {
	switch state {
	case http.StateHijacked:
		c.taken.Store(true)
	case http.StateClosed:
		c.done()
	}
}

// handled is told when a handler is done with a request.
func (c *counted) handled() {
	if c.taken.Load() {
		c.done()
	}
}

func (c *counted) done() {
	c.once.Do(func() {
		c.proxy.open.Add(-1)
		c.proxy.serving.Done()
	})
}

// quietConn is a connection that closes itself when nothing was said for a while.
type quietConn struct {
	net.Conn
	quiet time.Duration
	timer *time.Timer
}

func newQuiet(conn net.Conn, quiet time.Duration) *quietConn {
	return &quietConn{Conn: conn, quiet: quiet, timer: time.AfterFunc(quiet, func() { _ = conn.Close() })}
}

// heard starts the while anew; not if it is over.
func (q *quietConn) heard(n int) {
	if n > 0 && q.timer.Stop() {
		q.timer.Reset(q.quiet)
	}
}

func (q *quietConn) Read(p []byte) (int, error) {
	n, err := q.Conn.Read(p)
	q.heard(n)
	return n, err
}

func (q *quietConn) Write(p []byte) (int, error) {
	n, err := q.Conn.Write(p)
	q.heard(n)
	return n, err
}

// CloseWrite tells the other end that nothing more comes, where that can be told.
func (q *quietConn) CloseWrite() error {
	if half, ok := q.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close ends the connection.
func (q *quietConn) Close() error {
	q.timer.Stop()
	return q.Conn.Close()
}
