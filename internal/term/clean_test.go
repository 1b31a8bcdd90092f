package term

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/knackhq/knack/skill"
)

var cleanCases = []struct {
	name, in, want, lines string // lines is what CleanLines gives; "=" is want
}{
	{"plain", "weather", "weather", "="},
	{"empty", "", "", "="},
	{"accents and ideographs", "Zürich 天气 نص", "Zürich 天气 نص", "="},
	{"colour", "a\x1b[31mred\x1b[0m", "ared", "="},
	{"cursor and erase", "a\x1b[2J\x1b[1;1Hb", "ab", "="},
	{"private CSI", "\x1b[?25lx", "x", "="},
	{"title by OSC and BEL", "\x1b]0;evil\x07ok", "ok", "="},
	{"link by OSC and ST", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text", "="},
	{"DCS", "\x1bPq#0\x1b\\ok", "ok", "="},
	{"OSC never closed shows its content", "\x1b]0;evil", "0;evil", "="},
	{"CSI never closed", "\x1b[31", "31", "="},
	{"charset and single escapes", "\x1b(Ba\x1bcb\x1b7c", "abc", "="},
	{"escape at the end", "a\x1b", "a", "="},
	{"escape before a wide character", "\x1b天", "天", "="},
	{"CSI of C1", "a\u009b31mb", "ab", "="},
	{"OSC of C1", "a\u009d0;evil\u009cb", "ab", "="},
	{"raw C1 bytes are no UTF-8", "a\x9b31mb", "a\ufffd31mb", "="},
	{"nested", "\x1b[\x1b[31mx", "x", "="},
	{"bell, backspace, NUL, DEL", "a\a\b\x00\x7fb", "ab", "="},
	{"tab", "a\tb", "a b", "a\tb"},
	{"newline", "a\nb", "a b", "a\nb"},
	{"white space around a break", "a  \n\n   b", "a  b", "a  \n\n   b"},
	{"break at the ends", "\na\n", "a", "\na\n"},
	{"CRLF", "a\r\nb\r\n", "a b", "a\nb\n"},
	{"lone CR cannot overwrite", "good\rbad", "good bad", "good\nbad"},
	{"vertical tab, form feed, NEL, separators", "a\vb\fc\u0085d\u2028e\u2029f", "a b c d e f", "a\nb\nc\nd\ne\nf"},
	{"bidi override", "txt\u202eexe", "txt\ufffdexe", "="},
	{"bidi isolates", "\u2066a\u2067b\u2068c\u2069", "\ufffda\ufffdb\ufffdc\ufffd", "="},
	{"marks of direction", "a\u200eb\u200fc\u061cd", "abcd", "="},
	{"zero width space, word joiner, BOM, soft hyphen", "\ufeffa\u200bb\u2060c\u00add", "abcd", "="},
	{"joiner in a Latin name", "wea\u200dther", "weather", "="},
	{"joiners where scripts need them", "می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻", "="},
	{"joiners in a row", "👩\u200d\u200d\u200d", "👩\u200d", "="},
	{"emoji style", "🌦\ufe0f\ufe0f", "🌦\ufe0f", "="},
	{"text hidden in tags", "a\U000e0068\U000e0069b", "ab", "="},
	{"text hidden in variation selectors", "a\ufe01\U000e0100\U000e0101b", "ab", "="},
	{"fillers", "a\u3164\u115f\u2800b", "ab", "="},
	{"invalid UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb", "="},
}

func TestClean(t *testing.T) {
	for _, c := range cleanCases {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
			want := c.lines
			if want == "=" {
				want = c.want
			}
			if got := CleanLines(c.in); got != want {
				t.Errorf("CleanLines(%q) = %q, want %q", c.in, got, want)
			}
		})
	}
}

func TestText(t *testing.T) {
	text := skill.NewText("one\x1b[2J\ntwo")
	if got := Text(text); got != "one two" {
		t.Errorf("Text = %q", got)
	}
	if got := Lines(text); got != "one\ntwo" {
		t.Errorf("Lines = %q", got)
	}
}

func TestCellsKeepOurStylesOnly(t *testing.T) {
	in := styleGood + "ok" + styleReset + "\x1b[41mloud\x1b[0;5m\x1b]0;t\x07"
	want := styleGood + "ok" + styleReset + "loud"
	if got := cleanCell(in); got != want {
		t.Errorf("cleanCell = %q, want %q", got, want)
	}
}

// forbidden finds a character that a terminal obeys or hides.
func forbidden(s string, allowed string) (rune, bool) {
	for _, r := range s {
		switch {
		case strings.ContainsRune(allowed, r) || r == zwj || r == zwnj:
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Bidi_Control, r),
			r == '\u2028', r == '\u2029':
			return r, true
		}
	}
	return 0, false
}

func FuzzClean(f *testing.F) {
	for _, c := range cleanCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, c := range map[string]struct {
			clean   func(string) string
			allowed string
		}{"Clean": {Clean, ""}, "CleanLines": {CleanLines, "\n\t"}} {
			got := c.clean(s)
			if r, bad := forbidden(got, c.allowed); bad {
				t.Errorf("%s(%q) = %q holds %U", name, s, got, r)
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q is no UTF-8", name, s, got)
			}
			if again := c.clean(got); again != got {
				t.Errorf("%s is not stable: %q, then %q", name, got, again)
			}
		}
	})
}
