package format

import (
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// registryKind is a way to install from a registry: under which keys the
// package stands, the first that is one wins, and what a package is.
type registryKind struct {
	kind      string
	keys      []string
	isPackage func(string) bool
}

// nodeVersion is a dist-tag, which an exact version looks like too unless it has
// build metadata.
var nodeVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9][A-Za-z0-9._-]*|v?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)$`)
})

var registryKinds = [...]registryKind{
	{"brew", []string{"formula", "cask"}, func(s string) bool { return isName(s, "@+._/-") && !strings.Contains(s, "..") }},
	{"node", []string{"package"}, isNodePackage},
	{"go", []string{"module"}, isGoModule},
	{"uv", []string{"package"}, func(s string) bool { return isName(s, "._[]=<>!~+,-") }},
	{"download", nil, nil},
}

// registryInstall reads an install entry that names a package of a registry, or
// an address, in the documented way and no other. What is not of the documented
// type has no effect; an entry without its package, or with a checksum that is
// none, does not count at all.
func registryInstall(n *tree.Node, index int) (spec skill.InstallSpec, ok bool) {
	way, ok := registryWay(n)
	if !ok {
		return spec, false
	}
	spec = skill.InstallSpec{
		ID: stringUnder(n, "id"), Kind: way.kind, Label: skill.NewText(stringUnder(n, "label")),
		Bins: looseList(n.Get("bins")), OS: looseList(n.Get("os")),
		URL: webAddress(strings.TrimSpace(stringUnder(n, "url"))),
		// These two are checked by who unpacks: here they are words.
		Archive: stringUnder(n, "archive"), TargetDir: stringUnder(n, "targetDir"),
		StripComponents: wholeNumber(n.Get("stripComponents")),
	}
	if spec.ID == "" {
		spec.ID = way.kind + "-" + strconv.Itoa(index)
	}
	if extract := n.Get("extract"); extract != nil && extract.Kind == tree.Bool {
		spec.Extract, _ = extract.Bool()
	}
	for _, key := range way.keys {
		if name := strings.TrimSpace(stringUnder(n, key)); spec.Package == "" && way.isPackage(name) {
			spec.Package = name
		}
	}
	if len(way.keys) > 0 {
		return spec, spec.Package != ""
	}
	if sum := n.Get("sha256"); sum != nil {
		spec.SHA256 = strings.ToLower(strings.TrimSpace(stringUnder(n, "sha256")))
		if len(spec.SHA256) != 64 || strings.Trim(spec.SHA256, "0123456789abcdef") != "" {
			return spec, false
		}
	}
	return spec, spec.URL != ""
}

// registryWay is the kind of an entry.
func registryWay(n *tree.Node) (way registryKind, ok bool) {
	key := "kind"
	if kind := n.Get(key); kind == nil || kind.Kind != tree.String {
		key = "type"
	}
	name := strings.ToLower(strings.TrimSpace(stringUnder(n, key)))
	for _, way := range registryKinds {
		if way.kind == name {
			return way, true
		}
	}
	return way, false
}

// stringUnder is the string under a key as it is written, "" if it is no string.
func stringUnder(n *tree.Node, key string) string {
	if value := n.Get(key); value != nil && value.Kind == tree.String {
		return value.Text
	}
	return ""
}

// isName reports ASCII letters, digits and some marks, of which none is first.
func isName(text, marks string) bool {
	for i := range len(text) {
		c := text[i]
		if plain := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'; !plain && (i == 0 || strings.IndexByte(marks, c) < 0) {
			return false
		}
	}
	return text != ""
}

// isGoModule reports a path of Go's, with a version or without.
func isGoModule(spec string) bool {
	path, version, has := strings.Cut(spec, "@")
	return isName(path, "._~+/-") && (!has || isName(version, "._~+/-"))
}

// isNodePackage reports a name in npm's registry, with an exact version or a
// tag or without; no range, address, path, alias or repository.
func isNodePackage(spec string) bool {
	name, isVersion := spec, true
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		name, isVersion = spec[:at], nodeVersion().MatchString(spec[at+1:])
	}
	isLower := strings.ToLower(name) == name
	if scope, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") && isName(scope[1:], "._~-") {
		name = rest
	}
	return isVersion && isLower && isName(name, "._~-")
}

// looseList reads a list of words, or a string with commas. A number or truth
// among them is a word too.
func looseList(n *tree.Node) []string {
	var words []string
	add := func(word string) {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	switch {
	case n == nil:
	case n.Kind == tree.String:
		for word := range strings.SplitSeq(n.Text, ",") {
			add(word)
		}
	case n.Kind == tree.List:
		for _, item := range n.List {
			if number, ok := jsonNumber(item); ok {
				add(scriptNumber(number))
			} else if text, ok := item.Scalar(); ok {
				add(text)
			}
		}
	}
	return words
}

// jsonNumber is the number that a node of JSON5 is.
func jsonNumber(n *tree.Node) (float64, bool) {
	if n == nil || n.Kind != tree.Number {
		return 0, false
	}
	if whole, err := strconv.ParseInt(strings.TrimPrefix(n.Text, "+"), 0, 64); err == nil && !strings.HasPrefix(n.Text, "0o") {
		return float64(whole), true
	}
	number, err := strconv.ParseFloat(n.Text, 64)
	return number, err == nil
}

// wholeNumber is a number that counts something, else 0.
func wholeNumber(n *tree.Node) int {
	number, ok := jsonNumber(n)
	if !ok || number < 0 || number > math.MaxInt32 || number != math.Trunc(number) {
		return 0
	}
	return int(number)
}

// webAddress is an http or https address as browsers write it: scheme and host
// in lower case, no port that goes without saying, a path without dots. It is
// "" for anything else.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || !isWebAddress(text) {
		return ""
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, port), ":")
	}
	u = u.ResolveReference(&url.URL{})
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
