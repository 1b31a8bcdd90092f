package config

import (
	"path/filepath"
	"slices"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// Files are the configuration files; an empty path or a file that is not there
// sets nothing.
type Files struct {
	Home  string // the user's
	Local string // the workspace's, which may be somebody else's work
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
	layerHost        = "host"
	layerHome        = "home"
	layerWorkspace   = "workspace"
	layerEnvironment = "environment"
	layerFlag        = "flag"
)

// Load reads the layers and puts them together. It never fails: what cannot be
// used has no effect and is in the diagnostics.
func Load(in Input) (*Settings, []skill.Diagnostic) {
	l := loader{in: in, document: document{merged: newTable()}, names: map[string]string{}}
	l.host()
	l.file(layer{name: layerHome, file: in.Home, base: filepath.Dir(in.Home), syntax: &ownSyntax})
	if in.Local != "" && !sameFile(in.Home, in.Local) {
		l.file(layer{name: layerWorkspace, file: in.Local, base: in.Workspace, syntax: &ownSyntax})
	}
	l.environment()
	l.flags()
	skill.SortDiagnostics(l.found)
	return l.settings(), l.found
}

// loader gathers values and complaints.
type loader struct {
	in Input
	document
	names map[string]string // names of entries, from lower case to the first spelling
	found []skill.Diagnostic
	// see Settings
	foreign bool
	hidden  []string
}

// layer is where the values that are being read come from.
type layer struct {
	name   string
	file   string // of a file
	text   string // of a variable or flag: its name
	base   string // what relative directories start from
	syntax *syntax
	// defaults says that its values count where no other layer sets any, but
	// are not written in any document.
	defaults bool
	// hosts says that the host reads it too, so that it can hold only what the
	// host has.
	hosts bool
	// mild layers are somebody else's: what cannot be used there is a warning.
	mild bool
	// advice is all that is to be said.
	advice bool
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
	case layerHost:
		if at.file == "" {
			message = "host " + at.text + ": " + message
		}
	}
	d := code.New(at.file, line, message, hint)
	if at.mild {
		d.Severity = skill.Warning
	}
	if at.advice {
		d.Severity = skill.Info
	}
	l.found = append(l.found, d)
}

func (l *loader) file(at layer) {
	if at.file == "" {
		return
	}
	within := ""
	if at.name == layerWorkspace {
		within = l.in.Workspace
	}
	doc, err := readDocument(at.file, within, at.syntax)
	if err != nil {
		l.found = append(l.found, skill.ConfigInvalid.New(at.file, err.line, err.what, err.hint))
		return
	}
	if doc != nil {
		at.seen = map[string]int{}
		l.unfollowed(at, doc)
		l.table(at, allKeys(), nil, doc)
	}
}

// table takes what a table of a file holds. some are the keys that can be in it.
func (l *loader) table(at layer, some []*KeyInfo, path []string, table *tree.Node) {
	for _, m := range table.Map {
		if m.Key == at.syntax.include && m.Key != "" {
			continue // it is no setting
		}
		path := append(path, m.Key)
		key, canonical, how := lookupAmong(some, path)
		switch {
		case how == leaf:
			l.take(at, key, canonical, m.Value, m.Line)
		case how == branch && m.Value.Kind == tree.Map:
			if at.name == layerHost {
				l.merged.table(l.named(slices.Clone(path))) // it is there, for skills that ask
			}
			l.table(at, narrow(some, path), path, m.Value)
		case path[0] == agents:
			l.agents(at, path, m, how)
		case how == branch:
			l.say(skill.ConfigBadValue, at, m.Line, FormatKey(path)+" must be a table, not "+describe(m.Value),
				at.syntax.tableHint(FormatKey(path)))
		case path[0] == "skills":
			l.unknown(at, path, m)
		default:
			if meant := suggest(path, nil); meant != "" && at.name != layerHost {
				l.say(skill.ConfigUnknownKey, at, m.Line, FormatKey(path)+" is no key of knack", "did you mean "+meant+"?")
			}
			l.keep(at, nil, path, m.Value, m.Line)
		}
	}
}

// unknown reports a key below [skills], which nobody but Knack could mean. A
// host may mean it, so that skills can ask its file about it.
func (l *loader) unknown(at layer, path []string, m tree.Member) {
	name := FormatKey(path)
	meant := suggest(path, nil)
	if meant == "" && len(path) == 2 && looksLikeEntry(m.Key, m.Value) {
		meant = FormatKey([]string{"skills", "entries", m.Key})
	}
	what, hint := name+" is no key of knack", "remove it; knack config list shows the keys there are"
	if slices.Contains(removed[:], name) {
		what, hint, meant = name+" has no effect: there is no such setting any more", "remove it", ""
	}
	if at.name == layerHost {
		if meant = l.hostMeans(at, meant); meant == "" {
			what, at.advice = name+": knack does not know it; the host may", true
		}
		hint = ""
		l.keep(at, nil, l.named(slices.Clone(path)), m.Value, m.Line)
	}
	if meant != "" {
		hint = "did you mean " + meant + "?"
	}
	l.say(skill.ConfigUnknownKey, at, m.Line, what, hint)
}

// hostMeans spells a key that may be meant as the host does; empty if it has no
// such key.
func (l *loader) hostMeans(at layer, meant string) string {
	path, err := ParseKey(meant)
	if err != nil {
		return ""
	}
	info, path, how := lookup(path)
	if how != leaf {
		return meant
	}
	if path, err = l.in.Host.spell(at.syntax, info, path); err != nil {
		return ""
	}
	return FormatKey(path)
}
