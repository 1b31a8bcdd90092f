package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"":                                     0,
		"abc":                                  3,
		"天气":                                   4,
		"e\u0301":                              1,
		"👩\u200d💻":                             2,
		"🇩🇪":                                   2,
		"✓ ·…":                                 4,
		styleBad + "bad" + styleReset:          3,
		styleTitle + "天" + styleReset + "\x1b": 2,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"weather", 7, "weather"},
		{"weather", 6, "weath…"},
		{"weather", 1, "…"},
		{"weather", 0, ""},
		{"weather", -3, ""},
		{"天气预报", 8, "天气预报"},
		{"天气预报", 7, "天气预…"},
		{"天气预报", 6, "天气…"}, // an ideograph is not cut in half
		{"👩\u200d💻👩\u200d💻", 3, "👩\u200d💻…"},
		{styleBad + "failed" + styleReset + " x", 4, styleBad + "fai…" + styleReset},
		{styleBad + "no" + styleReset + " way", 4, styleBad + "no" + styleReset + " …"},
	} {
		if got := Truncate(c.in, c.width); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("weather", 4)
	f.Add("天气预报 👩\u200d💻", 5)
	f.Add(styleBad+"e\u0301e\u0301\u0600x"+styleReset, 2)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = cleanCell(s)
		got := Truncate(s, width)
		if w := Width(got); w > max(width, 0) {
			t.Errorf("Truncate(%q, %d) = %q is %d wide", s, width, got, w)
		}
		if width > 0 && Width(s) <= width && got != s {
			t.Errorf("Truncate(%q, %d) = %q though it fits", s, width, got)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name          string
		in            string
		width, indent int
		want          string
	}{
		{"fits", "one two", 10, 0, "one two"},
		{"breaks at spaces", "one two three four", 9, 0, "one two\nthree\nfour"},
		{"hangs", "one two three", 9, 2, "one two\n  three"},
		{"keeps breaks", "one\n\ntwo", 9, 2, "one\n  \n  two"},
		{"breaks long words", "abcdefghij k", 4, 0, "abcd\nefgh\nij k"},
		{"ideographs", "天气预报", 5, 0, "天气\n预报"},
		{"narrower than a character", "天a", 1, 0, "天\na"},
		{"no width", "one two three", 0, 2, "one two three"},
		{"code that fits", "  a   b", 10, 0, "  a   b"},
		{"an indented line hangs", "  one two three", 8, 0, "  one\n  two\n  three"},
		{"tab", "a\tb", 10, 0, "a    b"},
		{"only spaces", "     ", 2, 0, ""},
		{"style across the break", styleBad + "abcdef" + styleReset, 3, 0, styleBad + "abc\ndef" + styleReset},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Wrap(c.in, c.width, c.indent)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two three", 8, 2)
	f.Add("天气预报 abc", 3, 0)
	f.Add("000螞\U00011940", 5, 3)
	f.Fuzz(func(t *testing.T, s string, width, indent int) {
		s = CleanLines(s)
		width, indent = width&127, indent&31
		got := Wrap(s, width, indent)
		if width == 0 {
			return
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(got) != squeeze(s) {
			t.Errorf("Wrap(%q, %d, %d) = %q loses text", s, width, indent, got)
		}
		for i, line := range strings.Split(got, "\n") {
			text, room := strings.TrimSpace(line), width
			if i == 0 {
				room -= indent
			}
			// A character is never split, and marks can make one as wide as they
			// like; such a one stands alone on its line.
			if Width(line) > max(room, 1+indent) && text != "" && breakWord(text, 1) < len(text) {
				t.Errorf("Wrap(%q, %d, %d): line %q is %d wide", s, width, indent, line, Width(line))
			}
		}
	})
}
