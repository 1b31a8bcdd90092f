package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack/tool"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string][2]string{
		"Read": {"file_read", ""}, "Write": {"file_write", ""}, "Edit": {"file_edit", ""}, "MultiEdit": {"file_edit", ""},
		"Glob": {"glob_search", ""}, "Grep": {"content_search", ""}, "Bash": {"shell", ""}, "exec": {"shell", ""}, "shell_exec": {"shell", ""},
		"WebFetch": {"web_fetch", ""}, "WebSearch": {"web_search", ""}, "SkillCatalog": {"skill_search", ""}, "skill": {"Skill", ""},
		"Task": {"Task", ""}, "NotebookEdit": {"NotebookEdit", ""}, "TodoWrite": {"TodoWrite", ""},
		"read": {"file_read", ""}, "file_read": {"file_read", ""}, " BASH ": {"shell", ""},
		"Bash(git:*)": {"shell", "git:*"}, "Bash (git add *)": {"shell", "git add *"}, "Bash( git:* )": {"shell", "git:*"}, "Bash(*)": {"shell", ""},
		"WebFetch(domain:a.org)": {"web_fetch", "domain:a.org"}, "Bash(echo (x))": {"shell", "echo (x)"},
		"mcp__files__read": {"mcp__files__read", ""}, "mcp__x__y(a)": {"mcp__x__y", "a"}, "Unheard_of": {"Unheard_of", ""}, "": {"", ""},
		"Bash(": {"shell", "("}, "Bash()": {"shell", "()"}, "Bash( )": {"shell", "( )"}, "Bash(git": {"shell", "(git"}, "Bash(a)b": {"shell", "(a)b"}, "Bash(a)(b)": {"shell", "(a)(b)"},
	} {
		tool, arguments := Canonical(in)
		if got := [2]string{tool, arguments}; got != want {
			t.Errorf("Canonical(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDialectsAreUnambiguous(t *testing.T) {
	seen := map[string]string{}
	for _, d := range dialects {
		for _, name := range append(slices.Clone(d.names), d.tool) {
			if other, taken := seen[strings.ToLower(name)]; taken {
				t.Errorf("%s means %s and %s", name, d.tool, other)
			}
			seen[strings.ToLower(name)] = d.tool
		}
	}
}

func TestMatchesAndForbids(t *testing.T) {
	for _, c := range []struct {
		pattern, arguments string
		matches, forbids   bool
	}{
		// A prefix, written either way.
		{"git:*", "git", true, true},
		{"git:*", "git status -s", true, true},
		{"git:*", "  git\tstatus ", true, true},
		{"git *", "git", true, true},
		{"git *", "git status", true, true},
		{"git:*", "gitk", false, false},
		{"git *", "gitk --all", false, false},
		{"git*", "gitk --all", true, true},
		{"git add:*", "git add .", true, true},
		{"git add:*", "git addx", false, false},
		{"git add:*", "git commit", false, false},
		{"git:*", "", false, false},
		{"git:*", "ls", false, false},
		// Anything in the middle.
		{"git * main", "git push origin main", true, true},
		{"git * main", "git push origin mainly", false, false},
		{"npm run *:lint", "npm run web:lint", true, true},
		// Exactly.
		{"make test", "make test", true, true},
		{"make test", "make test -j", false, true},
		{"make test", "make  test", false, true},
		{"make && make test", "make && make test", true, true},
		{"npm run test:unit", "npm run test:unit", true, true},
		// Quotes are the shell's, the words are what counts.
		{"git commit:*", `git commit -m "fix; really"`, true, true},
		{"git:*", `git log --format='%H $x'`, true, true},
		{"git push:*", `"git push" x`, false, true},
		{"git:*", `git commit -m "it's"`, true, true},
		// More than one command.
		{"git:*", "git log; rm x", false, true},
		{"rm:*", "git log; rm x", false, true},
		{"rm:*", "git log && /bin/rm x", false, true},
		{"rm:*", "ls | xargs rm", false, true},
		{"rm:*", "find . -exec rm {} +", false, true},
		{"rm:*", "sudo RM x", false, true},
		{"rm:*", "sh -c 'rm x'", false, true},
		{"rm:*", "env X=rm y", false, true},
		{"git:*", "git log > x", false, true},
		{"git:*", "git log\nrm x", false, true},
		{"rm:*", "ls > x && cat x", false, false},
		{"rm:*", "ls -l *.go # format", false, false},
		{"rm:*", "git -c alias.x=y status", false, false},
		{"rm:*", "[ -f x ] && ls", false, false},
		{"git push:*", "git -C x push", false, true},
		{"git push:*", "git pull", false, false},
		{"git push --force *", "git push origin --force main", false, true},
		// What only a shell can resolve.
		{"git:*", "git log $HOME", false, true},
		{"git:*", `git log "$(reboot)"`, false, true},
		{"git:*", "git log `reboot`", false, true},
		{"git:*", `git log \x`, false, true},
		{"rm:*", "ls $HOME", false, true},
		{"rm:*", `r""m x`, true, true},
		{"rm:*", `r'm' x`, true, true},
		{"rm:*", `"r"m x`, true, true},
		{"rm:*", "r[m] x", false, true},
		{"rm:*", "/bin/r? x", false, true},
		{"rm:*", "{r,}m x", false, true},
		{"rm:*", "ls 'x", false, true},
		{"rm:*", "ls \x01", false, true},
		{"rm:*", "ls '\x01'", false, true},
		{"rm:*", "ls \xff", false, true},
		{"ls:*", "ls " + strings.Repeat("x", longestArguments), false, true},
		// A shell that is handed commands.
		{"rm:*", "cat x | sh", false, true},
		{"rm:*", "bash -s < x", false, true},
		{"rm:*", "bash < x", false, true},
		{"rm:*", "bash build.sh", false, false},
		{"rm:*", "cmd.exe /c x", false, true},
		{"rm:*", "eval x", false, true},
		{"rm:*", "source x", false, true},
		{"rm:*", ". x", false, true},
		{"rm:*", "git add .", false, false},
		// Paths.
		{"src/*", "src/a.go", true, true},
		{"./src/*", "src/a.go", true, true},
		{"src/*", "./src/a.go", true, true},
		{"src/*", "src/a/b.go", false, true},
		{"src/**", "src/a/b.go", true, true},
		{"src/**", "src/../etc/passwd", false, true},
		{"src/**", "docs/a", false, false},
		{"secrets/**", "docs/../secrets/x", false, true},
		{"secrets/**", "/work/secrets/x", false, true},
		{"~/.ssh/**", "/home/u/.ssh/id", false, true},
		{"//etc/**", "/etc/passwd", false, true},
		{"cat logs/*", "cat logs/a", true, true},
		{"cat logs/*", "cat logs/a /etc/shadow", false, true},
		{"./run.sh:*", "./run.sh --all", true, true},
		{"Secrets/**", "secrets/x", false, true},
		// Hosts.
		{"domain:a.org", "https://a.org/x?y", true, true},
		{"domain:a.org", "https://A.org:8443", true, true},
		{"domain:a.org", "a.org", true, true},
		{"domain:A.org.", "https://a.org", true, true},
		{"domain:a.org", "https://b.a.org", false, true},
		{"domain:*.a.org", "https://b.a.org", true, true},
		{"domain:*.a.org", "https://a.org", false, true},
		{"domain:a.org", "https://a.org.evil.net", false, false},
		{"domain:a.org", "https://a.org@evil.net", false, true},
		{"domain:a.org", `https://evil.net\@a.org`, false, true},
		{"domain:a.org", "not an address", false, true},
		{"domain:a.org", "", false, true},
		// Patterns that mean nothing to us.
		{"", "x", false, true},
		{":*", "x", false, true},
		{"(git", "(git", false, true},
		{"git:*, npm:*", "git", false, true},
		{"[ab]*", "a", false, true},
		{"git\x00*", "git", false, true},
		{"domain:", "https://a.org", false, true},
		{"domain:*", "https://a.org", false, true},
		{"domain:a.org/x", "https://a.org/x", false, true},
		{strings.Repeat("x", longestPattern+1), strings.Repeat("x", longestPattern+1), false, true},
		// All.
		{"*", "git status", true, true},
		{"*", "git log; rm x", false, true},
	} {
		if got := Matches(c.pattern, c.arguments); got != c.matches {
			t.Errorf("Matches(%q, %.60q) = %v", c.pattern, c.arguments, got)
		}
		if got := Forbids(c.pattern, c.arguments); got != c.forbids {
			t.Errorf("Forbids(%q, %.60q) = %v", c.pattern, c.arguments, got)
		}
	}
}

func TestReadCommand(t *testing.T) {
	got := readCommand(`a "b c" ''; d|e 'f'=g`)
	want := []word{{"a", true, false}, {"b c", false, false}, {"", false, true}, {"d", true, true}, {"e", true, false}, {"f=g", false, true}}
	if diff := cmp.Diff(want, got.words, cmp.AllowUnexported(word{})); diff != "" || !got.compound || got.odd || !got.glued {
		t.Errorf("%s %+v", diff, got)
	}
}

// Hostile calls are read in time that grows with their length only: what took
// its square would take hours here.
func TestLongCallsAreReadAtOnce(t *testing.T) {
	slashes := strings.Repeat("/", longestArguments)
	words := strings.Repeat("a ", longestArguments/2)
	stars := strings.Repeat("*a", longestPattern/2-4)
	for _, pattern := range []string{stars, stars + "/x:*", "rm:*"} {
		for _, call := range []string{slashes, words} {
			if Matches(pattern, call) != (pattern == stars && call == words) {
				t.Errorf("%.10q… %.10q…", pattern, call)
			}
			Forbids(pattern, call)
		}
	}
}

// The seeds have what the readers branch on.
var hostile = []string{"", "(", "Bash(git:*)", "Bash()", "mcp__a__b", "git * x", "src/**", "domain:*.a.org", "r\"\"m 'x' $y `z` \\", "a;b|c&d<e>f(g)", "\x00\xff", "sh", "sh -", "."}

func FuzzCanonical(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		tool, arguments := Canonical(name)
		if len(tool) > len(name)+len("content_search") || len(arguments) > len(name) || strings.Contains(tool, "(") {
			t.Fatalf("%q became %q, %q", name, tool, arguments)
		}
		if again, none := Canonical(tool); again != tool || none != "" {
			t.Fatalf("%q became %q, and that %q, %q", name, tool, again, none)
		}
		if strings.TrimSpace(name) != "" && strings.Contains(name, "(") && arguments == "" && !strings.Contains(name, "*") {
			t.Fatalf("%q lost its limit", name)
		}
	})
}

// Whatever a pattern approves, it also forbids: in doubt both say no.
func FuzzMatches(f *testing.F) {
	for _, pattern := range hostile {
		for _, arguments := range hostile {
			f.Add(pattern, arguments)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, arguments string) {
		approves, forbids := Matches(pattern, arguments), Forbids(pattern, arguments)
		if approves && !forbids {
			t.Fatalf("%q approves %q and does not forbid it", pattern, arguments)
		}
		exact := strings.TrimSpace(pattern) == strings.TrimSpace(arguments)
		if approves && !exact && !strings.HasPrefix(strings.TrimSpace(pattern), domainPrefix) &&
			(strings.ContainsAny(strings.Trim(arguments, " \t"), "$`\\") && !strings.ContainsAny(arguments, "'") || !utf8.ValidString(arguments)) {
			t.Fatalf("%q approves %q", pattern, arguments)
		}
		if !understood(strings.TrimSpace(pattern)) && (approves || !forbids) {
			t.Fatalf("%q is not understood: approves %v, forbids %v", pattern, approves, forbids)
		}
		if strings.ContainsRune(arguments, ';') && !exact && approves && !strings.ContainsAny(arguments, `'"`) && !strings.HasPrefix(strings.TrimSpace(pattern), domainPrefix) {
			t.Fatalf("%q approves two commands: %q", pattern, arguments)
		}
	})
}

// Natively a tool of any dialect provides a permission; where a host asks for
// exact names, only those do.
func TestToolsOfOtherDialectsProvidePermissions(t *testing.T) {
	for permissions, missing := range map[string]bool{"both": false, "require": true} {
		p, err := New(Rules{Permissions: permissions, Installed: "read-only"})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := p.Missing([]string{"shell_exec", "file_read"}, []tool.Spec{{Name: "Bash"}, {Name: "Read"}}); got != missing {
			t.Errorf("%s: missing is %t", permissions, got)
		}
	}
}
