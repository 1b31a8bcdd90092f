package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// The bounds of what a server may send.
const (
	// largestLine and largestStream are far more than an answer is: 64 thousand
	// tokens, each in an event of its own, are some 20 MiB.
	largestLine   = 4 << 20
	largestStream = 64 << 20
	// largestError is enough for any message; no more of it is read.
	largestError = 64 << 10
	// longestSilence is how long a server may say nothing at all: a small machine
	// takes minutes to read a long prompt.
	longestSilence = 10 * time.Minute
)

var (
	errSilent  = errors.New("the server has said nothing for too long")
	errTooMuch = errors.New("the server sends more than an answer can be")
)

// failure is an answer that is none: what the server said instead.
type failure struct {
	status int
	header http.Header
	body   []byte
}

func (f *failure) Error() string { return fmt.Sprintf("status %d", f.status) }

// door is the way out to a server, for both client libraries: they get streams
// of events, bounded, and nothing else. A redirect is not followed: it would
// carry the key to wherever it points.
type door struct {
	http    *http.Client
	silence time.Duration
}

func newDoor(given *http.Client) door {
	var c http.Client
	if given != nil {
		c = *given
	} else {
		// The proxies of the environment are for who hands in a client.
		c.Transport = &http.Transport{ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 30 * time.Second}
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return door{http: &c, silence: longestSilence}
}

// Do makes a request. What is not the beginning of a stream is a [failure].
func (d door) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	silence := time.AfterFunc(d.silence, func() { cancel(errSilent) })
	stop := func() {
		silence.Stop()
		cancel(context.Canceled)
	}
	res, err := d.http.Do(req.WithContext(ctx))
	if err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		stop()
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || kind == "application/json" || kind == "text/html" {
		defer stop()
		defer func() { _ = res.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(res.Body, largestError))
		return nil, &failure{status: res.StatusCode, header: res.Header, body: body}
	}
	res.Body = &stream{body: res.Body, ctx: ctx, stop: stop, heard: func() { silence.Reset(d.silence) }}
	return res, nil
}

// stream is a body with bounds.
type stream struct {
	body  io.ReadCloser
	ctx   context.Context
	stop  func()
	heard func()

	line, total int // how much of them has come
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	if n > 0 {
		s.heard()
	}
	s.total += n
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		s.line = n - i - 1
	} else {
		s.line += n
	}
	switch {
	case s.line > largestLine || s.total > largestStream:
		return 0, errTooMuch
	case err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(s.ctx), errSilent):
		return n, errSilent
	}
	return n, err
}

func (s *stream) Close() error {
	s.stop()
	return s.body.Close()
}
