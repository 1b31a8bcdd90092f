package hostname

import (
	"flag"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Properties draw the same cases every time, so that a change is judged by what
// it changes; make fuzz draws new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Pattern{
		"API.Example.com.":    {name: "api.example.com"},
		" *.example.com:0443": {below: true, name: "example.com", port: "443"},
		"localhost:8080":      {name: "localhost", port: "8080"},
		"::ffff:192.0.2.7":    {name: "192.0.2.7", ip: netip.MustParseAddr("192.0.2.7")},
		"[2001:DB8::1]:80":    {name: "2001:db8::1", port: "80", ip: netip.MustParseAddr("2001:db8::1")},
		"2001:db8:0::1":       {name: "2001:db8::1", ip: netip.MustParseAddr("2001:db8::1")},
	} {
		got, err := Parse(text)
		if got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if got.Name() != want.name || got.Below() != want.below || got.Port() != want.port || got.Addr() != want.ip {
			t.Errorf("%s tells other than it is", text)
		}
	}
	for _, text := range []string{"", "*", "*.com", "http://a.org", "a.org/x", "me@a.org", "a.org:0", "[a.org]", "fe80::1%eth0", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "1.2.3.08"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"localhost": true, "printer:9100": true, "nas.local": true, "vault.corp": true, "10.0.0.1": true, "[::1]": true, "[fd00::1]": true, "100.64.0.1": true,
		"169.254.169.254": true, "a.org": false, "localhost.a.org": false, "*.a.org": false, "8.8.8.8": false, "[2606:4700::1]": false, "192.0.2.1": true, "198.18.0.1": true, "[2002:7f00:1::]": true, "[64:ff9b::7f00:1]": true,
	} {
		h, err := Parse(text)
		if err != nil || h.Private() != want {
			t.Errorf("%s: %v, %v", text, !want, err)
		}
	}
}

func TestWithin(t *testing.T) {
	hosts := []string{"*.a.org", "b.org:443", "[::1]", "not a host"}
	for host, want := range map[string]bool{
		"x.a.org": true, "x.y.A.org:80": true, "a.org": false, "xa.org": false, "b.org:443": true, "b.org:80": false, "b.org": false,
		"::1": true, "[::1]:80": true, "*.a.org": false, "": false, "not a host": false, "evil.net": false,
	} {
		if got := Within(host, hosts); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

func someHosts() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"a.org", "x.a.org", "x.y.a.org", "*.a.org", "*.y.a.org", "a.org:443", "x.a.org:80", "*.a.org:443", "b.org", "10.0.0.1", "[::1]:80", "no host",
	}), 0, 4)
}

// A host is in the intersection when it is in every list, in any order of lists.
func TestIntersectionIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(someHosts(), 1, 4).Draw(t, "lists")
		both := Intersection(lists)
		for _, host := range []string{"a.org", "a.org:443", "a.org:80", "x.a.org", "x.a.org:443", "x.a.org:80", "x.y.a.org:443", "b.org", "10.0.0.1:1", "[::1]:80", "[::1]"} {
			want := true
			for _, list := range lists {
				want = want && Within(host, list)
			}
			if got := Within(host, both); got != want {
				t.Fatalf("%s in %q: %v", host, both, got)
			}
		}
		again := Intersection(rapid.Permutation(lists).Draw(t, "order"))
		if diff := cmp.Diff(both, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestIntersectionSaysNothingTwice(t *testing.T) {
	got := Intersection([][]string{{"*.a.org", "x.a.org", "b.org:80", "b.org", "B.org."}, {"x.a.org", "y.a.org:443", "*.a.org", "b.org"}})
	if diff := cmp.Diff([]string{"*.a.org", "b.org"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, host := range []string{"", "*", "*.a.org:1", "[::1]:1", "1.2.3.4", "::ffff:1.2.3.4", "a:b:c", "[", "]", "[]", ":", "a.org.", "fe80::1%x"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text)
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text, "\x00\n\r\x1b") || len(text) > 1000 {
				t.Fatalf("%q", text)
			}
			return
		}
		again, err := Parse(h.String())
		if again != h || err != nil {
			t.Fatalf("%s is read back as %s, %v", h, again, err)
		}
		if !h.Below() && !Within(text, []string{text}) {
			t.Fatalf("%q is not within itself", text)
		}
	})
}
