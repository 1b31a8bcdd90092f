package edit

import "bytes"

// scanTOML splits a document of TOML that is known to be valid, in the same
// kinds of parts as one of JSON5.
func scanTOML(doc []byte) tokens {
	d := tokens{doc: doc}
	for at := 0; at < len(doc); {
		t := token{start: at}
		t.kind, t.end = nextTOMLToken(doc, at)
		d.all = append(d.all, t)
		at = t.end
	}
	return d
}

// nextTOMLToken returns the kind and the end of the token at an offset.
func nextTOMLToken(doc []byte, at int) (tokenKind, int) {
	const marks = "[]{}=,"
	switch c := doc[at]; {
	case c == '\n':
		return newlineToken, at + 1
	case c == '\r' && at+1 < len(doc) && doc[at+1] == '\n':
		return newlineToken, at + 2
	case c == ' ' || c == '\t':
		return blankToken, skipBlank(doc, at)
	case c == '#':
		end := at
		for end < len(doc) && doc[end] != '\n' {
			end++
		}
		if end < len(doc) && doc[end-1] == '\r' {
			end--
		}
		return commentToken, end
	case bytes.IndexByte([]byte(marks), c) >= 0:
		return markToken, at + 1
	case c == '"' || c == '\'':
		return scalarToken, tomlStringEnd(doc, at)
	}
	end := at + 1
	for end < len(doc) && bytes.IndexByte([]byte(marks+" \t\r\n#\"'"), doc[end]) < 0 {
		end++
	}
	return scalarToken, end
}

// tomlStringEnd returns the end of the string at an offset. One of several
// lines may end in five quotes, of which two are its own.
func tomlStringEnd(doc []byte, at int) int {
	quote := doc[at]
	closing := bytes.Repeat([]byte{quote}, 3)
	long := bytes.HasPrefix(doc[at:], closing)
	if long {
		at += len(closing)
	} else {
		at, closing = at+1, closing[:1]
	}
	for at < len(doc) && !bytes.HasPrefix(doc[at:], closing) {
		if doc[at] == '\\' && quote == '"' {
			at++
		}
		at++
	}
	end := min(at+len(closing), len(doc))
	for extra := 0; long && extra < 2 && end < len(doc) && doc[end] == quote; extra++ {
		end++
	}
	return end
}
