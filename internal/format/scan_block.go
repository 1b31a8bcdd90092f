package format

import (
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// block reads the text that stands below a key with "|" or ">" at an offset of
// its line. indent is the key's. It declines blocks that begin with a blank
// line, whose depth YAML has rules of its own for, and what looks like the
// marks of a merge, which nobody meant as text.
func (s *scanner) block(indent, at int) *tree.Node {
	sign := strings.TrimRight(s.row[at:], " ")
	if sign != "|" && sign != "|-" && sign != ">" && sign != ">-" {
		return nil
	}
	first, _ := lineAt(s.text, s.at)
	deep := len(first) - len(strings.TrimLeft(first, " "))
	if deep == len(first) || deep <= indent {
		return nil
	}
	n := s.node(tree.String, at+1)
	start := s.at
	lines := s.blockLines(deep)
	text := s.text[start:s.at]
	if text[len(text)-1] != '\n' || strings.Contains(text, "<<<<<<<") {
		return nil
	}
	switch {
	case lines == 1: // as it stands
		n.Text, _ = lineAt(text[deep:], 0)
		n.Text = text[deep : deep+len(n.Text)+1]
	case sign[0] == '|':
		n.Text = literal(text, deep)
	default:
		n.Text = folded(text, deep)
	}
	if len(sign) == 2 {
		n.Text = n.Text[:len(n.Text)-1] // without its last line end
	}
	s.advance()
	return n
}

// blockLines goes behind the lines that stand as deep as a block, and the blank
// ones among and behind them. It returns how many up to the last that is not
// blank.
func (s *scanner) blockLines(deep int) (lines int) {
	for n := 1; s.at < len(s.text); n++ {
		row, next := lineAt(s.text, s.at)
		blanks := len(row) - len(strings.TrimLeft(row, " "))
		switch {
		case len(row) > deep && blanks >= deep: // blanks beyond the depth are text
			lines = n
		case blanks < len(row):
			return lines
		}
		s.at = next
		s.line++
	}
	return lines
}

// literal removes the indentation of a block's lines, and the blank lines at
// its end.
func literal(text string, deep int) string {
	out := make([]byte, 0, len(text))
	end := 0 // of the last line that is not blank
	for at := 0; at < len(text); {
		row, next := lineAt(text, at)
		if at = next; len(row) > deep {
			out = append(out, row[deep:]...)
			out = append(out, '\n')
			end = len(out)
		} else {
			out = append(out, '\n')
		}
	}
	return string(out[:end])
}

// folded is literal with lines joined by a space, except where blank lines or
// deeper indentation keep them apart.
func folded(text string, deep int) string {
	out := make([]byte, 0, len(text))
	breaks := 0     // line ends since the last line that is not blank
	before := false // that line stood deeper
	for at := 0; at < len(text); {
		row, next := lineAt(text, at)
		at = next
		if len(row) <= deep {
			breaks++
			continue
		}
		deeper := row[deep] == ' '
		switch {
		case len(out) == 0: // the first line
		case before || deeper:
			breaks++
		case breaks == 0:
			out = append(out, ' ')
		}
		for ; breaks > 0; breaks-- {
			out = append(out, '\n')
		}
		out = append(out, row[deep:]...)
		before = deeper
	}
	return string(append(out, '\n'))
}
