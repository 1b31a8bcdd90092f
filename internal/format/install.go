package format

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// installKind is a way to install that can be run. An entry needs a package,
// under one of its keys, or an address.
type installKind struct {
	kind string
	keys []string // where the package may stand; none means that url is needed
	// signs may be in a package's name besides letters and digits. No kind
	// allows a colon, so that none takes an address for a package.
	signs string
}

var installKinds = [...]installKind{
	{"brew", []string{"formula", "cask", "package", "pkg", "name"}, "@+._/-"},
	{"node", []string{"package", "pkg", "module", "name"}, "@._/~^+-"},
	{"go", []string{"module", "package", "pkg", "name"}, "@._/~+-"},
	{"uv", []string{"package", "pkg", "name"}, "._-[],=<>!~+*"},
	{"download", nil, ""},
}

// installReader reads install entries.
type installReader func(r *reading, at *place, m *tree.Member) []skill.InstallSpec

// installs reads a list of install entries; a single map is a list of one.
func (r *reading) installs(at *place, m *tree.Member) []skill.InstallSpec {
	list := []*tree.Node{m.Value}
	if m.Value.Kind == tree.List {
		list = m.Value.List
	}
	var specs []skill.InstallSpec
	for i, item := range list {
		entry := &place{up: at, index: i}
		spec, problem := r.install(entry, item, i)
		if problem != "" {
			line := m.Line
			if item != nil {
				line = item.Line
			}
			r.report(skill.InstallInvalid, line, entry.text()+": "+problem, installHint(item, spec.Kind != ""))
		}
		if spec.Kind != "" {
			if specs == nil {
				specs = make([]skill.InstallSpec, 0, len(list)-i)
			}
			specs = append(specs, spec)
		}
	}
	return specs
}

// registryInstalls reads a list of entries that name a package of a registry in
// the documented way. What no registry would take for a name is left out even
// where the documents let it pass: it ends up as an argument of a program.
func (r *reading) registryInstalls(at *place, m *tree.Member) []skill.InstallSpec {
	if m.Value.Kind != tree.List {
		r.wrongShape(at, m.Value, "a list of maps with kind and package")
		return nil
	}
	var specs []skill.InstallSpec
	for i, item := range m.Value.List {
		spec, ok := registryInstall(item, i)
		if way, _ := installWay(spec.Kind); ok && (spec.Package == "" || way.isPackage(spec.Package)) {
			specs = append(specs, spec)
			continue
		}
		r.report(skill.InstallInvalid, item.Line,
			(&place{up: at, index: i}).text()+": it names no package in the documented way, so it is left out", installHint(item, false))
	}
	return specs
}

// installHint says what to write instead. kept tells that it is the kind which
// cannot be run.
func installHint(n *tree.Node, kept bool) string {
	way, runs := installWay(textUnder(n, "kind", "type"))
	switch {
	case kept || !runs:
		return "only brew, node, go, uv and download can be run"
	case len(way.keys) == 0:
		return "download needs an http(s) url, and sha256 as 64 hexadecimal digits if at all"
	default:
		return way.kind + " needs " + way.keys[0] + ": the name in its registry"
	}
}

// install reads one entry. A problem together with a spec is that of a kind
// nobody can run; a problem without one, that of an entry that is left out.
func (r *reading) install(at *place, n *tree.Node, index int) (spec skill.InstallSpec, problem string) {
	if n == nil || n.Kind != tree.Map {
		return spec, "it is no map with kind and package, so it is left out"
	}
	kind := textUnder(n, "kind", "type")
	if !isPlain(kind, "_-", 32) { // the longest kind in use has 14 characters
		return spec, "it has no kind, so it is left out"
	}
	way, runs := installWay(kind)
	spec = skill.InstallSpec{
		ID: textUnder(n, "id"), Kind: way.kind, Label: skill.NewText(textUnder(n, "label")),
		Package: textUnder(n, way.keys...), URL: textUnder(n, "url"),
	}
	if spec.ID == "" {
		spec.ID = way.kind + "-" + strconv.Itoa(index)
	}
	if problem = way.check(&spec); problem == "" {
		problem = checksum(n, &spec)
	}
	switch {
	case !runs:
		problem = "entries of kind " + quoted(spec.Kind) + " cannot be run"
	case problem != "":
		return skill.InstallSpec{}, problem + ", so it is left out"
	}
	for i := range n.Map {
		r.installKey(&place{up: at, key: n.Map[i].Key}, &n.Map[i], &spec)
	}
	return spec, problem
}

// installKey reads the keys that no kind depends on.
func (r *reading) installKey(at *place, m *tree.Member, spec *skill.InstallSpec) {
	if isEmpty(m.Value) {
		return
	}
	switch fold(m.Key) {
	case "kind", "type", "id", "label", "url", "sha256":
	case "formula", "cask", "package", "pkg", "module", "name":
	case "os":
		spec.OS = r.words(at, m.Value)
	case "bins", "bin":
		spec.Bins = r.words(at, m.Value)
	case "archive":
		spec.Archive, _ = m.Value.Scalar()
	case "targetdir":
		spec.TargetDir, _ = m.Value.Scalar()
	case "extract":
		if m.Value.Kind != tree.Bool {
			r.wrongShape(at, m.Value, "true or false, without quotes")
			return
		}
		spec.Extract, _ = m.Value.Bool()
	case "stripcomponents":
		spec.StripComponents, _ = r.count(at, m.Value)
	default:
		r.keep(at, m) // how else the author would install it
	}
}

// installWay finds a kind by any of its names, and whether it can be run.
func installWay(kind string) (way installKind, runs bool) {
	kind = strings.ToLower(kind)
	switch kind {
	case "npm", "pnpm", "yarn", "bun":
		kind = "node" // the user chooses the program, not the skill
	}
	for _, way := range installKinds {
		if way.kind == kind {
			return way, true
		}
	}
	return installKind{kind: kind, keys: installKinds[0].keys, signs: installKinds[0].signs}, false
}

// check tells what the entry lacks. A package or address that passes is safe to
// hand to the kind's program as an argument; one that does not is removed.
func (k installKind) check(spec *skill.InstallSpec) (problem string) {
	if spec.URL != "" && !isWebAddress(spec.URL) {
		problem, spec.URL = "url "+quoted(spec.URL)+" is no http(s) address", ""
	}
	if len(k.keys) == 0 {
		if spec.URL == "" && problem == "" {
			problem = "it names no url"
		}
		return problem
	}
	if spec.Package == "" {
		return "it names no " + k.keys[0]
	}
	if !k.isPackage(spec.Package) {
		problem, spec.Package = k.keys[0]+" "+quoted(spec.Package)+" is not a name that can be installed", ""
	}
	return problem
}

func (k installKind) isPackage(name string) bool {
	if k.kind == "node" {
		if scope, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") {
			if !isPlain(scope[1:], "._~-", 214) { // npm's longest name
				return false
			}
			name = rest
		}
		if strings.Contains(name, "/") { // a repository or a path, which npm would fetch
			return false
		}
	}
	return isPlain(name, k.signs, 255) && !strings.Contains(name, "..")
}

// checksum reads sha256. An entry with a bad one is not an entry without one.
func checksum(n *tree.Node, spec *skill.InstallSpec) string {
	sum := n.Get("sha256")
	if isEmpty(sum) {
		return ""
	}
	text, _ := sum.Scalar()
	if len(text) != 64 || strings.Trim(text, "0123456789abcdefABCDEF") != "" {
		return "sha256 is " + shape(sum) + ", not 64 hexadecimal digits"
	}
	spec.SHA256 = strings.ToLower(text)
	return ""
}

// textUnder returns the first scalar under one of the keys.
func textUnder(n *tree.Node, keys ...string) string {
	for _, key := range keys {
		if text, _ := n.Get(key).Scalar(); text != "" {
			return text
		}
	}
	return ""
}

// isPlain reports a word of letters, digits and the given signs that starts
// with a letter or digit, so that no program takes it for an option or a path.
func isPlain(word, signs string, longest int) bool {
	if word == "" || len(word) > longest || !isAlphanumeric(word[0]) {
		return false
	}
	for i := range len(word) {
		if !isAlphanumeric(word[i]) && strings.IndexByte(signs, word[i]) < 0 {
			return false
		}
	}
	return true
}

// isWebAddress reports an http or https address with a host.
func isWebAddress(text string) bool {
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
