package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// bundledClass is the class of roots that the list of allowed bundled skills
// is about.
const bundledClass = "bundled"

// judge gives an entry its status and all reasons that apply, the one that
// decided first.
func (s *scan) judge(cand *candidate) {
	var shadowed []skill.Reason
	if cand.beaten.Code != "" {
		shadowed = []skill.Reason{cand.beaten}
	}
	chosen := s.c.chosen(cand.entry)
	if s.isLimited(cand.node) {
		chosen = append([]skill.Reason{s.limited[cand.node]}, chosen...)
	}
	setStatus(cand.entry, cand.usable, shadowed, chosen, cand.gates)
}

// setStatus makes the reasons of an entry of those that other skills, the
// user's choices and the machine give.
func setStatus(e *skill.Entry, usable bool, shadowed, chosen, gates []skill.Reason) {
	if e.Diagnostics == nil {
		e.Diagnostics = []skill.Diagnostic{} // lists are never null in JSON
	}
	e.Status, e.Reasons = skill.Ready, []skill.Reason{}
	switch {
	case !usable:
		e.Status = skill.Invalid
		e.Reasons = slices.Concat(invalidReasons(e), shadowed, chosen)
		return
	case len(shadowed) > 0:
		e.Status = skill.Shadowed
	case len(chosen) > 0:
		e.Status = skill.Disabled
	case len(gates) > 0:
		e.Status = skill.Gated
	default:
		return
	}
	e.Reasons = slices.Concat(shadowed, chosen, gates)
}

// invalidReasons says what is wrong with the files of an entry.
func invalidReasons(e *skill.Entry) []skill.Reason {
	var reasons []skill.Reason
	for _, d := range e.Diagnostics {
		if d.Severity != skill.Error {
			continue
		}
		message := d.Message
		if d.Line > 0 {
			message = strings.TrimLeft(d.File[len(e.Path):], `/\`) + ":" + strconv.Itoa(d.Line) + ": " + message
		}
		reasons = append(reasons, skill.Reason{Code: skill.ReasonInvalid, Message: message, Hint: d.Hint})
	}
	if len(reasons) == 0 {
		reasons = []skill.Reason{{Code: skill.ReasonInvalid,
			Message: "its files cannot be made into a skill", Hint: "knack lint " + wording.ShellWord(e.Path)}}
	}
	return reasons
}

// chosen returns the reasons that the user's choices give.
func (c *Catalog) chosen(e *skill.Entry) []skill.Reason {
	var reasons []skill.Reason
	choices := &c.opt.Choices
	enable := "knack enable " + wording.ShellWord(e.Name)
	if choices.Off {
		reasons = append(reasons, choices.reason(skill.ReasonOff, e, "all skills are switched off",
			"knack config set skills.enabled true"))
	}
	if slices.ContainsFunc(choices.Excluded, func(name string) bool {
		return strings.EqualFold(name, e.Name) || strings.EqualFold(name, e.Slug) // as look-up does
	}) {
		reasons = append(reasons, choices.reason(skill.ReasonExcluded, e, "it is on the list of excluded skills", enable))
	}
	if len(choices.Disabled) > 0 && choices.Disabled[choices.key(e.Key())] {
		reasons = append(reasons, choices.reason(skill.ReasonDisabled, e, "the configuration switches it off", enable))
	}
	if choices.AllowBundled != nil && e.Source == bundledClass && !c.allowsBundled(e) {
		list := edit.FormatList(append(slices.Clone(choices.AllowBundled), e.Name))
		reasons = append(reasons, choices.reason(skill.ReasonNotAllowed, e, "it is not on the list of bundled skills that may be used",
			"knack config set skills.allow_bundled "+wording.ShellWord(list)))
	}
	if c.only != nil && !c.only[e.Name] {
		list := "the list of skills that may be used"
		if choices.OnlyFor != "" {
			list = "the list of skills for " + choices.OnlyFor
		}
		reasons = append(reasons, choices.reason(skill.ReasonFiltered, e, "it is not on "+list,
			"add "+wording.Quote(e.Name)+" to "+list+" in the configuration"))
	}
	return reasons
}

// key is how the choices have the configuration key of a skill.
func (c *Choices) key(key string) string {
	if c.ExactKeys {
		return key
	}
	return strings.ToLower(key)
}

// reason explains a choice by where it was made.
func (c *Choices) reason(code skill.Code, e *skill.Entry, message, hint string) skill.Reason {
	if c.Origin != nil {
		where, undo := c.Origin(code, e)
		if where != "" {
			message += " (" + where + ")"
		}
		if undo != "" {
			hint = undo
		}
	}
	return skill.Reason{Code: code, Message: message, Hint: hint}
}

func (c *Catalog) allowsBundled(e *skill.Entry) bool {
	return slices.ContainsFunc(c.opt.Choices.AllowBundled, func(name string) bool {
		return name == e.Name || name == e.Slug || name == e.Key()
	})
}

// check returns the reasons that the machine gives.
func (s *scan) check(sk *skill.Skill) []skill.Reason {
	var given gate.Supplied
	if supplied := s.c.opt.Choices.Supplied; len(supplied) > 0 {
		given = supplied[s.c.opt.Choices.key(sk.Key())]
	}
	return s.c.gate.Check(sk, given, s.env())
}
