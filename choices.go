package knack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// choices turns settings into what the catalog asks about.
func (e *Engine) choices() catalog.Choices {
	s := e.settings
	c := catalog.Choices{
		Off:          !s.Skills.Enabled,
		Excluded:     s.Skills.Excluded,
		AllowBundled: s.Skills.AllowBundled,
		Only:         s.Skills.Only,
		OnlyFor:      s.Skills.OnlyFor,
		Disabled:     map[string]bool{},
		Supplied:     map[string]gate.Supplied{},
		ExactKeys:    e.foreign.ExactNames,
	}
	for key, entry := range s.Skills.Entries {
		if !c.ExactKeys {
			key = strings.ToLower(key)
		}
		c.Disabled[key] = !entry.Enabled
		c.Supplied[key] = gate.Supplied{Env: entry.Env, APIKey: entry.HasAPIKey()}
	}
	c.Origin = e.origin
	return c
}

// origin says which file or variable made a choice about a skill, and how to
// undo that where the user's own file is not the one: a workspace's word stands
// until it is changed there.
func (e *Engine) origin(why skill.Code, entry *skill.Entry) (where, undo string) {
	switch why {
	case skill.ReasonOff:
		return e.keyOrigin("skills", "enabled")
	case skill.ReasonDisabled:
		return e.keyOrigin("skills", "entries", entry.Key(), "enabled")
	case skill.ReasonExcluded:
		return e.excludedOrigin(entry)
	case skill.ReasonNotAllowed:
		return e.unlistedOrigin(e.settings.BundledList(), entry)
	case skill.ReasonFiltered:
		list := e.settings.OnlyList()
		where, undo = e.unlistedOrigin(list, entry)
		return strings.TrimSuffix(list.Key+", "+where, ", "), undo
	}
	return "", ""
}

// keyOrigin is the origin of a choice that a key of its own makes.
func (e *Engine) keyOrigin(path ...string) (where, undo string) {
	key := config.FormatKey(path)
	v, _ := e.settings.Get(key)
	if v.Origin.Layer == "environment" {
		return v.Origin.Name, "unset " + v.Origin.Name
	}
	if flags, ok := e.writes(v.Origin, key); ok && flags != "" {
		undo = "knack config unset" + flags + " " + wording.ShellWord(key)
	}
	return place(v.Origin), undo
}

// excludedOrigin is the origin of a list that a skill is on.
func (e *Engine) excludedOrigin(entry *skill.Entry) (where, undo string) {
	list, name, ok := e.settings.Excluding(entry.Name, entry.Slug)
	if !ok {
		return "", ""
	}
	where = place(list.Origin)
	flags, ok := e.writes(list.Origin, list.Key)
	general := list.Key == excludedKey
	left := slices.DeleteFunc(slices.Clone(list.Names), func(n string) bool { return n == name })
	switch {
	case list.Origin.Layer == "environment":
		return list.Origin.Name, "unset " + list.Origin.Name
	case general && list.Origin.Layer == "home":
		return where, "" // the usual command helps
	case general && list.Origin.Layer == "host" && e.foreign.Switch == config.SwitchExcluded && strings.EqualFold(name, entry.Key()):
		undo = "knack enable " + wording.ShellWord(entry.Name) + " --host " + wording.ShellWord(e.profile.Name) + " --write-host"
	case !ok || list.Origin.Layer == "workspace":
		undo = "remove " + wording.Quote(name) + " from " + list.Key + " in " + cmp.Or(where, "the configuration")
	case len(left) == 0:
		undo = "knack config unset" + flags + " " + wording.ShellWord(list.Key)
	default:
		undo = "knack config set" + flags + " " + wording.ShellWord(list.Key) + " " + wording.ShellWord(edit.FormatList(left))
	}
	if !general {
		where = strings.TrimSuffix(list.Key+", "+where, ", ")
	}
	return where, undo
}

// excludedKey is the list of excluded skills that is not about one agent.
const excludedKey = "skills.excluded"

// unlistedOrigin is the origin of a list that a skill is not on.
func (e *Engine) unlistedOrigin(list config.List, entry *skill.Entry) (where, undo string) {
	where = place(list.Origin)
	flags, ok := e.writes(list.Origin, list.Key)
	switch {
	case list.Origin.Layer == "environment":
		return list.Origin.Name, "unset " + list.Origin.Name
	case !ok || list.ByHand:
		undo = "add " + wording.Quote(entry.Name) + " to " + list.Key + " in " + cmp.Or(where, "the configuration")
	default:
		undo = "knack config set" + flags + " " + wording.ShellWord(list.Key) + " " +
			wording.ShellWord(edit.FormatList(append(slices.Clone(list.Names), entry.Name)))
	}
	return where, undo
}

// writes returns the flags with which a command changes a key where it was set,
// and whether there is such a command.
func (e *Engine) writes(at config.Origin, key string) (flags string, ok bool) {
	switch {
	case at.File == "":
		return "", false
	case at.Layer == "home":
		return "", true
	case at.Layer == "workspace":
		return " --local", true
	case at.Layer == "host" && e.foreign.Has(key):
		return " --write-host --host " + wording.ShellWord(e.profile.Name), true
	}
	return "", false
}

// place is a file and its line.
func place(at config.Origin) string {
	if at.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}
