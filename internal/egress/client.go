package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// DefaultTimeout is what a tool gets.
	DefaultTimeout = 120 * time.Second
	// DefaultMaxBytes is what a tool may answer.
	DefaultMaxBytes = 1 << 20
	// mostHeaderBytes is four times what common servers send at most.
	mostHeaderBytes = 64 << 10
	// userAgent tells servers who asks, for they refuse what does not say.
	userAgent = "knack (+https://github.com/knackhq/knack)"
)

// Client makes requests through a guard.
type Client struct {
	Guard Guard
	// Timeout is for a request with all its redirects and its whole answer; zero
	// is [DefaultTimeout].
	Timeout time.Duration
	// MaxBytes is how much of a body is taken, after decompression; zero is
	// [DefaultMaxBytes].
	MaxBytes int64
	// Roots are the authorities that are believed; nil is the system's.
	Roots *x509.CertPool
}

// Request is what is asked of a server.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Response is what it answered.
type Response struct {
	URL    string // where it came from, after redirects
	Proto  string // such as HTTP/1.1
	Status string // such as "404 Not Found"
	Code   int    // such as 404
	Header http.Header
	Body   []byte
	// Cut tells that there was more of the body.
	Cut bool
}

// Do makes a request and follows where it is redirected. Any status is an answer.
func (c Client) Do(ctx context.Context, r Request) (*Response, error) {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	u, err := ParseURL(r.URL)
	if err != nil {
		return nil, err
	}
	if err := checkHeader(r.Header); err != nil {
		return nil, err
	}
	inner, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out, err := c.follow(inner, hop{method: r.Method, url: u, header: r.Header.Clone(), body: r.Body})
	if err != nil && ctx.Err() == nil && errors.Is(inner.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s did not answer in full within %s: %w", u.Host, c.Timeout, context.DeadlineExceeded)
	}
	return out, err
}

// follow makes the request, and those that its answers send it to.
func (c Client) follow(ctx context.Context, h hop) (*Response, error) {
	transport := c.transport()
	defer transport.CloseIdleConnections()
	for range mostRedirects + 1 {
		answer, err := transport.RoundTrip(h.request(ctx))
		if err != nil {
			return nil, h.explain(err)
		}
		next, err := h.next(answer)
		if next == nil && err == nil {
			return c.take(answer, h)
		}
		_ = answer.Body.Close()
		if err != nil {
			return nil, err
		}
		h = *next
	}
	return nil, fmt.Errorf("%s: %w", h.origin(), errRedirects)
}

// transport is made anew for every request: nothing is kept from one to the next.
func (c Client) transport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, host string) (net.Conn, error) {
			conn, err := c.Guard.Connect(ctx, host)
			if err != nil {
				return nil, err
			}
			// What decompresses to nothing does not count as body. Encryption and
			// chunks in small pieces double what is sent at the worst that is not meant.
			return &bounded{Conn: conn, left: 2*c.MaxBytes + 1<<20}, nil
		},
		TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.Timeout,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: mostHeaderBytes,
	}
}

// bounded is a connection that gives only so many bytes.
type bounded struct {
	net.Conn
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errFlood
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// take reads the body.
func (c Client) take(answer *http.Response, h hop) (*Response, error) {
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.MaxBytes+1))
	if err != nil {
		return nil, h.explain(err)
	}
	out := &Response{
		URL: h.url.String(), Proto: answer.Proto, Status: answer.Status, Code: answer.StatusCode, Header: answer.Header, Body: body,
	}
	if int64(len(body)) > c.MaxBytes {
		out.Body, out.Cut = body[:c.MaxBytes], true
	}
	return out, nil
}

// ours are the headers that the client alone sets: with another host in them, a
// granted one could be made to pass a request on to it, and bodies would not be
// what is counted.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Accept-Encoding": true, "Connection": true, "Keep-Alive": true,
	"Expect": true, "Te": true, "Trailer": true, "Upgrade": true,
}

func checkHeader(header http.Header) error {
	for name := range header {
		key := http.CanonicalHeaderKey(name)
		if ours[key] || strings.HasPrefix(key, "Proxy-") {
			return fmt.Errorf("the header %s cannot be chosen", key)
		}
	}
	return nil
}

// explain names the host in an error that does not.
func (h hop) explain(err error) error {
	if h.from != nil {
		return fmt.Errorf("%s redirects to %s: %w", h.from.Host, h.url.Host, err)
	}
	if errors.Is(err, ErrRefused) {
		return err
	}
	return fmt.Errorf("%s: %w", h.url.Host, err)
}

// sameOrigin reports whether two addresses are of one server.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && Target(a) == Target(b) }
