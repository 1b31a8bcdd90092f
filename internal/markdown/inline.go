package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/knackhq/knack/internal/term"
)

// inline is the text in a block.
func (d *document) inline(n ast.Node, style Style) []Span {
	var out []Span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = d.appendInline(out, c, style)
	}
	return out
}

func (d *document) appendInline(out []Span, n ast.Node, style Style) []Span {
	switch n := n.(type) {
	case *ast.Text:
		text := n.Value(d.source)
		if !n.IsRaw() && style&Code == 0 {
			text = plain(text)
		}
		out = appendClean(out, text, style)
		switch {
		case n.HardLineBreak():
			out = append(out, Span{"\n", style})
		case n.SoftLineBreak():
			out = append(out, Span{" ", style})
		}
		return out
	case *ast.String:
		return appendClean(out, n.Value, style)
	case *ast.CodeSpan:
		style |= Code
	case *ast.Emphasis:
		switch n.Level {
		case strikeLevel:
			style |= Strike
		case 1:
			style |= Emphasis
		default:
			style |= Strong
		}
	case *ast.AutoLink:
		return appendClean(out, n.Label(d.source), style|Link)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			out = appendClean(out, segment.Value(d.source), style)
		}
		return out
	case *ast.Link:
		return d.appendLink(out, d.inline(n, style|Link), n.Destination, style)
	case *ast.Image:
		return d.appendLink(out, d.inline(n, style|Link), n.Destination, style)
	}
	return append(out, d.inline(n, style)...)
}

// appendLink shows a link as its text and where it leads, so that nobody has to
// follow it to find out.
func (d *document) appendLink(out, label []Span, destination []byte, style Style) []Span {
	url := strings.ReplaceAll(term.Clean(string(plain(destination))), " ", "%20")
	text := Line(label).Text()
	out = append(out, label...)
	switch {
	case url == "" || text == url || "mailto:"+text == url:
		return out
	case text != "":
		return append(out, Span{" ", style}, Span{"(" + url + ")", style | Address})
	}
	return append(out, Span{url, style | Address})
}

// plain resolves escapes and entities. It can make characters that were not in
// the source.
func plain(text []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text)))
}

func appendClean(out []Span, text []byte, style Style) []Span {
	if s := term.Clean(string(text)); s != "" {
		return append(out, Span{s, style})
	}
	return out
}
