package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// running is a proxy on a listener of its own, and what ends it.
func running(t *testing.T, p *proxy) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.serve(l)
	}()
	stop = func() {
		_ = l.Close()
		<-done
	}
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func through(t *testing.T, proxy string) *http.Client {
	t.Helper()
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestProxy(t *testing.T) {
	c, w := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q %s%s", r.Method, r.Host, r.URL, body, r.Header.Get("Proxy-Authorization"), r.Header.Get("X-Forwarded-For"))
	})
	g := c.Guard
	g.Anywhere, g.Hosts = false, []string{"a.org", "inside.org"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Proxy(g)(l)
	}()
	h := through(t, l.Addr().String())
	for _, r := range []struct{ url, want string }{
		{"http://a.org/x?y=1;2", `200 POST a.org /x?y=1;2 "hi" `},
		{"http://b.org/", "403 b.org:80 may not be reached: b.org is not among the hosts that may be reached; knack grant weather now --net b.org\n"},
		{"http://inside.org/", "403 inside.org:80 may not be reached: inside.org leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80\n"},
		{"http://169.254.169.254/", "403 169.254.169.254:80 may not be reached: 169.254.169.254 is not among the hosts that may be reached; knack grant weather now --net 169.254.169.254:80\n"},
		{"http://127.1/", "400 \"127.1:80\" is no host that can be granted: write an address in full, as in 192.0.2.1\n"},
		{"http://a.org:81/", "502 a.org:81 cannot be connected to: nothing is at 8.8.8.1:81\n"},
	} {
		answer, err := h.Post(r.url, "text/plain", strings.NewReader("hi"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if got := fmt.Sprintf("%d %s", answer.StatusCode, body); got != r.want {
			t.Errorf("%s: got %s\nwant %s", r.url, got, r.want)
		}
	}
	if diff := cmp.Diff([]string{"8.8.8.1:80", "8.8.8.1:81"}, w.dialed); diff != "" {
		t.Error(diff)
	}
	_ = l.Close()
	<-done
}

// ask sends text over a connection of its own and reads the answer's first line.
func ask(t *testing.T, proxy, text string) (net.Conn, *bufio.Reader, string) {
	t.Helper()
	conn, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprint(conn, text)
	r := bufio.NewReader(conn)
	line, _ := r.ReadString('\n')
	return conn, r, strings.TrimSpace(line)
}

func echoing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				fmt.Fprint(conn, "bye")
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func tunnelling(t *testing.T) *proxy {
	t.Helper()
	w := &web{names: names{"a.org": {{"8.8.8.1"}}, "inside.org": {{"127.0.0.1"}}}, to: map[string]string{"8.8.8.1:443": echoing(t)}}
	return &proxy{guard: Guard{Hosts: []string{"a.org", "inside.org"}, Resolver: w.names, Dial: w.dial}, quiet: time.Minute, most: mostConnections}
}

// What a program sends early, both directions, and their ends come through.
func TestTunnel(t *testing.T) {
	at, _ := running(t, tunnelling(t))
	conn, r, line := ask(t, at, "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org:443\r\n\r\nearly ")
	if line != "HTTP/1.1 200 Connection established" {
		t.Fatal(line)
	}
	_, _ = r.ReadString('\n')
	fmt.Fprint(conn, "late ")
	_ = conn.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(r); string(got) != "early late bye" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestProxyRefuses(t *testing.T) {
	at, _ := running(t, tunnelling(t))
	for text, want := range map[string]string{
		"CONNECT b.org:443 HTTP/1.1\r\nHost: b.org:443\r\n\r\n":                       "HTTP/1.1 403 Forbidden",
		"CONNECT inside.org:443 HTTP/1.1\r\nHost: inside.org:443\r\n\r\n":             "HTTP/1.1 403 Forbidden",
		"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: a.org:443\r\n\r\n":                    "HTTP/1.1 403 Forbidden",
		"CONNECT a.org HTTP/1.1\r\nHost: a.org\r\n\r\n":                               "HTTP/1.1 403 Forbidden",
		"CONNECT a.org:1 HTTP/1.1\r\nHost: a.org:1\r\n\r\n":                           "HTTP/1.1 502 Bad Gateway",
		"CONNECT 2130706433:443 HTTP/1.1\r\nHost: a.org:443\r\n\r\n":                  "HTTP/1.1 403 Forbidden",
		"GET http://b.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n":                           "HTTP/1.1 403 Forbidden",
		"GET / HTTP/1.1\r\nHost: a.org\r\n\r\n":                                       "HTTP/1.1 400 Bad Request",
		"GET https://a.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n":                          "HTTP/1.1 400 Bad Request",
		"GET file:///etc/passwd HTTP/1.1\r\nHost: a.org\r\n\r\n":                      "HTTP/1.1 400 Bad Request",
		"GET http://me@a.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n":                        "HTTP/1.1 400 Bad Request",
		"\x16\x03\x01 no http\r\n\r\n":                                                "HTTP/1.1 400 Bad Request",
		"GET http://a.org/ HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<17) + "\r\n\r\n": "HTTP/1.1 431 Request Header Fields Too Large",
	} {
		if _, _, line := ask(t, at, text); line != want {
			t.Errorf("%.60q: %s", text, line)
		}
	}
}

func TestQuietConnectionsEnd(t *testing.T) {
	p := tunnelling(t)
	p.quiet = 50 * time.Millisecond
	at, _ := running(t, p)
	for _, text := range []string{"", "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org:443\r\n\r\n", "GET http"} {
		_, r, _ := ask(t, at, text)
		_, _ = io.Copy(io.Discard, r) // it ends, or the test does not
	}
}

func TestConnectionsAreCounted(t *testing.T) {
	p := tunnelling(t)
	p.most = 2
	at, _ := running(t, p)
	const open = "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org:443\r\n\r\n"
	first, _, one := ask(t, at, open)
	_, _, two := ask(t, at, open)
	if one != two || !strings.Contains(one, "200") {
		t.Fatal(one, two)
	}
	if _, _, line := ask(t, at, open); line != "" {
		t.Error("a third got", line)
	}
	_ = first.Close()
	for p.open.Load() > 1 {
		runtime.Gosched()
	}
	if _, _, line := ask(t, at, open); line != two {
		t.Errorf("after one closed: %q", line)
	}
}

// Whatever is under way when the listener closes ends before the proxy returns.
func TestNothingStays(t *testing.T) {
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "begin")
		w.(http.Flusher).Flush()
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(hang)
	p := &proxy{guard: Guard{Hosts: []string{slow.Listener.Addr().String()}}, quiet: time.Minute, most: mostConnections}
	at, stop := running(t, p)
	for _, text := range []string{
		"GET http://" + slow.Listener.Addr().String() + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT " + slow.Listener.Addr().String() + " HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		if _, _, line := ask(t, at, text); !strings.Contains(line, "200") {
			t.Fatal(line)
		}
	}
	silent, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	for p.open.Load() < 3 {
		runtime.Gosched()
	}
	stop()
	if n := p.open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
	// The server's own goroutines are past their last word to us; give them time to go.
	for {
		buf := make([]byte, 1<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "egress.(*proxy)") && !strings.Contains(stacks, "egress.(*counted)") && !strings.Contains(stacks, "egress.pass") {
			break
		}
		runtime.Gosched()
	}
}
