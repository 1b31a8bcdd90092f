package egress

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// web is an internet of servers on this machine: addresses that are public lead
// to them, and whatever else is dialled is kept.
type web struct {
	names  names
	to     map[string]string // an address and its port, to where it is served
	dialed []string
}

func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.dialed = append(w.dialed, address)
	real, ok := w.to[address]
	if !ok {
		return nil, fmt.Errorf("nothing is at %s", address)
	}
	return new(net.Dialer).DialContext(ctx, network, real)
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// client reaches a.org and b.org, which h answers for, and every other name.
func client(t *testing.T, h http.HandlerFunc) (Client, *web) {
	t.Helper()
	at := serve(t, h)
	w := &web{
		names: names{
			"a.org": {{"8.8.8.1"}}, "b.org": {{"8.8.8.2"}}, "inside.org": {{"127.0.0.1"}}, "metadata.google.internal": {{"169.254.169.254"}},
		},
		to: map[string]string{"8.8.8.1:80": at, "8.8.8.2:80": at, "8.8.8.1:8080": at},
	}
	return Client{Guard: Guard{Anywhere: true, Resolver: w.names, Dial: w.dial, Hint: hint}}, w
}

func TestDo(t *testing.T) {
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %q %s|%s", r.Method, r.Host, r.URL, body, r.Header.Get("X-Key"), r.Header.Get("User-Agent")))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "hello")
	})
	got, err := c.Do(t.Context(), Request{Method: "POST", URL: "http://A.org/x?y=%2F#z", Header: http.Header{"X-Key": {"k"}}, Body: []byte("@file")})
	if err != nil {
		t.Fatal(err)
	}
	seen := got.Header.Get("X-Seen")
	got.Header = nil
	want := &Response{URL: "http://a.org/x?y=%2F#z", Proto: "HTTP/1.1", Status: "418 I'm a teapot", Code: 418, Body: []byte("hello")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := `POST a.org /x?y=%2F "@file" k|` + userAgent; seen != want {
		t.Errorf("the server saw %s", seen)
	}
}

func TestDoRefuses(t *testing.T) {
	c, w := client(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	for _, r := range []struct {
		url, header, want string
	}{
		{"ftp://a.org", "", `"ftp://a.org" is no address that can be requested: it must start with https:// or http://`},
		{"http://me@a.org", "", `"http://me@a.org" is no address that can be requested: it must not have a user or password in it`},
		{"http://127.0.0.1/", "", "127.0.0.1:80 may not be reached: 127.0.0.1 is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{"http://inside.org/", "", "inside.org:80 may not be reached: inside.org leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{"http://metadata.google.internal/", "", "metadata.google.internal:80 may not be reached: metadata.google.internal leads to 169.254.169.254, which is not of the public internet (link-local); knack grant weather now --net 169.254.169.254:80"},
		{"http://nowhere.org/", "", "nowhere.org: nowhere.org has no address: lookup nowhere.org: no such host"},
		{"http://a.org/", "host", "the header Host cannot be chosen"},
		{"http://a.org/", "Proxy-Authorization", "the header Proxy-Authorization cannot be chosen"},
		{"http://a.org/", "Accept-Encoding", "the header Accept-Encoding cannot be chosen"},
		{"http://a.org/", "X\r\nY", `a.org: net/http: invalid header field name "X\r\nY"`},
	} {
		header := http.Header{}
		if r.header != "" {
			header[r.header] = []string{"b.org"}
		}
		if _, err := c.Do(t.Context(), Request{Method: "GET", URL: r.url, Header: header}); err == nil || err.Error() != r.want {
			t.Errorf("%s %s: got %v\nwant %s", r.url, r.header, err, r.want)
		}
	}
	if w.dialed != nil {
		t.Errorf("dialled %q", w.dialed)
	}
}

// Each case is one redirect, to /end of some place, and what arrives there.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		name, method, to string
		code             int
		want             string // what arrives, or the error
	}{
		{"same server keeps all", "GET", "/end", 302, "GET a.org - secret en"},
		{"relative", "GET", "end", 301, "GET a.org - secret en"},
		{"post becomes get", "POST", "/end", 302, "GET a.org - secret en"},
		{"also for 301", "POST", "/end", 301, "GET a.org - secret en"},
		{"put does not", "PUT", "/end", 301, "PUT a.org body secret en"},
		{"see other always", "PUT", "/end", 303, "GET a.org - secret en"},
		{"but for head", "HEAD", "/end", 303, "HEAD a.org - secret en"},
		{"307 keeps the method", "POST", "/end", 307, "POST a.org body secret en"},
		{"308 keeps the method", "POST", "/end", 308, "POST a.org body secret en"},
		{"another host gets no keys", "GET", "http://b.org/end", 302, "GET b.org -  en"},
		{"nor another port", "POST", "http://a.org:8080/end", 307, "POST a.org:8080 body  en"},
		{"host in other letters is the same", "GET", "http://A.ORG:80/end", 302, "GET a.org - secret en"},
		{"metadata", "GET", "http://169.254.169.254/latest/", 302, "a.org redirects to 169.254.169.254: 169.254.169.254:80 may not be reached: 169.254.169.254 is not of the public internet (link-local); knack grant weather now --net 169.254.169.254:80"},
		{"metadata by name", "GET", "http://metadata.google.internal/", 302, "a.org redirects to metadata.google.internal: metadata.google.internal:80 may not be reached: metadata.google.internal leads to 169.254.169.254, which is not of the public internet (link-local); knack grant weather now --net 169.254.169.254:80"},
		{"loopback in disguise", "GET", "http://[::ffff:7f00:1]/", 302, "a.org redirects to 127.0.0.1: 127.0.0.1:80 may not be reached: 127.0.0.1 is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{"file", "GET", "file:///etc/passwd", 302, `a.org redirects elsewhere: "file:///etc/passwd" is no address that can be requested: it must start with https:// or http://`},
		{"user", "GET", "http://me@b.org/", 302, `a.org redirects elsewhere: "http://me@b.org/" is no address that can be requested: it must not have a user or password in it`},
		{"no address", "GET", "http://[", 302, `a.org redirects to "http://[", which is no address`},
		{"for ever", "GET", "/", 302, "a.org: there are too many redirects"},
	} {
		requests := 0
		cl, w := client(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			if r.URL.Path != "/end" {
				w.Header().Set("Location", c.to)
				w.WriteHeader(c.code)
				return
			}
			body, _ := io.ReadAll(r.Body)
			if len(body) == 0 {
				body = []byte("-")
			}
			if got := r.Header.Get("Content-Type"); (got != "") != (string(body) == "body") {
				t.Errorf("%s: content type %q of %q", c.name, got, body)
			}
			w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %s", r.Method, r.Host, body, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+r.Header.Get("Cookie"), r.Header.Get("Accept-Language")))
		})
		r := Request{Method: c.method, URL: "http://a.org/", Header: http.Header{"Authorization": {"sec"}, "X-Api-Key": {"re"}, "Cookie": {"t"}, "Accept-Language": {"en"}}}
		if c.method != "GET" && c.method != "HEAD" {
			r.Body = []byte("body")
			r.Header.Set("Content-Type", "text/plain")
		}
		got, err := cl.Do(t.Context(), r)
		var seen string
		if err != nil {
			seen = err.Error()
		} else {
			seen = got.Header.Get("X-Seen")
		}
		if seen != c.want {
			t.Errorf("%s: got %s\nwant %s", c.name, seen, c.want)
		}
		if requests > mostRedirects+1 {
			t.Errorf("%s: %d requests", c.name, requests)
		}
		for _, to := range w.dialed {
			if !strings.HasPrefix(to, "8.8.8.") {
				t.Errorf("%s: dialled %s", c.name, to)
			}
		}
	}
}

func TestNoRedirectWithoutPlace(t *testing.T) {
	c, _ := client(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) })
	if got, err := c.Do(t.Context(), Request{Method: "GET", URL: "http://a.org/"}); err != nil || got.Code != 302 {
		t.Error(got, err)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}
		fmt.Fprint(w, "safe")
	}))
	defer s.Close()
	w := &web{names: names{"example.com": {{"8.8.8.1"}}, "other.org": {{"8.8.8.1"}}}, to: map[string]string{"8.8.8.1:443": s.Listener.Addr().String()}}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c := Client{Guard: Guard{Anywhere: true, Resolver: w.names, Dial: w.dial}, Roots: roots}
	if got, err := c.Do(t.Context(), Request{Method: "GET", URL: "https://example.com"}); err != nil || string(got.Body) != "safe" {
		t.Error(got, err)
	}
	if _, err := c.Do(t.Context(), Request{Method: "GET", URL: "https://example.com/down"}); !errors.Is(err, errDowngrade) {
		t.Error(err)
	}
	var wrong x509.HostnameError
	if _, err := c.Do(t.Context(), Request{Method: "GET", URL: "https://other.org"}); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://9.9.9.9:3128")
	c, w := client(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := c.Do(t.Context(), Request{Method: "GET", URL: "http://a.org/"}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"8.8.8.1:80"}, w.dialed); diff != "" {
		t.Error(diff)
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

func TestBodiesAreBounded(t *testing.T) {
	bomb := zipped(strings.Repeat("\x00", 4<<20))
	nothing := bytes.Repeat(zipped(""), 1000)
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fits":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 1000))
		case "/more":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 1001))
		case "/endless":
			for err := error(nil); err == nil; {
				_, err = w.Write(bytes.Repeat([]byte("x"), 1<<16))
			}
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped("small"))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		case "/empty-members": // each is a stream of its own that holds nothing
			w.Header().Set("Content-Encoding", "gzip")
			for err := error(nil); err == nil; {
				_, err = w.Write(nothing)
			}
		case "/broken":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "no zip at all")
		case "/short":
			w.Header().Set("Content-Length", "10")
			fmt.Fprint(w, "short")
		case "/headers":
			for i := range 10000 {
				w.Header().Add("X-Flood", fmt.Sprintf("%d and much more", i))
			}
		}
	})
	c.MaxBytes = 1000
	for path, want := range map[string]struct {
		n   int
		cut bool
		err string
	}{
		"/fits": {n: 1000}, "/more": {n: 1000, cut: true}, "/endless": {n: 1000, cut: true}, "/zip": {n: 5}, "/bomb": {n: 1000, cut: true},
		"/empty-members": {err: "much more was sent than is taken"}, "/broken": {err: "gzip: invalid header"}, "/short": {err: "unexpected EOF"},
		"/headers": {err: "server response headers exceeded"},
	} {
		got, err := c.Do(t.Context(), Request{Method: "GET", URL: "http://a.org" + path})
		switch {
		case want.err != "":
			if err == nil || !strings.Contains(err.Error(), want.err) || !strings.HasPrefix(err.Error(), "a.org: ") {
				t.Errorf("%s: %v", path, err)
			}
		case err != nil || len(got.Body) != want.n || got.Cut != want.cut:
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
}

func TestTimeIsBounded(t *testing.T) {
	done := make(chan struct{})
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow-body" {
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
		}
		<-done
	})
	defer close(done)
	c.Timeout = 50 * time.Millisecond
	for _, path := range []string{"/slow-head", "/slow-body"} {
		_, err := c.Do(t.Context(), Request{Method: "GET", URL: "http://a.org" + path})
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "a.org did not answer in full within 50ms: context deadline exceeded" {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, Request{Method: "GET", URL: "http://a.org/"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
