package json5

import (
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads a string in single or double quotes.
func (p *parser) quoted() (string, error) {
	opened := p.here()
	quote := p.text[p.pos]
	p.pos++
	begin := p.pos
	// Most strings are a part of the text and need no copy.
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == quote {
			p.pos++
			return p.text[begin : p.pos-1], nil
		}
		if c == '\\' || c == '\n' || c == '\r' {
			break
		}
		if c < utf8.RuneSelf {
			p.pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(p.text[p.pos:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		p.wide(size)
	}
	return p.decode(opened, quote, append(make([]byte, 0, p.pos-begin+16), p.text[begin:p.pos]...))
}

// decode reads on in a string that differs from its source text.
func (p *parser) decode(opened place, quote byte, out []byte) (string, error) {
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == quote:
			p.pos++
			return string(out), nil
		case c == '\\':
			var err error
			if out, err = p.escape(out); err != nil {
				return "", err
			}
		case c == '\n' || c == '\r':
			return "", opened.errorf("expected %c at the end of the string that starts here, found the end of the line", quote)
		case c < utf8.RuneSelf:
			out = append(out, c)
			p.pos++
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.pos:])
			out = utf8.AppendRune(out, r)
			p.wide(size)
		}
	}
	return "", opened.errorf("expected %c at the end of the string that starts here, found the end of the text", quote)
}

// escape reads a backslash and what follows.
func (p *parser) escape(out []byte) ([]byte, error) {
	p.pos++
	if p.pos == len(p.text) {
		return nil, p.expected("a character after '\\'")
	}
	c := p.text[p.pos]
	switch c {
	case '\n', '\r':
		p.newline()
		return out, nil
	case 'x':
		p.pos++
		r, err := p.hex(2)
		return utf8.AppendRune(out, r), err
	case 'u':
		p.pos++
		r, err := p.hex(4)
		if err == nil && utf16.IsSurrogate(r) {
			r = p.surrogate(r)
		}
		return utf8.AppendRune(out, r), err
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return nil, p.here().errorf("expected an escape, found '\\%c'; write \\x and two hexadecimal digits", c)
	}
	for _, e := range escapes {
		if e.name != c {
			continue
		}
		p.pos++
		if c == '0' && p.pos < len(p.text) && isDigit(p.text[p.pos]) {
			return nil, p.here().errorf("expected no digit after '\\0', found '%c'; write \\x00", p.text[p.pos])
		}
		return append(out, e.value), nil
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	p.wide(size)
	if r == '\u2028' || r == '\u2029' {
		return out, nil // the line goes on
	}
	return utf8.AppendRune(out, r), nil // any other character is itself
}

var escapes = [...]struct{ name, value byte }{
	{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'0', 0},
}

// hex reads a number of hexadecimal digits.
func (p *parser) hex(digits int) (rune, error) {
	var r rune
	for range digits {
		if p.pos == len(p.text) || !isHex(p.text[p.pos]) {
			return 0, p.expected("a hexadecimal digit")
		}
		c := rune(p.text[p.pos])
		if c <= '9' {
			c -= '0'
		} else {
			c = (c | 0x20) - 'a' + 10
		}
		r = r<<4 | c
		p.pos++
	}
	return r, nil
}

// surrogate completes a pair with the escape that follows. A half alone is
// U+FFFD.
func (p *parser) surrogate(high rune) rune {
	after := *p
	if len(p.text)-p.pos < len(`\u0000`) || p.text[p.pos] != '\\' || p.text[p.pos+1] != 'u' {
		return utf8.RuneError
	}
	after.pos += len(`\u`)
	low, err := after.hex(4)
	if err != nil {
		return utf8.RuneError
	}
	r := utf16.DecodeRune(high, low)
	if r != utf8.RuneError {
		*p = after
	}
	return r
}
