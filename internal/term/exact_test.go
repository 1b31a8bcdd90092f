package term

import "testing"

func TestExact(t *testing.T) {
	for text, want := range map[string]string{
		"echo hi":                           "echo hi",
		"echo hi \x1b];rm -v x;echo \a# ok": `echo hi \x1b];rm -v x;echo \x07# ok`,
		"a\nb\tc":                           "a\nb\tc",
		"safe\u202egnp.exe":                 `safe\u{202e}gnp.exe`,
		"zero\u200bwidth":                   `zero\u{200b}width`,
		"\x9bc1 bytes":                      `\x9bc1 bytes`,
		"\u009bc1":                          `\u{9b}c1`,
		"real \ufffd":                       `real \u{fffd}`,
		"日本語 é":                             "日本語 é",
	} {
		if got := Exact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
