package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// mostConnections of one program at once is what a browser opens to ten
	// servers, and what a machine does not notice.
	mostConnections = 64
	// longestQuiet is how long a connection may carry nothing: as long as a tool
	// may take.
	longestQuiet = DefaultTimeout
)

// Proxy is an HTTP proxy for programs that have no other network. It serves
// CONNECT and requests for http:// addresses on a listener until that is closed,
// and then ends every connection before it returns. What the guard refuses is
// answered with 403 and a line that says why.
func Proxy(g Guard) func(net.Listener) {
	return func(l net.Listener) {
		p := &proxy{guard: g, quiet: longestQuiet, most: mostConnections}
		p.serve(l)
	}
}

type proxy struct {
	guard Guard
	quiet time.Duration
	most  int64

	open    atomic.Int64   // connections of programs
	serving sync.WaitGroup // what serves them
}

func (p *proxy) serve(l net.Listener) {
	ctx, stop := context.WithCancel(context.Background())
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, host string) (net.Conn, error) { return p.connect(ctx, host) },
		// Requests pass as they are: what a program asks for is what it gets.
		DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: mostHeaderBytes,
	}
	quietLog := log.New(io.Discard, "", 0)
	passOn := &httputil.ReverseProxy{
		Transport: transport, ErrorLog: quietLog, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			r.Out.Host = r.In.URL.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { refuse(w, err) },
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c, ok := r.Context().Value(connKey{}).(*counted); ok {
				defer c.handled()
			}
			p.handle(w, r, passOn)
		}),
		ReadHeaderTimeout: p.quiet, IdleTimeout: p.quiet, MaxHeaderBytes: mostHeaderBytes, ErrorLog: quietLog,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState: func(c net.Conn, state http.ConnState) {
			if c, ok := c.(*counted); ok {
				c.became(state)
			}
		},
	}
	_ = server.Serve(&listener{Listener: l, proxy: p}) // it ends when the listener does
	stop()
	_ = server.Close()
	p.serving.Wait()
	transport.CloseIdleConnections()
}

// connect dials for a program; the connection ends when it is quiet for too long.
func (p *proxy) connect(ctx context.Context, host string) (net.Conn, error) {
	conn, err := p.guard.Connect(ctx, host)
	if err != nil {
		return nil, err
	}
	return newQuiet(conn, p.quiet), nil
}

func (p *proxy) handle(w http.ResponseWriter, r *http.Request, passOn http.Handler) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		if err := check(r.URL); err != nil {
			http.Error(w, oneLine(err), http.StatusBadRequest)
			return
		}
		passOn.ServeHTTP(w, r)
	default:
		http.Error(w, "this is a proxy for http and CONNECT", http.StatusBadRequest)
	}
}

// tunnel connects a program to a host and passes on what both say.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := p.connect(r.Context(), r.Host)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = there.Close() }()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		refuse(w, errors.ErrUnsupported)
		return
	}
	here, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer func() { _ = here.Close() }()
	defer context.AfterFunc(r.Context(), func() { _, _ = here.Close(), there.Close() })()
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { pass(there, unread(here, buffered.Reader)) })
	both.Go(func() { pass(here, there) })
	both.Wait()
}

// unread is what comes from a connection, with what was read of it already.
func unread(conn net.Conn, buffered *bufio.Reader) io.Reader {
	head := make([]byte, buffered.Buffered())
	_, _ = io.ReadFull(buffered, head) // they are there
	return io.MultiReader(strings.NewReader(string(head)), conn)
}

// pass copies one direction, and tells the other end when it is over. One that
// broke ends both.
func pass(to net.Conn, from io.Reader) {
	if _, err := io.Copy(to, from); err != nil {
		_ = to.Close()
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		return
	}
	_ = to.Close()
}

// refuse answers what was not done.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	if errors.Is(err, ErrRefused) {
		code = http.StatusForbidden
	}
	http.Error(w, oneLine(err), code)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
