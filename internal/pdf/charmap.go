package pdf

import (
	library "github.com/ledongthuc/pdf"
)

const (
	maxCode  = 4       // bytes of a code
	maxCodes = 1 << 17 // no font has more than half of that
)

// charmap is the table from codes to text that a font can have with it.
type charmap struct {
	text    map[string]string
	lengths [maxCode + 1]bool // of codes
}

// read follows the program that such a table is. Programs open dictionaries, of
// which some is needed: any will do.
func (m *charmap) read(program, dictionary library.Value, work *budget) {
	m.text = map[string]string{}
	work.program(program, func(args []library.Value, stack *library.Stack, operator string) {
		switch operator {
		case "findresource", "defineresource":
			stack.Push(dictionary)
		case "endcodespacerange":
			for i := 0; i+1 < len(args); i += 2 {
				if n := len(args[i].RawString()); n > 0 && n <= maxCode {
					m.lengths[n] = true
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				m.add(args[i].RawString(), fromUTF16(args[i+1].RawString()))
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				m.addRange(args[i].RawString(), args[i+1].RawString(), args[i+2])
			}
		}
	})
}

func (m *charmap) add(code, text string) {
	if len(m.text) < maxCodes && len(code) > 0 && len(code) <= maxCode && text != "" {
		m.text[code] = text
		m.lengths[len(code)] = true
	}
}

// addRange adds codes whose texts follow each other, or are listed.
func (m *charmap) addRange(low, high string, texts library.Value) {
	if len(low) == 0 || len(low) != len(high) || len(low) > maxCode {
		return
	}
	code := []byte(low)
	text := []byte(texts.RawString())
	for i := 0; i < maxCodes && len(m.text) < maxCodes; i++ {
		switch texts.Kind() {
		case library.Array:
			m.add(string(code), fromUTF16(texts.Index(i).RawString()))
		case library.String:
			m.add(string(code), fromUTF16(string(text)))
			increment(text)
		default:
			return
		}
		if string(code) >= high || !increment(code) {
			return
		}
	}
}

// increment adds one to a number of bytes, unless it has no next.
func increment(number []byte) bool {
	for i := len(number) - 1; i >= 0; i-- {
		if number[i]++; number[i] != 0 {
			return true
		}
	}
	return false
}

// first is the text of the code that a string begins with, and its length; 0 if
// it begins with none.
func (m *charmap) first(raw string, composite bool) (text string, n int) {
	for n := 1; n <= min(maxCode, len(raw)); n++ {
		if n == 1 && composite && m.lengths[2] {
			continue // its codes have two bytes, whatever else the table has
		}
		if text, ok := m.text[raw[:n]]; ok && m.lengths[n] {
			return text, n
		}
	}
	return "", 0
}
