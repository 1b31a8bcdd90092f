package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/knackhq/knack/internal/term"
)

const (
	// maxDepth is how far quotes and lists may nest; more leaves no room on a line.
	maxDepth = 16
	// maxMarks is how many brackets, stars and the like one piece may hold. It is
	// one in four characters, where prose with many links has one in twenty.
	maxMarks = pieceBytes / 4
)

// reader makes lines of pieces.
type reader struct {
	parser parser.Parser
	cells  parser.Parser // of what is in a table: no blocks
	frames bool
}

func newReader(frames bool) *reader {
	inline := parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(strikeParser{}, 500))...)
	return &reader{
		frames: frames,
		parser: parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), inline,
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...)),
		cells: parser.NewParser(parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)), inline),
	}
}

// lines lays out one piece.
func (r *reader) lines(p piece, width int) []Line {
	if p.code {
		source := strings.Split(p.text, "\n")
		return r.code(source[:len(source)-1], p, width)
	}
	var lines []Line
	if !tooDense(p.text) {
		d := document{reader: r, source: []byte(p.text)}
		lines = d.blocks(r.parser.Parse(text.NewReader(d.source)), width, false)
	}
	if len(lines) == 0 && strings.TrimSpace(p.text) != "" {
		// What only defines something, or is no Markdown, is shown as it was written.
		for line := range strings.Lines(p.text) {
			lines = append(lines, foldLine(strings.TrimRight(line, "\n"), 0, width)...)
		}
	}
	return lines
}

// tooDense reports what parsers would spend their time on.
func tooDense(text string) bool {
	marks := 0
	for line := range strings.Lines(text) {
		if depth(line) > maxDepth {
			return true
		}
		for i := range len(line) {
			if strings.IndexByte("[]*_`~<&!", line[i]) >= 0 {
				marks++
			}
		}
	}
	return marks > maxMarks
}

// depth is how many quotes and lists a line may open, at most.
func depth(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case '>', '-', '+', '*', ')', '.':
			n++
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		case '\n':
			if strings.Trim(line, "-\n") == "" || strings.Trim(line, "*\n") == "" {
				return 0 // a rule
			}
		default:
			return n
		}
	}
	return n
}

// foldLine is text of one style, broken where it is too long.
func foldLine(text string, style Style, width int) []Line {
	var out []Line
	for _, l := range Fold(text, width) {
		out = append(out, Line{{l, style}})
	}
	return out
}

// code lays out a block of code: with its language and a frame, or bare.
func (r *reader) code(source []string, p piece, width int) []Line {
	var lines []Line
	body := func(width int) []Line {
		var out []Line
		for _, line := range source {
			out = append(out, foldLine(line, Code, width)...)
		}
		return out
	}
	if !r.frames {
		return body(width)
	}
	if !p.continues {
		top := "╭─"
		if name := term.Truncate(term.Clean(p.language), width/2); name != "" {
			top += " " + name + " "
		}
		lines = append(lines, frame(top, width))
	}
	bar := Span{"│ ", Frame}
	lines = append(lines, prefixed(bar, bar, width, body)...)
	if !p.cut {
		lines = append(lines, frame("╰─", width))
	}
	return lines
}

// frameWidth keeps frames from stretching over wide screens.
const frameWidth = 60

// frame is a line that starts as said.
func frame(start string, width int) Line {
	start = term.Truncate(start, width)
	n := min(width, frameWidth) - term.Width(start)
	return Line{{start + strings.Repeat("─", max(n, 0)), Frame}}
}

// document is a piece that is being laid out.
type document struct {
	*reader
	source []byte
}

// blocks lays out what is in a block, with an empty line between two unless they
// are tight.
func (d *document) blocks(parent ast.Node, width int, tight bool) []Line {
	var out []Line
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := d.block(n, width)
		if len(lines) > 0 && len(out) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

func (d *document) block(n ast.Node, width int) []Line {
	switch n := n.(type) {
	case *ast.Heading:
		mark := Span{strings.Repeat("#", n.Level) + " ", Heading}
		return prefixed(mark, Span{strings.Repeat(" ", n.Level+1), 0}, width, func(width int) []Line {
			return wrap(d.inline(n, Heading), width)
		})
	case *ast.ThematicBreak:
		return []Line{frame("", width)}
	case *ast.FencedCodeBlock:
		return d.code(d.linesOf(n), piece{language: string(n.Language(d.source))}, width)
	case *ast.CodeBlock:
		return d.code(d.linesOf(n), piece{}, width)
	case *ast.HTMLBlock, *ast.LinkReferenceDefinition:
		var out []Line
		for _, line := range d.linesOf(n) {
			out = append(out, foldLine(line, 0, width)...)
		}
		return out
	case *ast.Blockquote:
		bar := Span{"│ ", Frame}
		if !d.frames {
			bar.Text = "> "
		}
		return prefixed(bar, bar, width, func(width int) []Line { return restyle(d.blocks(n, width, false), Quote) })
	case *ast.List:
		return d.list(n, width)
	case *ast.Paragraph:
		if t, ok := readTable(d.linesOf(n)); ok {
			return d.table(t, width)
		}
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return d.blocks(n, width, false)
	}
	return wrap(d.inline(n, 0), width)
}

// linesOf are the lines of a block that holds no other Markdown.
func (d *document) linesOf(n ast.Node) []string {
	var out []string
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		out = append(out, term.CleanLines(strings.TrimRight(string(segment.Value(d.source)), "\n")))
	}
	return out
}

func restyle(lines []Line, style Style) []Line {
	for _, l := range lines {
		for i := range l {
			l[i].Style |= style
		}
	}
	return lines
}

func (d *document) list(list *ast.List, width int) []Line {
	var out []Line
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		rest := strings.Repeat(" ", term.Width(mark))
		lines := prefixed(Span{mark, 0}, Span{rest, 0}, width, func(width int) []Line {
			if lines := d.blocks(item, width, list.IsTight); len(lines) > 0 {
				return lines
			}
			return []Line{nil}
		})
		if len(out) > 0 && !list.IsTight {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}
