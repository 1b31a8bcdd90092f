package pdf

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	library "github.com/ledongthuc/pdf"
)

const (
	usualWidth = 500     // of a glyph, in thousandths of the size, where a font tells none
	maxWidths  = 1 << 17 // glyphs; no font has more than half of that
)

// font says which text a string of a page is, and how wide.
type font struct {
	composite bool // codes have two bytes
	names     charmap
	encoding  library.TextEncoding // nil if codes say nothing
	utf16     bool                 // codes are text
	widths    map[int]float64
	width0    float64     // of other codes
	seen      [256]string // what encoding makes of a byte, which may be slow to find
}

// loadFont reads what a page needs of a font. A font that cannot be read is one
// that says nothing.
func loadFont(resources library.Value, name string, work *budget) *font {
	f := &font{width0: usualWidth, widths: map[int]float64{}}
	_ = guard(func() error {
		value := resources.Key("Font").Key(name)
		f.composite = value.Key("Subtype").Name() == "Type0"
		encoding, table := value.Key("Encoding").Name(), value.Key("ToUnicode")
		switch {
		case !f.composite:
			// The library would follow a table itself, for ever if it is made so.
			if table.Kind() != library.Stream {
				f.encoding = (&library.Font{V: value}).Encoder()
			}
			f.simpleWidths(value)
		case strings.HasPrefix(encoding, "Uni") && (strings.Contains(encoding, "UCS2") || strings.Contains(encoding, "UTF16")):
			f.utf16 = true
			fallthrough
		default:
			f.width0 = 1000
			f.compositeWidths(value.Key("DescendantFonts").Index(0))
		}
		if table.Kind() == library.Stream {
			f.names.read(table, value, work)
		}
		return nil
	})
	return f
}

func (f *font) simpleWidths(value library.Value) {
	first, list := int(value.Key("FirstChar").Int64()), value.Key("Widths")
	for i := range min(list.Len(), 256) {
		f.widths[first+i] = list.Index(i).Float64()
	}
}

// compositeWidths reads [c [w …] first last w …].
func (f *font) compositeWidths(value library.Value) {
	if w := value.Key("DW"); !w.IsNull() {
		f.width0 = w.Float64()
	}
	list := value.Key("W")
	for i := 0; i+1 < list.Len(); {
		first, second := int(list.Index(i).Int64()), list.Index(i+1)
		if second.Kind() == library.Array {
			for j := range min(second.Len(), maxWidths-len(f.widths)) {
				f.widths[first+j] = second.Index(j).Float64()
			}
			i += 2
			continue
		}
		last, w := int(second.Int64()), list.Index(i+2).Float64()
		for code := first; code <= last && len(f.widths) < maxWidths; code++ {
			f.widths[code] = w
		}
		i += 3
	}
}

// width is how far a string moves the text that follows.
func (f *font) width(raw string, size, charSpace, wordSpace float64) (sum float64) {
	step := 1
	if f.composite {
		step = 2
	}
	for i := 0; i+step <= len(raw); i += step {
		code := int(raw[i])
		if f.composite {
			code = code<<8 | int(raw[i+1])
		}
		w, ok := f.widths[code]
		if !ok {
			w = f.width0
		}
		sum += w/1000*size + charSpace
		if !f.composite && code == ' ' {
			sum += wordSpace
		}
	}
	return sum
}

// decode is the text of a string.
func (f *font) decode(raw string) string {
	if len(f.names.text) == 0 {
		return f.plain(raw)
	}
	var b strings.Builder
	for len(raw) > 0 {
		text, n := f.names.first(raw, f.composite)
		if n == 0 {
			n = 1
			if f.composite {
				n = min(2, len(raw))
			}
			text = f.plain(raw[:n])
		}
		b.WriteString(text)
		raw = raw[n:]
	}
	return b.String()
}

// plain is the text of a string whose font has no table of its own.
func (f *font) plain(raw string) string {
	switch {
	case f.utf16:
		return fromUTF16(raw)
	case f.composite:
		return strings.Repeat(string(utf8.RuneError), (len(raw)+1)/2)
	}
	var b strings.Builder
	for i := range len(raw) {
		code := raw[i]
		if f.seen[code] == "" {
			text := string(rune(code))
			if f.encoding != nil {
				text = f.encoding.Decode(raw[i : i+1])
			}
			f.seen[code] = westernQuotes(strings.ToValidUTF8(text, string(rune(code))))
		}
		b.WriteString(f.seen[code])
	}
	return b.String()
}

// western are the characters that Windows puts where Unicode has controls, and
// the library leaves there.
const western = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ"

func westernQuotes(text string) string {
	return strings.Map(func(r rune) rune {
		if 0x80 <= r && r <= 0x9f {
			return []rune(western)[r-0x80]
		}
		return r
	}, text)
}

func fromUTF16(raw string) string {
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return string(utf16.Decode(units))
}
