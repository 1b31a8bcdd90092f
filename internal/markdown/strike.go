package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// strikeLevel marks emphasis that is struck through; real levels start at 1.
const strikeLevel = 0

// strikeParser reads ~text~ and ~~text~~. The parser's own extension does too, but
// its package compiles more at every start of the program than all else here.
type strikeParser struct{}

func (strikeParser) Trigger() []byte { return []byte{'~'} }

func (p strikeParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, p)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

func (strikeParser) IsDelimiter(b byte) bool { return b == '~' }

func (strikeParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.OriginalLength == closer.OriginalLength
}

func (strikeParser) OnMatch(int) ast.Node { return ast.NewEmphasis(strikeLevel) }
