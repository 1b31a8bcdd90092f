package json5

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// space goes behind white space and comments.
func (p *parser) space() error {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			p.pos++
		case c == '\n' || c == '\r':
			p.newline()
		case c == '/':
			if err := p.comment(); err != nil {
				return err
			}
		case c < utf8.RuneSelf:
			return nil
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.pos:])
			if !isSpace(r) {
				return nil
			}
			p.wide(size)
		}
	}
	return nil
}

// newline goes behind a line end: LF, CR or both.
func (p *parser) newline() {
	if strings.HasPrefix(p.text[p.pos:], "\r\n") {
		p.pos++
	}
	p.pos++
	p.line++
	p.start = p.pos
}

// wide goes behind a character of several bytes.
func (p *parser) wide(size int) {
	p.pos += size
	p.start += size - 1
}

// comment goes behind a comment.
func (p *parser) comment() error {
	switch rest := p.text[p.pos:]; {
	case strings.HasPrefix(rest, "//"):
		for p.pos < len(p.text) {
			switch c := p.text[p.pos]; {
			case c == '\n' || c == '\r':
				return nil // the line end is white space
			case c < utf8.RuneSelf:
				p.pos++
			default:
				r, size := utf8.DecodeRuneInString(p.text[p.pos:])
				p.wide(size)
				if r == '\u2028' || r == '\u2029' {
					return nil
				}
			}
		}
		return nil
	case strings.HasPrefix(rest, "/*"):
		opened := p.here()
		p.pos += len("/*")
		for p.pos < len(p.text) {
			switch c := p.text[p.pos]; {
			case c == '*' && strings.HasPrefix(p.text[p.pos:], "*/"):
				p.pos += len("*/")
				return nil
			case c == '\n' || c == '\r':
				p.newline()
			case c < utf8.RuneSelf:
				p.pos++
			default:
				_, size := utf8.DecodeRuneInString(p.text[p.pos:])
				p.wide(size)
			}
		}
		return opened.errorf("expected */ at the end of the comment that starts here, found the end of the text")
	}
	p.pos++
	return p.expected("'/' or '*' to start a comment")
}

func isSpace(r rune) bool {
	return r == '\ufeff' || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Zs, r)
}

// identifier reads a key without quotes.
func (p *parser) identifier() (string, error) {
	begin := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if !isASCIIPart(c) || isDigit(c) && p.pos == begin {
			break
		}
		p.pos++
	}
	if p.pos > begin && (p.pos == len(p.text) || p.text[p.pos] < utf8.RuneSelf && p.text[p.pos] != '\\') {
		return p.text[begin:p.pos], nil
	}
	// Other letters and escapes are rare; they are collected one by one.
	key := []byte(p.text[begin:p.pos])
	for p.pos < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.pos:])
		escaped := r == '\\'
		if escaped {
			before := p.here()
			p.pos++
			if !p.at('u') {
				return "", p.expected("'u' after '\\' in a key")
			}
			p.pos++
			var err error
			if r, err = p.hex(4); err != nil {
				return "", err
			}
			if !isIdentifierPart(r) || len(key) == 0 && !isIdentifierStart(r) {
				return "", before.errorf("the escaped character cannot be part of a key; quote the key")
			}
		} else if !isIdentifierPart(r) || len(key) == 0 && !isIdentifierStart(r) {
			break
		} else {
			p.wide(size)
		}
		key = utf8.AppendRune(key, r)
	}
	if len(key) == 0 {
		return "", p.expected("a key or '}'")
	}
	return string(key), nil
}

func isASCIIPart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || isDigit(c)
}

func isIdentifierStart(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIPart(byte(r)) && !isDigit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
}

func isIdentifierPart(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIPart(byte(r))
	}
	return isIdentifierStart(r) || r == '\u200c' || r == '\u200d' ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}

// continuesIdentifier reports whether a word that ends before rest goes on.
func continuesIdentifier(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && (isIdentifierPart(r) || r == '\\')
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number reads a number and returns it as it is written.
func (p *parser) number() (string, error) {
	begin := p.pos
	if p.at('+') || p.at('-') {
		p.pos++
	}
	switch {
	case p.word("Infinity"):
		p.pos += len("Infinity")
	case p.word("NaN"):
		p.pos += len("NaN")
	case p.at('0') && p.pos+1 < len(p.text) && p.text[p.pos+1]|0x20 == 'x':
		p.pos += len("0x")
		if p.digits(isHex) == 0 {
			return "", p.expected("a hexadecimal digit")
		}
	default:
		if err := p.decimal(); err != nil {
			return "", err
		}
	}
	if continuesIdentifier(p.text[p.pos:]) {
		return "", p.expected("the end of the number")
	}
	return p.text[begin:p.pos], nil
}

// decimal reads digits with a fraction and an exponent.
func (p *parser) decimal() error {
	zero := p.at('0')
	whole := p.digits(isDigit)
	if zero && whole > 1 {
		p.pos -= whole
		return p.here().errorf("a number cannot start with 0; drop the zero, or quote it if it is text")
	}
	fraction := 0
	if p.at('.') {
		p.pos++
		fraction = p.digits(isDigit)
	}
	if whole+fraction == 0 {
		return p.expected("a number")
	}
	if !p.at('e') && !p.at('E') {
		return nil
	}
	p.pos++
	if p.at('+') || p.at('-') {
		p.pos++
	}
	if p.digits(isDigit) == 0 {
		return p.expected("a digit of the exponent")
	}
	return nil
}

func (p *parser) digits(is func(byte) bool) int {
	begin := p.pos
	for p.pos < len(p.text) && is(p.text[p.pos]) {
		p.pos++
	}
	return p.pos - begin
}

func isHex(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}
