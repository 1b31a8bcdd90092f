package calculator

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/wording"
)

const (
	maxLength = 4096 // longer than anyone types, short enough to be quick
	maxDepth  = 100  // keeps recursion small
)

type parser struct {
	source []rune
	at     int
	depth  int
}

// evaluate computes an expression. Its errors are [mistake]s, or say that there
// is nothing to compute.
func evaluate(expression string) (number, error) {
	if strings.TrimSpace(expression) == "" {
		return number{}, errEmpty
	}
	if len(expression) > maxLength {
		return number{}, errLong
	}
	p := &parser{source: []rune(expression)}
	value, err := p.sum()
	if err != nil {
		return number{}, err
	}
	if r := p.peek(); r != 0 {
		return number{}, p.unexpected(r)
	}
	return value, nil
}

// spellings are other ways to write an operator.
var spellings = map[rune]rune{'×': '*', '·': '*', '÷': '/', '−': '-'}

// peek skips space and returns what follows; 0 is the end.
func (p *parser) peek() rune {
	for p.at < len(p.source) && unicode.IsSpace(p.source[p.at]) {
		p.at++
	}
	if p.at == len(p.source) {
		return 0
	}
	r := p.source[p.at]
	if plain, ok := spellings[r]; ok {
		return plain
	}
	if r == 0 {
		return unicode.ReplacementChar // not the end
	}
	return r
}

func (p *parser) wrong(at int, err error) error {
	return &mistake{source: p.source, at: at, err: err}
}

func (p *parser) unexpected(r rune) error {
	switch {
	case r == 0:
		return p.wrong(p.at, fmt.Errorf("something is missing at the end"))
	case r == '(' || isDigit(r) || isLetter(r):
		return p.wrong(p.at, fmt.Errorf("an operator such as * is missing"))
	case r == ',':
		return p.wrong(p.at, fmt.Errorf("a comma separates the arguments of a function; write 1_000 for thousands and 0.5 for decimals"))
	}
	return p.wrong(p.at, fmt.Errorf("%s makes no sense here", wording.Quote(string(r))))
}

// operators of one rank are taken from the left.
func (p *parser) chain(operators string, operand func() (number, error)) (number, error) {
	left, err := operand()
	for err == nil {
		r, at := p.peek(), p.at
		if r == 0 || !strings.ContainsRune(operators, r) {
			return left, nil
		}
		p.at++
		var right number
		if right, err = operand(); err != nil {
			break
		}
		if left, err = operations()[r](left, right); err != nil {
			err = p.wrong(at, err)
		}
	}
	return number{}, err
}

func (p *parser) sum() (number, error)     { return p.chain("+-", p.product) }
func (p *parser) product() (number, error) { return p.chain("*/%", p.signed) }

// enter counts a level of recursion until the function it returns is called.
func (p *parser) enter() (leave func(), err error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.wrong(p.at, errDeep)
	}
	return func() { p.depth-- }, nil
}

func (p *parser) signed() (number, error) {
	leave, err := p.enter()
	if err != nil {
		return number{}, err
	}
	defer leave()
	switch r := p.peek(); r {
	case '-', '+':
		p.at++
		value, err := p.signed()
		if err == nil && r == '-' {
			value = value.negative()
		}
		return value, err
	}
	return p.power()
}

func (p *parser) power() (number, error) {
	base, err := p.atom()
	if err != nil {
		return number{}, err
	}
	r := p.peek()
	at := p.at
	switch {
	case r == '^':
		p.at++
	case r == '*' && p.at+1 < len(p.source) && p.source[p.at+1] == '*':
		p.at += 2
	default:
		return base, nil
	}
	exponent, err := p.signed() // binds to the right, and takes a sign
	if err != nil {
		return number{}, err
	}
	value, err := power(base, exponent)
	if err != nil {
		return number{}, p.wrong(at, err)
	}
	return value, nil
}

func (p *parser) atom() (number, error) {
	r := p.peek()
	switch {
	case r == '(':
		at := p.at
		p.at++
		value, err := p.sum()
		if err != nil {
			return number{}, err
		}
		return value, p.closing(at)
	case isDigit(r) || r == '.':
		return p.literal()
	case isLetter(r):
		return p.named()
	case r == ')' || strings.ContainsRune("*/%^", r):
		return number{}, p.wrong(p.at, fmt.Errorf("a number is missing before %q", r))
	}
	return number{}, p.unexpected(r)
}

// closing reads the parenthesis that ends what began at a place.
func (p *parser) closing(began int) error {
	switch r := p.peek(); r {
	case ')':
		p.at++
		return nil
	case 0:
		return p.wrong(began, fmt.Errorf("this parenthesis is not closed"))
	default:
		return p.unexpected(r)
	}
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return unicode.IsLetter(r) }

// run reads what a test accepts.
func (p *parser) run(accept func(rune) bool) string {
	start := p.at
	for p.at < len(p.source) && accept(p.source[p.at]) {
		p.at++
	}
	return string(p.source[start:p.at])
}

func (p *parser) literal() (number, error) {
	start := p.at
	text := p.run(func(r rune) bool { return isDigit(r) || r == '_' || r == '.' })
	if p.at < len(p.source) && (p.source[p.at] == 'e' || p.source[p.at] == 'E') {
		mark := p.at
		p.at++
		sign := p.run(func(r rune) bool { return r == '-' || r == '+' })
		digits := p.run(isDigit)
		if len(sign) > 1 || digits == "" {
			p.at = mark // the constant e, after which an operator is missing
		} else {
			if n, err := strconv.Atoi(digits); err != nil || n > maxDigits {
				return number{}, p.wrong(start, errBig)
			}
			text += "e" + sign + digits
		}
	}
	if strings.Contains(text, "__") || strings.HasSuffix(text, "_") {
		return number{}, p.wrong(start, fmt.Errorf("an underscore stands between two digits"))
	}
	value, ok := new(big.Rat).SetString(strings.ReplaceAll(text, "_", ""))
	if !ok {
		return number{}, p.wrong(start, fmt.Errorf("%s is not a number", wording.Quote(wording.Name(text))))
	}
	n, err := exactly(value)
	if err != nil {
		return number{}, p.wrong(start, err)
	}
	return n, nil
}

// named reads a constant or the call of a function.
func (p *parser) named() (number, error) {
	leave, err := p.enter()
	if err != nil {
		return number{}, err
	}
	defer leave()
	start := p.at
	name := p.run(func(r rune) bool { return isLetter(r) || isDigit(r) || r == '_' })
	if p.peek() != '(' {
		if value, ok := constants[strings.ToLower(name)]; ok {
			return number{approx: value}, nil
		}
		if _, ok := functions()[strings.ToLower(name)]; ok {
			return number{}, p.wrong(p.at, fmt.Errorf("%s needs its argument in parentheses", name))
		}
		return number{}, p.wrong(start, fmt.Errorf("there is no constant called %s; there are pi and e", wording.Quote(wording.Name(name))))
	}
	f, ok := functions()[strings.ToLower(name)]
	if !ok {
		return number{}, p.wrong(start, fmt.Errorf("there is no function called %s; there are %s", wording.Quote(wording.Name(name)), functionNames()))
	}
	arguments, err := p.arguments()
	if err != nil {
		return number{}, err
	}
	if len(arguments) < f.least || len(arguments) > f.most {
		return number{}, p.wrong(start, fmt.Errorf("%s takes %s, not %d", name, f.count(), len(arguments)))
	}
	value, err := f.compute(arguments)
	if err != nil {
		return number{}, p.wrong(start, err)
	}
	return value, nil
}

func (p *parser) arguments() ([]number, error) {
	began := p.at
	p.at++
	if p.peek() == ')' {
		p.at++
		return nil, nil
	}
	var out []number
	for {
		value, err := p.sum()
		if err != nil {
			return nil, err
		}
		out = append(out, value)
		if p.peek() != ',' {
			return out, p.closing(began)
		}
		p.at++
	}
}
