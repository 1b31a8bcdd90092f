package wording

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "Azure CLI": "Azure CLI", "a\x1b[31mb": "a[31mb", "x\u202ey": "xy", "é": "é",
		"\xff": "\ufffd", strings.Repeat("é", 101): strings.Repeat("é", 100) + "…",
	} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a b": `"a b"`, `a"b`: `"a\"b"`, "a\nb": `"a\nb"`, "x\u202ey": `"x\u202ey"`, "é": `"é"`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"weather": "weather", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "$(rm -rf ~)": "'$(rm -rf ~)'",
		"-rf": "-- '-rf'", "a\nb": "'ab'", "/x/y.md": "/x/y.md",
	} {
		if got := ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

// A real shell takes whatever comes out for one word, with nothing visible lost.
func TestShellsTakeOneWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[-a-z '"$()\\;&|<>*?~#!{}]{0,12}`).Draw(t, "s")
		out, err := exec.CommandContext(t.Context(), sh, "-c", `n() { [ "$1" = -- ] && shift; printf '%s:%s' $# "$1"; }; n `+ShellWord(s)).Output()
		if err != nil || string(out) != "1:"+s {
			t.Fatalf("%q: the shell saw %q (%v)", s, out, err)
		}
	})
}

func TestNothingInvisibleIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		for _, out := range []string{Name(s), Quote(s), ShellWord(s)} {
			if strings.ContainsFunc(out, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Fatalf("%q became %q", s, out)
			}
		}
	})
}
