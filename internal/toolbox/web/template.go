package web

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

// template is the address of a skill's tool, with places for arguments.
type template struct {
	origin string // scheme, host and port: the author's
	path   string // with places in it
	query  string // the same, without the question mark
	names  []string
}

// place is where an argument goes: {{name}}.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`) })

// parseTemplate takes an address apart. Places are for arguments that are
// declared, in the path or in values of the query.
func parseTemplate(text string, declared []string) (*template, error) {
	text, fragment, _ := strings.Cut(strings.TrimSpace(text), "#")
	rest, query, _ := strings.Cut(text, "?")
	origin, path := rest, ""
	if i := strings.Index(rest, "://"); i >= 0 {
		if j := strings.IndexByte(rest[i+3:], '/'); j >= 0 {
			origin, path = rest[:i+3+j], rest[i+3+j:]
		}
	}
	if strings.Contains(origin, "{{") || strings.Contains(fragment, "{{") {
		return nil, errors.New("arguments can only be in the path and in values of the query")
	}
	for _, pair := range strings.Split(query, "&") {
		if key, _, has := strings.Cut(pair, "="); strings.Contains(key, "{{") || !has && strings.Contains(pair, "{{") {
			return nil, errors.New("arguments can only be in the path and in values of the query")
		}
	}
	t := &template{origin: origin, path: path, query: query}
	for _, found := range place().FindAllStringSubmatch(path+"?"+query, -1) {
		if !slices.Contains(declared, found[1]) {
			return nil, undeclared(found[1], declared)
		}
		if !slices.Contains(t.names, found[1]) {
			t.names = append(t.names, found[1])
		}
	}
	// With harmless words in every place, it has to be an address.
	word := func(string) string { return "x" }
	u, err := egress.ParseURL(place().ReplaceAllStringFunc(text, word))
	if err != nil {
		return nil, err
	}
	t.origin = u.Scheme + "://" + u.Host
	return t, nil
}

// undeclared names the argument that was probably meant, or tells to declare it.
func undeclared(name string, declared []string) error {
	name = wording.Name(name)
	if meant := near.Best(name, declared); meant != "" {
		return fmt.Errorf("{{%s}} is no argument that is declared; did you mean {{%s}}?", name, wording.Name(meant))
	}
	return fmt.Errorf("{{%s}} is no argument that is declared; declare it: args = { %s = \"what it is\" }", name, name)
}

// fill puts values into their places. Each stays within its segment of the path
// or its value of the query.
func (t *template) fill(value func(name string) string) (path, query string, err error) {
	segments := strings.Split(t.path, "/")
	for i, segment := range segments {
		if segments[i], err = fillSegment(segment, value); err != nil {
			return "", "", err
		}
	}
	query = place().ReplaceAllStringFunc(t.query, func(found string) string {
		return url.QueryEscape(value(place().FindStringSubmatch(found)[1]))
	})
	return strings.Join(segments, "/"), query, nil
}

// fillSegment fills one part of a path. Escaping keeps it one part, but for dots:
// those mean the same escaped, and some servers split at escaped slashes. A part
// that is empty may be another address, that of all items instead of one.
func fillSegment(segment string, value func(name string) string) (string, error) {
	if !strings.Contains(segment, "{{") {
		return segment, nil
	}
	filled := func(escape func(string) string) string {
		return place().ReplaceAllStringFunc(segment, func(found string) string {
			return escape(value(place().FindStringSubmatch(found)[1]))
		})
	}
	plain := filled(func(value string) string { return value })
	for _, once := range []string{plain, unescaped(plain)} {
		for _, part := range strings.FieldsFunc(once, func(r rune) bool { return r == '/' || r == '\\' }) {
			if part = strings.TrimSpace(part); part == ".." || part == "." {
				return "", fmt.Errorf("%s would lead to another path", wording.Quote(wording.Name(plain)))
			}
		}
	}
	if strings.TrimSpace(plain) == "" {
		return "", fmt.Errorf("%s must not be empty", segment)
	}
	return filled(url.PathEscape), nil
}

// unescaped is a value as a server sees it that unescapes twice.
func unescaped(text string) string {
	if out, err := url.PathUnescape(text); err == nil {
		return out
	}
	return text
}
