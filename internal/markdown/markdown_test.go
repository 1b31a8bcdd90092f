package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// marked shows lines with the styles that a reader would see.
func marked(lines []Line) string {
	names := []struct {
		style Style
		name  string
	}{{Strong, "b"}, {Emphasis, "i"}, {Strike, "s"}, {Code, "c"}, {Heading, "h"}, {Link, "l"}, {Address, "a"}, {Frame, "f"}, {Quote, "q"}}
	var b strings.Builder
	for _, l := range lines {
		for _, s := range l {
			tag := ""
			for _, n := range names {
				if s.Style&n.style != 0 {
					tag += n.name
				}
			}
			if tag == "" {
				b.WriteString(s.Text)
			} else {
				b.WriteString("{" + tag + ":" + s.Text + "}")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func textOf(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text() + "\n")
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, source := range sources {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for suffix, got := range map[string]string{
			".styled": marked(Render(string(data), 60, true)),
			".narrow": textOf(Render(string(data), 24, true)),
			".bare":   textOf(Render(string(data), 60, false)),
		} {
			name := strings.TrimSuffix(source, ".md") + suffix
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"only blank lines", "\n\n \n", ""},
		{"paragraphs", "one\ntwo\n\nthree", "one two\n\nthree\n"},
		{"hard break", "one\\\ntwo", "one\ntwo\n"},
		{"emphasis", "a *b* **c** ~~d~~ `e  f`", "a {i:b} {b:c} {s:d} {c:e f}\n"},
		{"heading ends a paragraph", "text\n## Next\nmore", "text\n\n{h:## }{h:Next}\n\nmore\n"},
		{"link", "[docs](http://a.com/b?c)", "{l:docs}\n{a:(http://a.com/b?c)}\n"},
		{"link that is its own text", "<https://example.com>", "{l:https://example.com}\n"},
		{"image", "![a cat](cat.png)", "{l:a cat} {a:(cat.png)}\n"},
		{"a definition is not lost", "[1]: http://a.com\n", "[1]: http://a.com\n"},
		{"entities", "&lt;b&gt; &amp; &copy; \\*", "<b> & © *\n"},
		{"an entity cannot bring an escape", "a&#27;[31mb &#x9b;2J", "a[31mb\n"},
		{"escapes", "a\x1b[31mred\x1b[0m \x1b]52;c;aGk=\x07 \u009b2Jb", "ared b\n"},
		{"html", "<b>bold</b> and <script>", "<b>bold</b> and\n<script>\n"},
		{"html block", "<div>\nx\n</div>", "<div>\nx\n</div>\n"},
		{"task list", "- [x] done\n- [ ] open", "• [x] done\n• [ ] open\n"},
		{"loose list", "1. a\n\n2. b", "1. a\n\n2. b\n"},
		{"list with code", "- a\n\n  ```\n  x\n  ```\n- b", "• a\n\n  {f:╭─────────────────}\n  {f:│ }{c:x}\n  {f:╰─────────────────}\n\n• b\n"},
		{"code keeps spaces and tabs", "```go\n\tif  x {\n```", "{f:╭─ go ──────────────}\n{f:│ }{c:    if  x {}\n{f:╰───────────────────}\n"},
		{"code that never ends", "~~~\nx\n```\ny", "{f:╭───────────────────}\n{f:│ }{c:x}\n{f:│ }{c:```}\n{f:│ }{c:y}\n{f:╰───────────────────}\n"},
		{"empty code", "```\n```", "{f:╭───────────────────}\n{f:╰───────────────────}\n"},
		{"indented code with a gap", "    a\n\n    b", "{f:╭───────────────────}\n{f:│ }{c:a}\n{f:│ }{c:}\n{f:│ }{c:b}\n{f:╰───────────────────}\n"},
		{"ideographs break anywhere", "天气预报天气预报天气预报", "天气预报天气预报天气\n预报\n"},
		{"emoji are one character", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻\n👩‍💻\n"},
		{"a long word", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrst\nuvwxyz\n"},
		{"rule", "---", "{f:────────────────────}\n"},
		{"table", "a | b\n:-|-:\n`x\\|y` | **1**\nz", "{b:a}  {f: │ }{b:b}\n{f:────┼──}\n{c:x|y}{f: │ }{b:1}\nz  {f: │ } \n"},
		{"no table", "a | b\n-|-|-", "a | b -|-|-\n"},
		{"no table either", "a\n|x|", "a |x|\n"},
		{"a table that is too narrow", "|a|b|c|d|\n|-|-|-|-|\n|- x|2|3|4|\n|5|", "{b:a: }- x\n{b:b: }2\n{b:c: }3\n{b:d: }4\n\n{b:a: }5\n{b:b:}\n{b:c:}\n{b:d:}\n"},
		{"strike", "~a~ ~~b~~ ~~~c~~~ ~~d~", "{s:a} {s:b} ~~~c~~~ ~~d~\n"},
		{"windows line ends", "a\r\n\r\nb\r\n", "a\n\nb\n"},
		{"deep quotes are shown as they are", strings.Repeat(">", 40) + " x", strings.Repeat(">", 20) + "\n" + strings.Repeat(">", 20) + "\n x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, marked(Render(c.in, 20, true))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// However a text is cut into pieces, and whatever was looked at in between, the
// end is the same.
func TestStreamingChangesNothing(t *testing.T) {
	samples, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(samples), "\n")
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 1, 30).Draw(t, "lines"), "")
		width := rapid.IntRange(4, 80).Draw(t, "width")
		s := NewStream(true)
		for rest := source; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 40)).Draw(t, "n")
			s.Write(rest[:n])
			rest = rest[n:]
			settled := textOf(s.settled)
			s.Layout(width)
			if !strings.HasPrefix(textOf(s.settled), settled) {
				t.Fatalf("settled lines changed from\n%s\nto\n%s", settled, textOf(s.settled))
			}
			for i := range s.Len() {
				if w := s.Line(i).Width(); w > width {
					t.Fatalf("line %d is %d wide: %q", i, w, s.Line(i).Text())
				}
			}
		}
		s.Close()
		s.Layout(width)
		if diff := cmp.Diff(marked(Render(source, width, true)), marked(s.settled)); diff != "" {
			t.Fatalf("(-whole +streamed):\n%s", diff)
		}
	})
}

// A megabyte in small bites, looked at after each, reads every byte a bounded
// number of times: what is unfinished never grows beyond two pieces.
func TestUnfinishedStaysSmall(t *testing.T) {
	for name, unit := range map[string]string{
		"prose": "some words and more words\n", "one line": "words ", "code": "    x := 1\n", "list": "- item\n  more\n",
		"no space": "天气", "quote": "> x\n",
	} {
		for _, start := range []string{"", "```\n"} {
			s := NewStream(true)
			s.Write(start)
			for i := range 64 << 10 / len(unit) {
				s.Write(unit)
				if i%32 != 0 {
					continue
				}
				if p, _ := s.split.unfinished(); len(p.text) > 3*pieceBytes {
					t.Fatalf("%s: %d bytes are unfinished", name, len(p.text))
				}
			}
		}
	}
}

func TestNothingIsLostAtCuts(t *testing.T) {
	for _, start := range []string{"", "```\n"} {
		var b strings.Builder
		for i := range 20000 {
			b.WriteString(strings.Repeat("x", i%7+1))
			b.WriteString(" 天")
			if i%50 == 0 {
				b.WriteString("\n")
			}
		}
		got := textOf(Render(start+b.String(), 40, false))
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(got) != squeeze(b.String()) {
			t.Errorf("%q: text was lost or added", start)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"# a\n\n- b\n  1. c\n\n> d\n\n| a | b |\n|---|:-:|\n| 1 | 天 |\n\n```go\nx\n```\n[a](b) ![c](d) <e@f.g> &#27; \x1b]52;c;x\x07",
		strings.Repeat("[", 500), strings.Repeat("*a **b ", 100), strings.Repeat("> ", 100), strings.Repeat("- ", 100),
		"|a|\n|-|\n" + strings.Repeat("|", 200), "e\u0301*\u0301*", "\u0600*x*", "[\u200d](\u009b)",
	} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = minWidth + width&127
		for _, frames := range []bool{true, false} {
			for _, l := range Render(source, width, frames) {
				if w := l.Width(); w > width {
					t.Errorf("%q at %d: line %q is %d wide", source, width, l.Text(), w)
				}
				for _, r := range l.Text() {
					if unicode.IsControl(r) {
						t.Errorf("%q: %q holds %U", source, l.Text(), r)
					}
				}
			}
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"brackets": "[", "links": "[a](", "stars": "*a ", "mixed": "*a _b ", "ticks": "`a ``", "angle": "<a ", "quotes": "> ", "lists": "- ", "pipes": "|a|\n|-|\n",
		"entities": "&#", "prose": "some *emphasised* words and `code` with [links](https://example.com). ", "refs": "[a]: b\n", "nested": "  - x\n", "bang": "![",
		"sparse brackets": "[abcdef ", "sparse stars": "*abcdefgh ", "sparse under": "_abcdef ** ", "table": "|a|b|c|d|e|f|g\n|-|-|-|-|-|-|-\n",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(unit, (1<<20)/len(unit))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Render(text, 80, true)
			}
		})
	}
}
