package tree

import "bytes"

// foresee refuses a document that is sure to pass its limits. The library
// makes a tree of a whole expression before anybody sees a part of it, and a
// value of one byte costs it a hundred: one list could take a hundred times the
// document's size. In front of each comma stands a value, and each dot of a key
// is a level; neither needs more than a look at the text.
func (r *tomlReader) foresee() error {
	data := r.text.data
	if bytes.Count(data, []byte{','}) <= r.budget.nodes && bytes.Count(data, []byte{'.'}) <= r.maxDepth {
		return nil // as nearly always
	}
	commas, dots := 0, 0 // dots since the last sign that ends a key
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case ',':
			commas, dots = commas+1, 0
		case '.':
			dots++
		case '=', '[', '{', '\n':
			dots = 0
		case '#':
			at += lineLength(data[at:]) - 1
		case '"', '\'':
			at += quotedLength(data[at:]) - 1
		}
		switch {
		case commas > r.budget.nodes:
			line, column := r.text.at(at)
			return tooMany(line, column)
		case dots > r.maxDepth:
			line, column := r.text.at(at)
			return tooDeep(line, column)
		}
	}
	return nil
}

// lineLength is how far the line goes, without its end.
func lineLength(data []byte) int {
	if n := bytes.IndexByte(data, '\n'); n >= 0 {
		return n
	}
	return len(data)
}

// quotedLength is how long the string is that data starts with, quotes
// included. One that is not closed goes to the end of its line, or of the text
// if it may have several; what stands behind it then decides nothing, because
// the document is not valid.
func quotedLength(data []byte) int {
	quote := data[0]
	mark := data[:1]
	if len(data) >= 3 && data[1] == quote && data[2] == quote {
		mark = data[:3]
	}
	for at := len(mark); at < len(data); at++ {
		switch {
		case data[at] == '\n' && len(mark) == 1:
			return at
		case data[at] == '\\' && quote == '"' && at+1 < len(data) && data[at+1] != '\n':
			at++
		case bytes.HasPrefix(data[at:], mark):
			at += len(mark)
			// Quotes right in front of the closing three belong to the text.
			for more := 1; more < len(mark) && at < len(data) && data[at] == quote; more++ {
				at++
			}
			return at
		}
	}
	return len(data)
}
