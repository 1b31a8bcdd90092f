package term

import (
	"fmt"
	"strings"
)

// Exact is text with everything that cannot be seen spelled out, so that what is
// read is all there is: a command that somebody has to agree to. Tabs and line
// breaks stay.
func Exact(text string) string {
	var b strings.Builder
	for i, r := range text {
		char := string(r)
		switch {
		case r == '\n' || r == '\t' || Clean(char) == char && r != '\ufffd':
			b.WriteString(char)
		case r == '\ufffd' && !strings.HasPrefix(text[i:], char):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
