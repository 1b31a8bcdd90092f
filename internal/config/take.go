package config

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// take checks the value of a known key and keeps what is good of it.
func (l *loader) take(at layer, key *KeyInfo, path []string, n *tree.Node, line int) {
	path = l.named(path)
	name := FormatKey(path)
	if at.name == layerWorkspace && !key.Workspace {
		l.refuse(at, line, "may not set "+name, "")
		return
	}
	if first, again := at.seen[name]; again {
		l.say(skill.ConfigBadValue, at, line, fmt.Sprintf("%s is set on line %d already, in another spelling", name, first), "remove one of the two")
		return
	}
	if at.seen != nil {
		at.seen[name] = line
	}
	value := l.accept(at, key, name, n, line)
	if value == nil || at.name == layerWorkspace && !l.mayTake(at, key, path, value, line) {
		return
	}
	if at.defaults && !inEntry(path) {
		l.defaults[name] = &place{value: value, key: key, origin: at.origin(line)}
		return
	}
	l.keep(at, key, path, value, line)
}

// accept brings a value into the form of its key; nil if it cannot.
func (l *loader) accept(at layer, key *KeyInfo, name string, n *tree.Node, line int) *tree.Node {
	if at.hosts {
		key = l.in.Host.restricted(key)
	}
	value, problems := key.accept(n)
	for _, p := range problems {
		l.say(skill.ConfigBadValue, at, cmp.Or(p.line, line), name+" "+p.what, "write "+key.example(name, at.syntax.equals))
	}
	switch {
	case value == nil:
		return nil
	case key.Type == Directories:
		return l.directories(at, name, value)
	case key.Type == Directory:
		list := l.directories(at, name, &tree.Node{Kind: tree.List, List: []*tree.Node{value}})
		if len(list.List) == 0 {
			return nil
		}
		return list.List[0]
	case key.refers && at.syntax.templates:
		return fromTemplate(value)
	}
	return value
}

// mayTake reports whether a value of a workspace takes away: it neither switches
// on what is off nor raises what is low.
func (l *loader) mayTake(at layer, key *KeyInfo, path []string, value *tree.Node, line int) bool {
	was := l.effective(path...)
	if was == nil {
		return true
	}
	name := FormatKey(path)
	switch {
	case key.offOnly && value.Text == "true" && !was.yes() && was.origin.File != "":
		l.refuse(at, line, "may not switch on what "+was.origin.File+" switches off: "+name, "change it there if you want it on")
	case key.offOnly && value.Text == "true" && !was.yes():
		l.refuse(at, line, "may not switch on "+name, "")
	case key.lowOnly && key.bound(value) > key.bound(was.value):
		l.refuse(at, line, "may not raise "+name+" above "+was.text(), "")
	default:
		return true
	}
	return false
}

// refuse says what a workspace's file may not do, and where it could be done.
func (l *loader) refuse(at layer, line int, what, hint string) {
	instead := "set it in " + cmp.Or(l.in.Home, "your own configuration") + " instead"
	l.say(skill.ConfigRefused, at, line, "a workspace's configuration "+what, cmp.Or(hint, instead))
}

// named gives the name of a skill's entry the spelling it was first given:
// skills are known by their names in any letter case, so two spellings must
// not make two entries, but where a host tells them apart.
func (l *loader) named(path []string) []string {
	if inEntry(path) && !l.in.Host.ExactNames {
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
	if n.Kind == tree.Map && (key == nil || !key.refers) {
		l.merged.table(path)
		for _, m := range n.Map {
			l.keep(at, key, append(path, m.Key), m.Value, m.Line)
		}
		return
	}
	p := l.merged.at(path)
	now := place{value: n, key: key, origin: at.origin(line)}
	if was := l.effective(path...); key != nil && key.united && was != nil {
		now.value = unite(was.value, n)
		now.parts = append(was.layers(), &place{value: n, origin: now.origin})
	}
	*p = now
}

// layers are the lists that a list was united of; of any other value, itself.
func (p *place) layers() []*place {
	if len(p.parts) == 0 {
		return []*place{{value: p.value, origin: p.origin}}
	}
	return slices.Clone(p.parts)
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

// bound is the number of a key that bounds something.
func (k *KeyInfo) bound(n *tree.Node) int {
	if value := integer(n); value != 0 || !k.zeroIsAll {
		return value
	}
	return math.MaxInt
}
