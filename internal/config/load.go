package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// Files are the configuration files; an empty path or a file that is not there
// sets nothing.
type Files struct {
	Home  string // the user's
	Local string // the workspace's, which may be somebody else's work
}

// Host is the configuration of another system, as its profile describes it. It
// counts over the defaults and below the user's own files.
type Host struct {
	Name string // whose it is, for messages
	// Reader names the syntax of File: "json5-entries" or "toml-skills"; "env"
	// or empty if there is no file.
	Reader string
	File   string // absolute; it need not exist
	// Env are the variables it reads, and the keys that they set. They count as
	// Knack's own variables do.
	Env map[string]string
	// Defaults are values by key that differ from Knack's, as TOML decodes them.
	Defaults map[string]any
	// Switch is how its file switches one skill off: "entries" sets
	// skills.entries.NAME.enabled, "excluded" lists it in skills.excluded;
	// empty if it has no way.
	Switch string
}

// Input is everything that a configuration is made from.
type Input struct {
	Files
	// Host is the system to behave as; the zero value is Knack itself.
	Host Host
	// Environ is the environment in the form of os.Environ.
	Environ []string
	// Flags are values by key, as the user typed them.
	Flags map[string]string
	// Workspace is the directory that relative paths of the local file start
	// from, UserHome what ~ stands for.
	Workspace, UserHome string
}

// The layers, in the order in which one overrides the other.
const (
	layerDefault     = "default"
	layerHome        = "home"
	layerWorkspace   = "workspace"
	layerEnvironment = "environment"
	layerFlag        = "flag"
)

// Load reads the layers and puts them together. It never fails: what cannot be
// used has no effect and is in the diagnostics.
func Load(in Input) (*Settings, []skill.Diagnostic) {
	l := loader{in: in, root: newTable(), names: map[string]string{}}
	l.file(layer{name: layerHome, file: in.Home, base: filepath.Dir(in.Home)})
	if in.Local != "" && !sameFile(in.Home, in.Local) {
		l.file(layer{name: layerWorkspace, file: in.Local, base: in.Workspace})
	}
	l.environment()
	l.flags()
	skill.SortDiagnostics(l.found)
	return l.settings(), l.found
}

// loader gathers values and complaints.
type loader struct {
	in    Input
	root  *place
	names map[string]string // names of entries, from lower case to the first spelling
	found []skill.Diagnostic
}

// layer is where the values that are being read come from.
type layer struct {
	name string
	file string // of a file
	text string // of a variable or flag: its name
	base string // what relative directories start from
	// seen are the keys that this layer has set, and on which line: two
	// spellings of one key must not both count.
	seen map[string]int
}

func (at layer) origin(line int) Origin {
	return Origin{Layer: at.name, File: at.file, Line: line, Name: at.text}
}

// say adds a diagnostic about a key of the layer.
func (l *loader) say(code skill.Code, at layer, line int, message, hint string) {
	switch at.name {
	case layerEnvironment:
		message = "environment variable " + at.text + ": " + message
	case layerFlag:
		message = "flag " + at.text + ": " + message
	}
	l.found = append(l.found, code.New(at.file, line, message, hint))
}

func (l *loader) file(at layer) {
	if at.file == "" {
		return
	}
	within := ""
	if at.name == layerWorkspace {
		within = l.in.Workspace
	}
	doc, err := readDocument(at.file, within)
	if err != nil {
		l.found = append(l.found, skill.ConfigInvalid.New(at.file, err.line, err.what, err.hint))
		return
	}
	if doc != nil {
		at.seen = map[string]int{}
		l.table(at, nil, doc)
	}
}

// table takes what a table of a file holds.
func (l *loader) table(at layer, path []string, table *tree.Node) {
	for _, m := range table.Map {
		path := append(path, m.Key)
		key, canonical, how := lookup(path)
		switch {
		case how == leaf:
			l.take(at, key, canonical, m.Value, m.Line)
		case how == branch && m.Value.Kind == tree.Map:
			l.table(at, path, m.Value)
		case how == branch:
			l.say(skill.ConfigBadValue, at, m.Line, FormatKey(path)+" must be a table, not "+describe(m.Value),
				"write it as ["+FormatKey(path)+"], with its keys below")
		case path[0] == "skills":
			l.unknown(at, path, m)
		default:
			if meant := suggest(path, nil); meant != "" {
				l.say(skill.ConfigUnknownKey, at, m.Line, FormatKey(path)+" is no key of knack", "did you mean "+meant+"?")
			}
			l.keep(at, nil, path, m.Value, m.Line)
		}
	}
}

// unknown reports a key below [skills], which nobody but Knack could mean.
func (l *loader) unknown(at layer, path []string, m tree.Member) {
	hint := "remove it; knack config list shows the keys there are"
	if meant := suggest(path, nil); meant != "" {
		hint = "did you mean " + meant + "?"
	} else if len(path) == 2 && looksLikeEntry(m.Key, m.Value) {
		hint = "did you mean " + FormatKey([]string{"skills", "entries", m.Key}) + "?"
	}
	l.say(skill.ConfigUnknownKey, at, m.Line, FormatKey(path)+" is no key of knack", hint)
}

// take checks the value of a known key and keeps what is good of it.
func (l *loader) take(at layer, key *KeyInfo, path []string, n *tree.Node, line int) {
	path = l.named(path)
	name := FormatKey(path)
	if at.name == layerWorkspace && !key.Workspace {
		l.say(skill.ConfigRefused, at, line, "a workspace's configuration may not set "+name, "set it in "+cmp.Or(l.in.Home, "your own configuration")+" instead")
		return
	}
	if first, again := at.seen[name]; again {
		l.say(skill.ConfigBadValue, at, line, fmt.Sprintf("%s is set on line %d already, in another spelling", name, first), "remove one of the two")
		return
	}
	if at.seen != nil {
		at.seen[name] = line
	}
	value, problems := key.accept(n)
	for _, p := range problems {
		l.say(skill.ConfigBadValue, at, cmp.Or(p.line, line), name+" "+p.what, "write "+key.example(name))
	}
	if value == nil {
		return
	}
	if key.Type == Directories {
		value = l.directories(at, name, value)
	}
	if was := l.root.find(path...); at.name == layerWorkspace && key.offOnly && value.Text == "true" && was != nil && !was.yes() {
		l.say(skill.ConfigRefused, at, line, "a workspace's configuration may not switch on what "+was.origin.File+" switches off: "+name,
			"change it there if you want it on")
		return
	}
	l.keep(at, key, path, value, line)
}

// named gives the name of a skill's entry the spelling it was first given:
// skills are known by their names in any letter case, so two spellings must
// not make two entries.
func (l *loader) named(path []string) []string {
	if inEntry(path) {
		lower := strings.ToLower(path[2])
		if _, ok := l.names[lower]; !ok {
			l.names[lower] = path[2]
		}
		path[2] = l.names[lower]
	}
	return path
}

// keep stores a value, a table part by part so that layers mix.
func (l *loader) keep(at layer, key *KeyInfo, path []string, n *tree.Node, line int) {
	if n.Kind == tree.Map {
		l.root.table(path)
		for _, m := range n.Map {
			l.keep(at, key, append(path, m.Key), m.Value, m.Line)
		}
		return
	}
	p := l.root.at(path)
	if key != nil && key.united && p.value != nil {
		n = unite(p.value, n)
	}
	*p = place{value: n, key: key, origin: at.origin(line)}
}

// unite adds the items of a list that another lacks.
func unite(list, more *tree.Node) *tree.Node {
	out := &tree.Node{Kind: tree.List, Line: more.Line, List: slices.Clone(list.List)}
	have := map[string]bool{}
	for _, item := range out.List {
		have[item.Text] = true
	}
	for _, item := range more.List {
		if !have[item.Text] {
			have[item.Text] = true
			out.List = append(out.List, item)
		}
	}
	return out
}

func (l *loader) environment() {
	for i := range keys {
		if keys[i].variable == "" {
			continue
		}
		text, ok := environ.Lookup(l.in.Environ, keys[i].variable, runtime.GOOS)
		if ok && strings.TrimSpace(text) != "" {
			l.typed(layer{name: layerEnvironment, text: keys[i].variable}, &keys[i], keys[i].path(nil), text)
		}
	}
}

func (l *loader) flags() {
	for _, name := range slices.Sorted(maps.Keys(l.in.Flags)) {
		at := layer{name: layerFlag, text: name, base: l.in.Workspace}
		path, err := ParseKey(name)
		if err == nil {
			err = checkKey(path)
		}
		if err != nil {
			l.say(skill.ConfigUnknownKey, at, 0, err.Error(), "")
			continue
		}
		key, canonical, _ := lookup(path)
		l.typed(at, key, canonical, l.in.Flags[name])
	}
}

// typed takes a value that was written as text.
func (l *loader) typed(at layer, key *KeyInfo, path []string, text string) {
	value, err := key.read(text)
	switch {
	case err != nil:
		l.say(skill.ConfigBadValue, at, 0, err.Error(), "use "+key.example(FormatKey(path)))
	case key == nil:
		l.keep(at, nil, path, value, 0)
	default:
		l.take(at, key, path, value, 0)
	}
}
