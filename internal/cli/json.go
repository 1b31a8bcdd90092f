package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// printJSON writes v as the whole output of a command.
func (f *factory) printJSON(v any) error { return f.encode(v, "  ") }

// printJSONLine writes v as one line of a stream.
func (f *factory) printJSONLine(v any) error { return f.encode(v, "") }

func (f *factory) encode(v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := f.env.Stdout.Write(escapeC1(b.Bytes()))
	return err
}

// escapeC1 escapes the control characters that JSON lets pass and some
// terminals obey. In UTF-8 they all start with 0xC2.
func escapeC1(data []byte) []byte {
	if !bytes.Contains(data, []byte{0xc2}) {
		return data
	}
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r >= 0x80 && r <= 0x9f {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return out
}
