package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// SetHost makes changes in the file of a host as [SetAll] does in Knack's own:
// all or none, with everything else and its comments as it was. Keys are
// written as the file spells them already, else as the host does. The file is
// made if it is not there.
//
// It fails for a key that the host does not have, and for a host without a
// file; the error then names the variable to set instead.
func SetHost(ctx context.Context, h Host, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	in, err := h.form(changes[0].Key, "set")
	if err != nil {
		return err
	}
	edits, err := editsOf(changes, in)
	if err != nil {
		return err
	}
	return change(ctx, h.File, in.syntax, edits)
}

// UnsetHost takes one key out of the file of a host, in each of its spellings,
// as [Unset] does.
func UnsetHost(ctx context.Context, h Host, key string) error {
	in, err := h.form(key, "unset")
	if err != nil {
		return err
	}
	return unset(ctx, h.File, in, key)
}

// SetHostEnabled switches skills on or off in the file of a host, in the host's
// own way. Names count in any letter case.
func SetHostEnabled(ctx context.Context, h Host, enabled bool, names []string) error {
	switch h.Switch {
	case SwitchEntries:
		changes := make([]Change, len(names))
		for i, name := range names {
			changes[i] = Change{FormatKey([]string{"skills", "entries", name, "enabled"}), fmt.Sprint(enabled)}
		}
		return SetHost(ctx, h, changes)
	case SwitchExcluded:
		return h.exclude(ctx, enabled, names)
	}
	return fmt.Errorf("%s has no setting that switches one skill on or off; switch it in knack's own configuration", h.Name)
}

// exclude puts names on the list of excluded skills, or takes them off it.
func (h Host) exclude(ctx context.Context, enabled bool, names []string) error {
	const list = "skills.excluded"
	in, err := h.form(list, "set")
	if err != nil {
		return err
	}
	info, path, _ := lookup(strings.Split(list, "."))
	spelling, err := in.spell(info, path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(h.File); enabled && errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is excluded there
	}
	return change(ctx, h.File, in.syntax, func(data []byte, doc *tree.Node) ([]byte, error) {
		at := in.target(doc, info, path, spelling)
		was := doc.Lookup(at...)
		if was != nil && was.Kind != tree.List {
			return nil, &tree.Error{Line: was.Line, Msg: FormatKey(at) + " must be a list of strings, not " + describe(was)}
		}
		now := &tree.Node{Kind: tree.List}
		if was != nil {
			now.List = slices.DeleteFunc(slices.Clone(was.List), func(n *tree.Node) bool {
				return enabled && slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, n.Text) })
			})
		}
		for _, name := range names {
			if !enabled && !slices.ContainsFunc(now.List, func(n *tree.Node) bool { return strings.EqualFold(name, n.Text) }) {
				now.List = append(now.List, &tree.Node{Kind: tree.String, Text: name})
			}
		}
		if was == nil && len(now.List) == 0 {
			return data, nil // nothing is excluded there
		}
		return in.put(data, doc, at, now)
	})
}

// form is how the host's file is written. If it has none, the error says how
// the key can be set or unset instead.
func (h Host) form(key, verb string) (*form, error) {
	if h.hasFile() {
		if in := syntaxOf(h.Reader); in != nil {
			return &form{
				syntax: in, restricted: h.restricted, exact: h.ExactNames,
				spell: func(info *KeyInfo, path []string) ([]string, error) { return h.spell(in, info, path) },
			}, nil
		}
		return nil, fmt.Errorf("host %s: its configuration is written as %q, which is not known; the readers are %s",
			h.Name, h.Reader, orList(Readers()))
	}
	path, err := ParseKey(key)
	if err != nil {
		return nil, err
	}
	_, path, _ = lookup(path)
	name := FormatKey(path)
	if variables := h.variables(name); len(variables) > 0 {
		return nil, fmt.Errorf("%s has no configuration file; %s the variable %s for %s", h.Name, verb, strings.Join(variables, " or "), name)
	}
	others := ""
	if len(h.Env) > 0 {
		others = "; it reads " + strings.Join(slices.Sorted(maps.Keys(h.Env)), ", ")
	}
	return nil, fmt.Errorf("%s has no configuration file, and no variable for %s%s", h.Name, name, others)
}

// variables are those that set a key.
func (h Host) variables(key string) []string {
	var found []string
	for _, variable := range slices.Sorted(maps.Keys(h.Env)) {
		if path, err := ParseKey(h.Env[variable]); err == nil {
			if _, path, _ = lookup(path); FormatKey(path) == key {
				found = append(found, variable)
			}
		}
	}
	return found
}

// spell is how the host spells a key; an error if it does not have it. Keys
// that are not Knack's are the host's, whatever they are.
func (h Host) spell(in *syntax, info *KeyInfo, path []string) ([]string, error) {
	if info == nil {
		return path, nil
	}
	names, _ := match(info.Key, path)
	// The keys with a variable of Knack's are about Knack.
	pattern, ok := info.Key, len(h.Keys) == 0 && info.variable == ""
	for spelling := range info.spellings() {
		if !ok && slices.ContainsFunc(h.Keys, func(key string) bool { return samePattern(key, spelling) }) {
			pattern, ok = spelling, true
		}
	}
	if !ok {
		return nil, fmt.Errorf("%s is no key of %s, which would not read it from %s; set it in knack's own configuration",
			FormatKey(path), h.Name, h.File)
	}
	if in.camel && strings.Contains(pattern, "_") {
		for _, alias := range info.aliases {
			if !strings.Contains(alias, "_") {
				pattern = alias
				break
			}
		}
	}
	return fill(pattern, names), nil
}

// samePattern compares two patterns; what stands in angle brackets is any name.
func samePattern(a, b string) bool {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	return slices.EqualFunc(one, other, func(a, b string) bool {
		return a == b || strings.HasPrefix(a, "<") && strings.HasPrefix(b, "<")
	})
}
