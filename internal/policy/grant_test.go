package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/tool"
)

func TestParseGrant(t *testing.T) {
	for _, c := range []struct {
		tool    string
		net     []string
		want    Grant
		private []string
	}{
		{"shell", nil, Grant{Tool: "shell"}, nil},
		{" Bash(git:*) ", []string{"GitHub.com", "api.github.com:443", "github.com."}, Grant{"Bash(git:*)", []string{"api.github.com:443", "github.com"}}, nil},
		{"mcp__files__read", []string{"*.Example.com", "*.example.com:0443"}, Grant{"mcp__files__read", []string{"*.example.com", "*.example.com:443"}}, nil},
		{"skill_weather_now", []string{"8.8.8.1", "[2606:4700::1]:80", "2606:4700::2", "::ffff:8.8.8.7"},
			Grant{"skill_weather_now", []string{"8.8.8.1", "8.8.8.7", "[2606:4700::1]:80", "[2606:4700::2]"}}, nil},
		{"Unheard-of.tool", []string{"localhost:8080", "10.0.0.1", "169.254.169.254", "[::1]", "printer", "nas.local", "a.org", "100.64.0.1"},
			Grant{"Unheard-of.tool", []string{"10.0.0.1", "100.64.0.1", "169.254.169.254", "[::1]", "a.org", "localhost:8080", "nas.local", "printer"}},
			[]string{"10.0.0.1", "100.64.0.1", "169.254.169.254", "[::1]", "localhost:8080", "nas.local", "printer"}},
	} {
		got, err := ParseGrant(c.tool, c.net)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s %q: %v %s", c.tool, c.net, err, diff)
		}
		if private := got.Private(); strings.Join(private, " ") != strings.Join(c.private, " ") {
			t.Errorf("%s: private are %q", c.tool, private)
		}
	}
}

func TestParseGrantRefuses(t *testing.T) {
	for _, c := range []struct{ tool, net, want string }{
		{"", "", "a grant needs the name of a tool, such as shell"},
		{" ", "", "a grant needs the name of a tool, such as shell"},
		{"*", "", `"*" is no single tool; grant the tools one by one`},
		{"mcp__files__*", "", `"mcp__files__*" is no single tool; grant the tools one by one`},
		{"mcp__files", "", `"mcp__files" is a whole server; grant its tools one by one, such as mcp__files__TOOL`},
		{"two words", "", `"two words" is not the name of a tool; names are like shell, Bash or mcp__files__read`},
		{"--net", "", `"--net" is not the name of a tool; names are like shell, Bash or mcp__files__read`},
		{"(git:*)", "", `"(git:*)" is not the name of a tool; names are like shell, Bash or mcp__files__read`},
		{"she\x1b[1mll", "", `"she[1mll" is not the name of a tool; names are like shell, Bash or mcp__files__read`},
		{"Bash(git:*", "", `the arguments of "Bash(git:*" cannot be understood; write them like Bash(git:*), Bash(git push *) or Bash(make test)`},
		{"shell", " ", `" " is no host that can be granted: name one, such as api.example.com or *.example.com`},
		{"shell", "*", `"*" is no host that can be granted: name one, such as api.example.com or *.example.com`},
		{"shell", "https://a.org", `"https://a.org" is no host that can be granted: leave out what stands before the host, as in api.example.com`},
		{"shell", "a.org/x", `"a.org/x" is no host that can be granted: leave out what stands behind the host, as in api.example.com`},
		{"shell", "10.0.0.0/8", `"10.0.0.0/8" is no host that can be granted: leave out what stands behind the host, as in api.example.com`},
		{"shell", "me@a.org", `"me@a.org" is no host that can be granted: leave out the user, as in api.example.com`},
		{"shell", "*.com", `"*.com" is no host that can be granted: that is all of a top-level domain; name the part before it, as in *.example.com`},
		{"shell", "a.*.org", `"a.*.org" is no host that can be granted: an asterisk can only be the first part, as in *.example.com`},
		{"shell", "*a.org", `"*a.org" is no host that can be granted: an asterisk can only be the first part, as in *.example.com`},
		{"shell", "a..org", `"a..org" is no host that can be granted: a name is made of letters, digits and hyphens between dots, as in api.example.com`},
		{"shell", "-a.org", `"-a.org" is no host that can be granted: a name is made of letters, digits and hyphens between dots, as in api.example.com`},
		{"shell", "a b", `"a b" is no host that can be granted: a name is made of letters, digits and hyphens between dots, as in api.example.com`},
		{"shell", "bücher.example", `"bücher.example" is no host that can be granted: write it in ASCII, as in xn--bcher-kva.example`},
		{"shell", "a.org:0", `"a.org:0" is no host that can be granted: a port is a number up to 65535, as in api.example.com:443`},
		{"shell", "a.org:65536", `"a.org:65536" is no host that can be granted: a port is a number up to 65535, as in api.example.com:443`},
		{"shell", "a.org:https", `"a.org:https" is no host that can be granted: a port is a number up to 65535, as in api.example.com:443`},
		{"shell", "[a.org]", `"[a.org]" is no host that can be granted: brackets are for IPv6 addresses, as in [2001:db8::1]:443`},
		{"shell", "fe80::1%eth0", `"fe80::1%eth0" is no host that can be granted: leave out the zone behind %`},
		{"shell", "127.1", `"127.1" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{"shell", "0x7f000001", `"0x7f000001" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{"shell", "*.0.0.1", `"*.0.0.1" is no host that can be granted: write an address in full, as in 192.0.2.1`},
		{"shell", strings.Repeat("a.", 127) + "org", `"` + strings.Repeat("a.", 50) + `…" is no host that can be granted: names have 253 characters at most`},
	} {
		var net []string
		if c.net != "" {
			net = []string{c.net}
		}
		got, err := ParseGrant(c.tool, net)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q %q: %+v, got %v, want %s", c.tool, c.net, got, err, c.want)
		}
	}
}

func TestHostWithin(t *testing.T) {
	hosts := []string{"*.a.org", "b.org:443", "[::1]", "not a host"}
	for host, want := range map[string]bool{
		"x.a.org": true, "x.y.A.org:80": true, "a.org": false, "xa.org": false, "b.org:443": true, "b.org:80": false, "b.org": false,
		"::1": true, "[::1]:80": true, "*.a.org": false, "": false, "not a host": false, "evil.net": false,
	} {
		if got := HostWithin(host, hosts); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

func someHosts() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"a.org", "x.a.org", "x.y.a.org", "*.a.org", "*.y.a.org", "a.org:443", "x.a.org:80", "*.a.org:443", "b.org", "10.0.0.1", "[::1]:80", "no host",
	}), 0, 4)
}

func FuzzParseGrant(f *testing.F) {
	for _, host := range []string{"", "*", "*.a.org:1", "[::1]:1", "1.2.3.4", "::ffff:1.2.3.4", "a:b:c", "[", "]", "[]", ":", "a.org.", "fe80::1%x"} {
		f.Add("Bash(git:*)", host)
	}
	for _, tool := range hostile {
		f.Add(tool, "a.org")
	}
	f.Fuzz(func(t *testing.T, tool, host string) {
		g, err := ParseGrant(tool, []string{host})
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text, "\x00\n\r\x1b") || len(text) > 1000 {
				t.Fatalf("%q", text)
			}
			return
		}
		again, err := ParseGrant(g.Tool, g.Net)
		if diff := cmp.Diff(g, again); diff != "" || err != nil {
			t.Fatalf("%+v is read back as %v: %s", g, err, diff)
		}
		if strings.ContainsAny(g.Net[0], "/@ ") || g.Net[0] == "*" || !strings.HasPrefix(g.Net[0], "*.") && !HostWithin(g.Net[0], g.Net) {
			t.Fatalf("%q was granted", g.Net[0])
		}
	})
}

func TestCovers(t *testing.T) {
	shell := tool.Spec{Name: "shell", Effects: tool.Effects{Run: true}}
	own := tool.Spec{Name: "skill_a_b", Skill: "a"}
	grants := []Grant{{Tool: "Bash(git:*)", Net: []string{"b.example"}}, {Tool: "exec(make test)", Net: []string{"a.example"}}, {Tool: "skill_a_b", Net: []string{"c.example"}}}
	for _, c := range []struct {
		spec      tool.Spec
		arguments string
		hosts     []string
		ok        bool
	}{
		{shell, "git status", []string{"b.example"}, true},
		{shell, "make test", []string{"a.example"}, true},
		{shell, "make", nil, false},
		{shell, "git log; reboot", nil, false},
		{own, "anything", []string{"c.example"}, true},
		{tool.Spec{Name: "shell", Skill: "a"}, "git status", nil, false}, // it only calls itself so
		{tool.Spec{Name: "web_fetch"}, "", nil, false},
	} {
		hosts, ok := Covers(grants, c.spec, c.arguments)
		if diff := cmp.Diff(c.hosts, hosts); diff != "" || ok != c.ok {
			t.Errorf("%s %q: %v (-want +got):\n%s", c.spec.Name, c.arguments, ok, diff)
		}
	}
}
