package toolbox

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// shortestSecret is what a value must have to be looked for: shorter ones are
// words and numbers that stand everywhere.
const shortestSecret = 6

// Redactor leaves secrets out of texts: values that are known to be secret, and
// what looks like one.
type Redactor struct{ known []string }

// NewRedactor takes the values that are secret.
func NewRedactor(secrets ...string) *Redactor {
	var known []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortestSecret {
			known = append(known, s)
		}
	}
	// The longest first, for one may be the beginning of another.
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return &Redactor{slices.Compact(known)}
}

// shapes are those of secrets that people paste: each is what remains, the
// secret, and nothing else.
var shapes = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`()-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`),
		regexp.MustCompile(`(?i)(\b(?:bearer|basic|token)\s+)[a-z0-9._~+/=-]{12,}`),
		regexp.MustCompile(`(?i)(://[^\s/@:]*:)[^\s/@]+(?:@)`),
		regexp.MustCompile(`(?i)((?:api[_-]?key|secret|passw(?:or)?d|passphrase|access[_-]?token|auth[_-]?token|private[_-]?key|client[_-]?secret|_token|_key)["']?\s*[:=]\s*["']?)[^\s"'&,;]{4,}`),
		regexp.MustCompile(`(?i)((?:^|\s)--?(?:password|passwd|token|secret|api-key)[= ])[^\s"']{4,}`),
		regexp.MustCompile(`()\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}`),
		regexp.MustCompile(`()\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|clh_[A-Za-z0-9_-]{16,})`),
		regexp.MustCompile(`()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`),
		regexp.MustCompile(`()\bAIza[A-Za-z0-9_-]{30,}`),
		regexp.MustCompile(`()\bxox[abposr]-[A-Za-z0-9-]{10,}`),
		regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
		regexp.MustCompile(`()\bnpm_[A-Za-z0-9]{20,}`),
	}
})

// Known leaves out the values that are known to be secret.
func (r *Redactor) Known(text string) string {
	for _, s := range r.known {
		text = strings.ReplaceAll(text, s, redacted)
	}
	return text
}

// Text leaves out known secrets, and whatever looks like one.
func (r *Redactor) Text(text string) string {
	text = r.Known(text)
	for _, shape := range shapes() {
		text = shape.ReplaceAllString(text, "${1}"+redacted)
	}
	return text
}

// JSON is Text for JSON: what is written with escapes is read first, so that no
// spelling of a secret stays. Anything else is text.
func (r *Redactor) JSON(text string) string {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil || dec.More() {
		return r.Text(text)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r.within(value)); err != nil {
		return r.Text(text)
	}
	return r.Text(strings.TrimSuffix(b.String(), "\n"))
}

func (r *Redactor) within(value any) any {
	switch v := value.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = r.within(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			delete(v, key)
			v[r.Text(key)] = r.within(inner)
		}
	}
	return value
}
