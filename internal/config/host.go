package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// Host is the configuration of another system, as its profile describes it. It
// counts over the defaults and below the user's own files.
type Host struct {
	Name string // whose it is, for messages
	// Reader names the syntax of File: one of [Readers]; "env" or empty if
	// there is no file.
	Reader string
	File   string // absolute; it need not exist
	// Env are the variables it reads, and the keys that they set. They count as
	// Knack's own variables do, which override them.
	Env map[string]string
	// Defaults are values by key that differ from Knack's, as TOML decodes them.
	Defaults map[string]any
	// Keys are what its file can have, as patterns in the manner of
	// [KeyInfo.Key] and in its own or Knack's spelling; all keys if empty. Only
	// [SetHost] asks: a file that has more is read all the same.
	Keys []string
	// Switch is how its file switches one skill off: [SwitchEntries],
	// [SwitchExcluded]; empty if it has no way.
	Switch string
	// Choices are the words that it has for a key, by the key in Knack's
	// spelling; all that Knack has where there are none.
	Choices map[string][]string
	// ExactNames says that the names of entries count in their letter case. They
	// then do so in every file, since entries mix.
	ExactNames bool
}

// The ways in which a host's file switches one skill off.
const (
	SwitchEntries  = "entries"  // skills.entries.NAME.enabled
	SwitchExcluded = "excluded" // the list skills.excluded
)

// noFile is the reader of a host that has variables only.
const noFile = "env"

// Readers are the names a host's Reader can have, besides the empty one.
func Readers() []string {
	names := []string{noFile}
	for _, s := range syntaxes {
		names = append(names, s.name)
	}
	return names
}

// hasFile reports whether the host has a file, be it there or not.
func (h Host) hasFile() bool { return h.File != "" && h.Reader != "" && h.Reader != noFile }

// restricted is a key with those of its choices that the host has.
func (h Host) restricted(info *KeyInfo) *KeyInfo {
	if info == nil || len(h.Choices[info.Key]) == 0 {
		return info
	}
	own := *info
	own.choices = h.Choices[info.Key]
	own.Default = edit.QuoteTOML(own.choices[0]) // for examples
	return &own
}

// host takes the defaults and the file of the host to behave as.
func (l *loader) host() {
	h := l.in.Host
	l.defaults = map[string]*place{}
	at := layer{name: layerHost, text: h.Name, syntax: &ownSyntax, defaults: true}
	for _, key := range slices.Sorted(maps.Keys(h.Defaults)) {
		l.hostDefault(at, key, h.Defaults[key])
	}
	if !h.hasFile() {
		return
	}
	in := syntaxOf(h.Reader)
	if in == nil {
		l.say(skill.ConfigInvalid, at, 0, fmt.Sprintf("its configuration is written as %q, which is not known", h.Reader),
			"mend its profile; the readers are "+orList(Readers()))
		return
	}
	l.foreign, l.hidden = true, in.hidden
	if !sameFile(h.File, l.in.Home) {
		l.file(layer{name: layerHost, file: h.File, base: filepath.Dir(h.File), syntax: in, hosts: true})
	}
}

// hostDefault takes one default of a profile.
func (l *loader) hostDefault(at layer, key string, value any) {
	path, err := ParseKey(key)
	if err == nil {
		err = checkKey(path)
	}
	if err != nil {
		l.say(skill.ConfigUnknownKey, at, 0, err.Error(), "mend the profile of "+at.text)
		return
	}
	n := nodeOf(value)
	if info, canonical, how := lookup(path); how == leaf {
		l.take(at, info, canonical, n, 0)
	} else {
		l.defaults[FormatKey(path)] = &place{value: n, origin: at.origin(0)}
	}
}

// nodeOf makes a node of a value that TOML was decoded into.
func nodeOf(value any) *tree.Node {
	switch v := value.(type) {
	case bool:
		return &tree.Node{Kind: tree.Bool, Text: strconv.FormatBool(v)}
	case int, int64, uint64:
		return &tree.Node{Kind: tree.Number, Text: fmt.Sprint(v)}
	case float64:
		return &tree.Node{Kind: tree.Number, Text: strconv.FormatFloat(v, 'f', -1, 64)}
	case []string:
		list := &tree.Node{Kind: tree.List}
		for _, item := range v {
			list.List = append(list.List, nodeOf(item))
		}
		return list
	case []any:
		list := &tree.Node{Kind: tree.List}
		for _, item := range v {
			list.List = append(list.List, nodeOf(item))
		}
		return list
	case map[string]any:
		table := &tree.Node{Kind: tree.Map}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			table.Map = append(table.Map, tree.Member{Key: key, Value: nodeOf(v[key])})
		}
		return table
	}
	return &tree.Node{Kind: tree.String, Text: fmt.Sprint(value)}
}
