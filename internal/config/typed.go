package config

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/environ"
	"github.com/knackhq/knack/skill"
)

// environment takes the variables of the host, then Knack's own, which override
// them.
func (l *loader) environment() {
	for _, name := range slices.Sorted(maps.Keys(l.in.Host.Env)) {
		if text, ok := environ.Lookup(l.in.Environ, name, runtime.GOOS); ok {
			l.hostVariable(name, l.in.Host.Env[name], text)
		}
	}
	for i := range keys {
		if keys[i].variable == "" {
			continue
		}
		text, ok := environ.Lookup(l.in.Environ, keys[i].variable, runtime.GOOS)
		if ok && strings.TrimSpace(text) != "" {
			l.typed(layer{name: layerEnvironment, text: keys[i].variable, syntax: &ownSyntax}, &keys[i], keys[i].path(nil), text)
		}
	}
}

// hostVariable takes a variable that another system reads. One that is blank
// is not set where any text would do, and a mistake where a word or a number
// belongs.
func (l *loader) hostVariable(name, key, text string) {
	at := layer{name: layerEnvironment, text: name, base: l.in.Workspace, syntax: &ownSyntax, mild: true, hosts: true}
	path, err := ParseKey(key)
	if err == nil {
		err = checkKey(path)
	}
	if err != nil {
		l.say(skill.ConfigUnknownKey, at, 0, err.Error(), "mend the profile of "+l.in.Host.Name)
		return
	}
	info, canonical, _ := lookup(path)
	if strings.TrimSpace(text) == "" && (info == nil || !info.worded()) {
		return
	}
	l.typed(at, info, canonical, text)
}

// worded reports whether a blank text is no value of the key.
func (k *KeyInfo) worded() bool {
	return k.Type == Boolean || k.Type == Integer || k.Type == Number || k.Type == Choice
}

func (l *loader) flags() {
	for _, name := range slices.Sorted(maps.Keys(l.in.Flags)) {
		at := layer{name: layerFlag, text: name, base: l.in.Workspace, syntax: &ownSyntax}
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
	if at.hosts {
		key = l.in.Host.restricted(key)
	}
	value, err := key.read(text)
	switch {
	case err != nil:
		l.say(skill.ConfigBadValue, at, 0, err.Error(), "use "+key.example(FormatKey(path), at.syntax.equals))
	case key == nil:
		l.keep(at, nil, path, value, 0)
	default:
		l.take(at, key, path, value, 0)
	}
}
