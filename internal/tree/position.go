package tree

import "unicode/utf8"

// position turns offsets into lines and columns. Asking for them in ascending
// order costs one pass over the text in all.
type position struct {
	data         []byte
	offset       int
	line, column int
}

// at returns the line and the column, in characters, of an offset.
func (p *position) at(offset int) (line, column int) {
	if offset < p.offset {
		p.offset, p.line, p.column = 0, 1, 1
	}
	for ; p.offset < offset; p.offset++ {
		switch c := p.data[p.offset]; {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case utf8.RuneStart(c):
			p.column++
		}
	}
	return p.line, p.column
}

// skip returns the offset of the next token of a TOML list or inline table:
// behind white space, line ends, comments and commas.
func (p *position) skip(offset int) int {
	for ; offset < len(p.data); offset++ {
		switch p.data[offset] {
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			for offset+1 < len(p.data) && p.data[offset+1] != '\n' {
				offset++
			}
		default:
			return offset
		}
	}
	return offset
}
