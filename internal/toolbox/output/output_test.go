package output

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

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

var cleaned = []struct{ name, in, want string }{
	{"plain", "a\tb\nc é 漢 😀", "a\tb\nc é 漢 😀"},
	{"empty", "", ""},
	{"colour", "\x1b[1;31mred\x1b[0m.", "red."},
	{"cursor and private modes", "a\x1b[?25l\x1b[2J\x1b[H\x1b[ qb", "ab"},
	{"title", "\x1b]0;evil\abody", "body"},
	{"title ended by ST", "\x1b]0;evil\x1b\\body", "body"},
	{"title ended by one character", "\x1b]0;evil\u009cbody", "body"},
	{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\.", "text."},
	{"device control", "\x1bP1;2|data\x1b\\x", "x"},
	{"privacy, application, start of string", "\x1b^a\x1b\\\x1b_b\x1b\\\x1bXc\x1b\\d", "d"},
	{"character set", "\x1b(Ba\x1b)0b", "ab"},
	{"two characters", "\x1b7a\x1b8b\x1bcc", "abc"},
	{"string without an end", "\x1b]0;lost\nkept", "\nkept"},
	{"string cancelled", "\x1b]0;lost\x18kept\x1b]0;\x1akept", "keptkept"},
	{"string in a string", "\x1b]0;a\x1b]0;b\ac", "c"},
	{"sequence in a string", "\x1b]0;a\x1b[1mc", "c"},
	{"sequence without an end", "\x1b[12é", "é"},
	{"sequence broken by a line", "\x1b[1\nx", "\nx"},
	{"escape at the end", "a\x1b", "a"},
	{"escapes in a row", "\x1b\x1b\x1b[1ma", "a"},
	{"select with a parameter", "\x1b(1mx", "mx"},
	{"C1 only goes", "\u009b31m\u0090a\u0085b", "31mab"},
	{"C0 and DEL", "a\x00\a\b\v\f\x7fb", "ab"},
	{"line ends", "a\r\nb\rc\n\nd\r\r\n", "a\nb\nc\n\nd\n\n"},
	{"progress", "10%\r20%\r", "10%\n20%\n"},
	{"not UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	{"run of not UTF-8", "a\xff\xfe\xfdb", "a\ufffdb"},
	{"C1 as a byte", "a\x9b1m", "a\ufffd1m"},
	{"cut character", "\xf0\x9f\x98", "\ufffd"},
	{"surrogate", "\xed\xa0\x80x", "\ufffdx"},
	{"the character itself", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
}

func TestClean(t *testing.T) {
	for _, c := range cleaned {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// However a stream is split, the same comes out.
func TestBufferTakesPieces(t *testing.T) {
	for _, c := range cleaned {
		for at := range len(c.in) + 1 {
			var b Buffer
			for _, piece := range []string{c.in[:at], "", c.in[at:]} {
				if n, err := b.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := b.String(); got != c.want || b.Cut() {
				t.Errorf("%s split at %d: %q, want %q", c.name, at, got, c.want)
			}
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
		cut   bool
	}{
		{"0123456789", 10, "0123456789", false},
		{"0123456789a", 10, "01234\n[… 1 bytes left out …]\n6789a", true},
		{"0123\n56789a", 10, "0123\n[… 1 bytes left out …]\n6789a", true},
		{"ééééé", 10, "ééééé", false},
		{"éééééé", 10, "éé\n[… 2 bytes left out …]\nééé", true},
		{"😀😀", 7, "[… 4 bytes left out …]\n😀", true},
		{"😀😀", 3, "[… 8 bytes left out …]\n", true},
		{"ab", 1, "[… 1 bytes left out …]\nb", true},
		{strings.Repeat("\x1b[1m", 100) + "ab", 2, "ab", false},
	} {
		got, cut := Cut(c.in, c.limit)
		if got != c.want || cut != c.cut {
			t.Errorf("%q to %d: %q, %v", c.in, c.limit, got, cut)
		}
	}
}

func TestDefaultLimit(t *testing.T) {
	var b Buffer
	fmt.Fprint(&b, strings.Repeat("x", DefaultLimit))
	if b.Cut() {
		t.Error("cut at the limit")
	}
	fmt.Fprint(&b, "x")
	if !b.Cut() {
		t.Error("not cut beyond it")
	}
}

// What is read in between changes nothing.
func TestReadingLeavesTheStream(t *testing.T) {
	b := Buffer{Limit: 8}
	var seen []string
	for _, piece := range []string{"a\xf0\x9f", "\x98\x80", "\x1b[", "1mb"} {
		fmt.Fprint(&b, piece)
		seen = append(seen, b.String())
	}
	if diff := cmp.Diff([]string{"a\ufffd", "a😀", "a😀", "a😀b"}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	b := Buffer{Limit: 1000}
	for range 1000 {
		fmt.Fprint(&b, strings.Repeat("é漢\x1b]0;x", 100))
		if got := cap(b.kept.head) + cap(b.kept.tail); got > 4000 { // twice, and what append takes ahead
			t.Fatalf("%d bytes are held for 1000", got)
		}
	}
}

func TestManyWriters(t *testing.T) {
	b := Buffer{Limit: 100}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				fmt.Fprintln(&b, "line")
				_ = b.String()
			}
		})
	}
	all.Wait()
	if want := fmt.Sprintf("[… %d bytes left out …]", 4*100*5-100); !strings.Contains(b.String(), want) {
		t.Errorf("%q lacks %q", b.String(), want)
	}
}

// Cutting at any limit keeps whole characters, no more than the limit beside the
// notice, a beginning and an end of the text, and counts what is missing.
func TestCutKeepsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := Clean(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "漢", "😀", "\n", "\xff", "xyz"}), 0, 60).Draw(t, "text"), ""))
		limit := rapid.IntRange(1, 90).Draw(t, "limit")
		got, cut := Cut(text, limit)
		if !utf8.ValidString(got) || cut != (len(text) > limit) {
			t.Fatalf("%q, cut %v", got, cut)
		}
		if !cut {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		before, rest, ok := strings.Cut(got, "[… ")
		var missing int
		if n, _ := fmt.Sscanf(rest, "%d", &missing); n != 1 || !ok {
			t.Fatalf("%q has no notice", got)
		}
		_, after, _ := strings.Cut(rest, "left out …]\n")
		head := before
		if !strings.HasPrefix(text, head) {
			head = strings.TrimSuffix(head, "\n")
		}
		if len(text)-len(head)-len(after) != missing { // the line's own end may look like the text's
			head = strings.TrimSuffix(head, "\n")
		}
		switch {
		case !strings.HasPrefix(text, head) || !strings.HasSuffix(text, after) || strings.ContainsRune(head+after, '…'):
			t.Fatalf("%q to %d: head %q, tail %q", text, limit, head, after)
		case len(head)+len(after) > limit || len(head)+len(after)+missing != len(text):
			t.Fatalf("%q to %d: %d and %d bytes, %d missing", text, limit, len(head), len(after), missing)
		case len(head)+len(after) < limit-2*utf8.UTFMax:
			t.Fatalf("%q to %d: only %d and %d bytes", text, limit, len(head), len(after))
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, c := range cleaned {
		f.Add(c.in, 7)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := Clean(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r <= 0x9f) }) {
			t.Fatalf("%q became %q", text, got)
		}
		if again := Clean(got); again != got {
			t.Fatalf("%q is not clean: %q", got, again)
		}
		if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r <= 0x9f) }) {
			if want := strings.ToValidUTF8(text, "\ufffd"); got != want {
				t.Fatalf("%q became %q, want %q", text, got, want)
			}
		}
		if limit < 1 || limit > 1<<16 {
			return
		}
		cut, did := Cut(text, limit)
		if !utf8.ValidString(cut) || did != (len(got) > limit) || len(cut) > limit+len("\n[…  bytes left out …]\n")+20 {
			t.Fatalf("%q to %d: %q", text, limit, cut)
		}
	})
}
