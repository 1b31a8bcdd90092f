package arguments

import "encoding/json"

// Values are arguments that were read. What was not given is the zero value of
// its kind.
type Values struct {
	read map[string]any
	raw  map[string]json.RawMessage
}

// Has reports whether an argument was given.
func (v Values) Has(name string) bool { _, ok := v.read[name]; return ok }

// Text is a [Text] or a [Word].
func (v Values) Text(name string) string { s, _ := v.read[name].(string); return s }

// Flag is a [Flag].
func (v Values) Flag(name string) bool { b, _ := v.read[name].(bool); return b }

// Whole is a [Whole], or what is used where none was given.
func (v Values) Whole(name string, otherwise int) int {
	if n, ok := v.read[name].(int); ok {
		return n
	}
	return otherwise
}

// Number is a [Number].
func (v Values) Number(name string) float64 { n, _ := v.read[name].(float64); return n }

// Texts is a [Texts].
func (v Values) Texts(name string) []string { l, _ := v.read[name].([]string); return l }

// Pairs is a [Pairs].
func (v Values) Pairs(name string) map[string]string {
	p, _ := v.read[name].(map[string]string)
	return p
}

// Raw is any argument as it was given; nil if it was not.
func (v Values) Raw(name string) json.RawMessage { return v.raw[name] }

// SetText completes what was given.
func (v Values) SetText(name, text string) { v.read[name] = text }
