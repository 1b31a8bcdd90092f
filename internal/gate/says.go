package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// sayable are the requirements that a host may have its own words for, by the
// name of the field.
var sayable = [...]struct {
	name   string
	reason skill.Code
}{
	{"os", skill.ReasonOS},
	{"bins", skill.ReasonBin},
	{"anyBins", skill.ReasonAnyBin},
	{"env", skill.ReasonEnv},
	{"config", skill.ReasonConfig},
}

// sayings are the words of a host by the reason they give.
func sayings(says map[string]string) (map[skill.Code]string, error) {
	var out map[skill.Code]string
	left := maps.Clone(says)
	names := make([]string, len(sayable))
	for i, s := range sayable {
		names[i] = s.name
		if text, ok := left[s.name]; ok {
			if out == nil {
				out = map[skill.Code]string{}
			}
			out[s.reason] = text
			delete(left, s.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return nil, fmt.Errorf("gate.says words %q; it can word %s", name, strings.Join(names, ", "))
	}
	return out, nil
}

// say is the message about something that is missing: the host's if it has one,
// else Knack's. Several names are alternatives.
func (q *question) say(reason skill.Code, ours string, names ...string) string {
	text, ok := q.says[reason]
	if !ok {
		return ours
	}
	spelt := make([]string, len(names))
	for i, name := range names {
		spelt[i] = spelling(name)
	}
	// In one pass: a name may look like a placeholder.
	return strings.NewReplacer("{name}", strings.Join(spelt, " or "), "{have}", spelling(q.hostName(q.env.OS))).Replace(text)
}

// spelling is a name as it is written, for a sentence that is not ours. One
// with something in it that does not show is quoted and escaped, for it is not
// what it looks like.
func spelling(name string) string {
	const longest = 100 // one line of a terminal, as for other names
	rest := ""
	if runes := []rune(name); len(runes) > longest {
		name, rest = string(runes[:longest]), "…"
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) }) {
		name = wording.Quote(name)
	}
	return name + rest
}

// cleaned are names fit for one of our own sentences.
func cleaned(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = wording.Name(name)
	}
	return out
}
