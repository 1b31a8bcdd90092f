package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/hostname"
)

// names is a resolver with one answer after the other for each name; the last
// one stays.
type names map[string][][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answers, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, text := range answers[0] {
		out = append(out, netip.MustParseAddr(text))
	}
	if len(answers) > 1 {
		n[host] = answers[1:]
	}
	return out, nil
}

// dials keeps what was dialled, and connects to a pipe or fails.
type dials struct {
	to   []string
	fail map[string]bool
}

func (d *dials) dial(_ context.Context, _, address string) (net.Conn, error) {
	d.to = append(d.to, address)
	if d.fail[address] {
		return nil, errors.New("connection refused")
	}
	conn, other := net.Pipe()
	_ = other.Close()
	return conn, nil
}

func hint(host string) string { return "knack grant weather now --net " + host }

func TestGuard(t *testing.T) {
	where := func() names {
		return names{
			"api.example.com": {{"93.184.216.34"}}, "inside.example.com": {{"127.0.0.1"}}, "meta.example.com": {{"169.254.169.254"}},
			"both.example.com": {{"10.0.0.1", "93.184.216.34"}}, "six.example.com": {{"::ffff:127.0.0.1", "fd00:ec2::254"}}, "localhost": {{"127.0.0.1", "::1"}},
			"printer": {{"192.168.0.7"}}, "nas.local": {{"fe80::1"}}, "zone.local": {{"fe80::1%eth0"}}, "empty.example.com": {{}}, "nat.example.com": {{"64:ff9b::5db8:d822"}},
		}
	}
	one := func(hosts ...string) Guard { return Guard{Hosts: hosts} }
	for _, c := range []struct {
		guard  Guard
		host   string
		dialed string // what is dialled
		want   string // else the refusal
	}{
		{one(), "api.example.com:443", "", "api.example.com:443 may not be reached: api.example.com is not among the hosts that may be reached; knack grant weather now --net api.example.com"},
		{one("api.example.com"), "api.example.com:443", "93.184.216.34:443", ""},
		{one("api.example.com"), "API.example.com.:443", "93.184.216.34:443", ""},
		{one("api.example.com:443"), "api.example.com:80", "", "api.example.com:80 may not be reached: api.example.com is not among the hosts that may be reached; knack grant weather now --net api.example.com"},
		{one("*.example.com"), "inside.example.com:80", "", "inside.example.com:80 may not be reached: inside.example.com leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{one("inside.example.com", "127.0.0.1:80"), "inside.example.com:80", "127.0.0.1:80", ""},
		{one("inside.example.com", "127.0.0.1:81"), "inside.example.com:80", "", "inside.example.com:80 may not be reached: inside.example.com leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{one("meta.example.com"), "meta.example.com:80", "", "meta.example.com:80 may not be reached: meta.example.com leads to 169.254.169.254, which is not of the public internet (link-local); knack grant weather now --net 169.254.169.254:80"},
		{one("both.example.com"), "both.example.com:80", "93.184.216.34:80", ""},
		{one("six.example.com"), "six.example.com:80", "", "six.example.com:80 may not be reached: six.example.com leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{one("nat.example.com"), "nat.example.com:80", "[64:ff9b::5db8:d822]:80", ""},
		{one("localhost:8080"), "localhost:8080", "127.0.0.1:8080", ""},
		{one("localhost:8080"), "localhost:8081", "", "localhost:8081 may not be reached: localhost is not among the hosts that may be reached; knack grant weather now --net localhost:8081"},
		{one("printer"), "printer:80", "192.168.0.7:80", ""},
		{one("nas.local"), "nas.local:80", "[fe80::1]:80", ""},
		{one("zone.local"), "zone.local:80", "[fe80::1%eth0]:80", ""},
		{one("127.0.0.1:8080"), "127.0.0.1:8080", "127.0.0.1:8080", ""},
		{one("127.0.0.1"), "[::ffff:127.0.0.1]:8080", "127.0.0.1:8080", ""},
		{one("[::1]"), "[::1]:8080", "[::1]:8080", ""},
		{one("127.0.0.1:8080"), "127.0.0.1:8081", "", "127.0.0.1:8081 may not be reached: 127.0.0.1 is not among the hosts that may be reached; knack grant weather now --net 127.0.0.1:8081"},
		{one("127.0.0.1:8080"), "localhost:8080", "", "localhost:8080 may not be reached: localhost is not among the hosts that may be reached; knack grant weather now --net localhost:8080"},
		{Guard{Anywhere: true}, "api.example.com:443", "93.184.216.34:443", ""},
		{Guard{Anywhere: true}, "8.8.8.8:53", "8.8.8.8:53", ""},
		{Guard{Anywhere: true}, "localhost:80", "", "localhost:80 may not be reached: localhost leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{Guard{Anywhere: true}, "printer:80", "", "printer:80 may not be reached: printer leads to 192.168.0.7, which is not of the public internet (private); knack grant weather now --net 192.168.0.7:80"},
		{Guard{Anywhere: true}, "10.1.2.3:80", "", "10.1.2.3:80 may not be reached: 10.1.2.3 is not of the public internet (private); knack grant weather now --net 10.1.2.3:80"},
		{Guard{Anywhere: true}, "[fd00:ec2::254]:80", "", "[fd00:ec2::254]:80 may not be reached: fd00:ec2::254 is not of the public internet (private); knack grant weather now --net [fd00:ec2::254]:80"},
		{Guard{Anywhere: true, Hosts: []string{"localhost"}}, "localhost:80", "127.0.0.1:80", ""},
		{Guard{Anywhere: true, Hosts: []string{"localhost"}}, "inside.example.com:80", "", "inside.example.com:80 may not be reached: inside.example.com leads to 127.0.0.1, which is not of the public internet (loopback); knack grant weather now --net 127.0.0.1:80"},
		{Guard{Configured: []string{"inside.example.com:80"}}, "inside.example.com:80", "127.0.0.1:80", ""},
		{Guard{Configured: []string{"inside.example.com:80"}}, "inside.example.com:81", "", "inside.example.com:81 may not be reached: inside.example.com is not among the hosts that may be reached; knack grant weather now --net inside.example.com"},
		{Guard{Anywhere: true}, "127.1:80", "", `127.1:80 may not be reached: "127.1:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{Guard{Anywhere: true}, "0x7f000001:80", "", `0x7f000001:80 may not be reached: "0x7f000001:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{Guard{Anywhere: true}, "2130706433:80", "", `2130706433:80 may not be reached: "2130706433:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{Guard{Anywhere: true}, "0177.0.0.1:80", "", `0177.0.0.1:80 may not be reached: "0177.0.0.1:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{Guard{Anywhere: true}, "[fe80::1%eth0]:80", "", `[fe80::1%eth0]:80 may not be reached: "[fe80::1%eth0]:80" is no host that can be granted: leave out the zone behind %`},
		{Guard{Anywhere: true}, "*.example.com:80", "", `*.example.com:80 may not be reached: "*.example.com:80" is no single host with a port`},
		{Guard{Anywhere: true}, "api.example.com", "", `api.example.com may not be reached: "api.example.com" is no single host with a port`},
	} {
		var d dials
		g := c.guard
		g.Resolver, g.Dial, g.Hint = where(), d.dial, hint
		conn, err := g.Connect(t.Context(), c.host)
		if c.want != "" {
			if err == nil || err.Error() != c.want || !errors.Is(err, ErrRefused) || d.to != nil {
				t.Errorf("%s: got %v\nwant %s", c.host, err, c.want)
			}
			continue
		}
		if err != nil || d.to[0] != c.dialed {
			t.Errorf("%s: dialled %q, %v", c.host, d.to, err)
			continue
		}
		_ = conn.Close()
	}
}

func TestConnectFailures(t *testing.T) {
	d := dials{fail: map[string]bool{"8.8.8.8:80": true, "9.9.9.9:80": true}}
	g := Guard{Anywhere: true, Dial: d.dial, Resolver: names{
		"empty.org": {{}}, "down.org": {{"8.8.8.8", "9.9.9.9"}}, "half.org": {{"8.8.8.8", "1.1.1.1"}},
		"many.org": {{"8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.8", "1.1.1.1"}},
	}}
	for host, want := range map[string]string{
		"empty.org:80": "empty.org has no address", "nowhere.org:80": "nowhere.org has no address: lookup nowhere.org: no such host",
		"down.org:80": "down.org:80 cannot be connected to: connection refused", "many.org:80": "many.org:80 cannot be connected to: connection refused",
	} {
		if _, err := g.Connect(t.Context(), host); err == nil || err.Error() != want || errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
	d.to = nil
	if _, err := g.Connect(t.Context(), "half.org:80"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"8.8.8.8:80", "1.1.1.1:80"}, d.to); diff != "" {
		t.Error(diff)
	}
}

// A name that leads elsewhere when it is asked again is asked once, and what was
// looked at is what is dialled.
func TestRebinding(t *testing.T) {
	var d dials
	n := names{"api.example.com": {{"93.184.216.34"}, {"127.0.0.1"}}}
	g := Guard{Hosts: []string{"api.example.com"}, Resolver: n, Dial: d.dial}
	if _, err := g.Connect(t.Context(), "api.example.com:80"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"93.184.216.34:80"}, d.to); diff != "" || len(n["api.example.com"]) != 1 {
		t.Error(diff, n)
	}
	if _, err := g.Connect(t.Context(), "api.example.com:80"); !errors.Is(err, ErrRefused) || len(d.to) != 1 {
		t.Errorf("%v, dialled %q", err, d.to)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, text := range urls {
		f.Add(text.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseURL(text)
		if err != nil {
			if s := err.Error(); len(s) > 2000 || strings.ContainsAny(s, "\x00\n\r\x1b") {
				t.Fatalf("%q", s)
			}
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" || strings.ContainsAny(u.Host, "@/\\ %*") {
			t.Fatalf("%q is taken for %#v", text, u)
		}
		again, err := ParseURL(u.String())
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Fatalf("%q is %s and then %v, %v", text, u, again, err)
		}
		// No host that looks like an address in another notation is left.
		var d dials
		g := Guard{Anywhere: true, Resolver: names{}, Dial: d.dial}
		_, _ = g.Connect(t.Context(), Target(u))
		for _, to := range d.to {
			if addr := netip.MustParseAddrPort(to).Addr(); hostname.Special(addr) != "" {
				t.Fatalf("%q dials %s", text, to)
			}
		}
	})
}

var urls = []struct{ in, host, err string }{
	{"https://example.com", "example.com", ""},
	{"https://example.com:443/x?y#z", "example.com", ""},
	{"http://example.com:443/", "example.com:443", ""},
	{"HTTP://EXAMPLE.com.:80/", "example.com", ""},
	{"http://example.com:/", "example.com", ""},
	{"http://[2001:DB8::1]:80/", "[2001:db8::1]", ""},
	{"http://[::ffff:127.0.0.1]/", "127.0.0.1", ""},
	{"https://[::1]:8443/", "[::1]:8443", ""},
	{"http://user@example.com/", "", `"http://user@example.com/" is no address that can be requested: it must not have a user or password in it`},
	{"http://a:b@example.com/", "", `"http://a:b@example.com/" is no address that can be requested: it must not have a user or password in it`},
	{"file:///etc/passwd", "", `"file:///etc/passwd" is no address that can be requested: it must start with https:// or http://`},
	{"gopher://example.com/", "", `"gopher://example.com/" is no address that can be requested: it must start with https:// or http://`},
	{"example.com", "", `"example.com" is no address that can be requested: it does not start with https:// or http://`},
	{"-K/etc/x", "", `"-K/etc/x" is no address that can be requested: it does not start with https:// or http://`},
	{"", "", `"" is no address that can be requested: it does not start with https:// or http://`},
	{"http:example.com", "", `"http:example.com" is no address that can be requested: it has no host`},
	{"http:///x", "", `"http:///x" is no address that can be requested: it has no host`},
	{"http://127.1/", "", `"http://127.1/" is no address that can be requested: "127.1:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
	{"http://0x7f.1/", "", `"http://0x7f.1/" is no address that can be requested: "0x7f.1:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
	{"http://2130706433/", "", `"http://2130706433/" is no address that can be requested: "2130706433:80" is no host that can be granted: write an address in full, as in 192.0.2.1`},
	{"http://*.example.com/", "", `"http://*.example.com/" is no address that can be requested: its host is a pattern`},
	{"http://[fe80::1%25eth0]/", "", `"http://[fe80::1%25eth0]/" is no address that can be requested: "[fe80::1%eth0]:80" is no host that can be granted: leave out the zone behind %`},
	{"http://example.com:99999/", "", `"http://example.com:99999/" is no address that can be requested: "example.com:99999" is no host that can be granted: a port is a number up to 65535, as in api.example.com:443`},
	{"http://a.org\\@b.org/", "", `"http://a.org\@b.org/" is no address: net/url: invalid userinfo`},
	{"http://a.org\n/", "", `"http://a.org/" is no address: net/url: invalid control character in URL`},
	{"http://" + strings.Repeat("a", 8000), "", "an address has 8000 characters at most"},
}

func TestParseURL(t *testing.T) {
	for _, c := range urls {
		u, err := ParseURL(c.in)
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%q: got %v\nwant %s", c.in, err, c.err)
		case c.err == "" && (err != nil || u.Host != c.host):
			t.Errorf("%q: %v, %v", c.in, u, err)
		}
	}
}
