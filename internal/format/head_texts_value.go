package format

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// scalarText is a scalar the way a script prints it: numbers in their shortest
// form, everything else as it is.
func scalarText(n *tree.Node) string {
	if n.Kind == tree.Number {
		if value, ok := numberValue(n.Text); ok {
			return scriptNumber(value)
		}
	}
	if n.Kind == tree.Bool {
		return strings.ToLower(n.Text)
	}
	return n.Text
}

// numberValue reads the numbers of YAML 1.2's core schema; what older YAML takes
// for one besides, such as 1_000, is text.
func numberValue(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.eE") == "" { // words and other bases are no numbers here
		value, err := strconv.ParseFloat(text, 64)
		return value, err == nil || math.IsInf(value, 0)
	}
	for _, radix := range [...]struct {
		prefix string
		base   int
	}{{"0o", 8}, {"0x", 16}} {
		if digits, ok := strings.CutPrefix(text, radix.prefix); ok {
			value, err := strconv.ParseUint(digits, radix.base, 64)
			return float64(value), err == nil
		}
	}
	switch strings.ToLower(text) {
	case ".inf", "+.inf":
		return math.Inf(1), true
	case "-.inf":
		return math.Inf(-1), true
	case ".nan":
		return math.NaN(), true
	}
	return 0, false
}

// scriptNumber prints a number as scripts do.
func scriptNumber(value float64) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	case value == 0:
		return "0"
	}
	// Scripts write digits out below 1e21 and from 1e-6.
	if size := math.Abs(value); size < 1e21 && size >= 1e-6 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	sign := exponent[:1]
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// jsonText is a structured value as one line of JSON without blanks.
func jsonText(n *tree.Node) string {
	var b strings.Builder
	writeJSON(&b, n)
	return b.String()
}

func writeJSON(b *strings.Builder, n *tree.Node) {
	switch {
	case n == nil || n.Kind == tree.Null:
		b.WriteString("null")
	case n.Kind == tree.List:
		b.WriteByte('[')
		for i, item := range n.List {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case n.Kind == tree.Map:
		b.WriteByte('{')
		for i, m := range n.Map {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, m.Key)
			b.WriteByte(':')
			writeJSON(b, m.Value)
		}
		b.WriteByte('}')
	case n.Kind == tree.Number:
		value, ok := numberValue(n.Text)
		switch {
		case !ok:
			writeJSONString(b, n.Text)
		case math.IsNaN(value) || math.IsInf(value, 0):
			b.WriteString("null")
		default:
			b.WriteString(scriptNumber(value))
		}
	case n.Kind == tree.Bool:
		b.WriteString(strings.ToLower(n.Text))
	default:
		writeJSONString(b, n.Text)
	}
}

func writeJSONString(b *strings.Builder, s string) {
	var line strings.Builder
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	b.WriteString(strings.TrimSuffix(line.String(), "\n"))
}
