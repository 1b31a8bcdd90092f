package trust

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// workspaceClass is the class of the roots that come with a workspace.
const workspaceClass = "workspace"

// acceptWorkspace is the command that accepts the workspace as it is.
const acceptWorkspace = "knack trust --here"

// Judge computes the trust of a skill. e.Trust is that of its root.
func (b *Book) Judge(e *skill.Entry, in Context) Verdict {
	h := hearing{Entry: e, in: in, place: Place(e), verdict: Verdict{Trust: e.Trust}}
	if skill.Installed.Below(e.Trust) {
		if e.Source == workspaceClass && !in.AcceptWorkspace {
			h.askWorkspace(b)
		}
		if in.Provenance != nil && filepath.IsAbs(e.Path) {
			h.askProvenance()
		}
	}
	if decided, ok := b.records[h.place]; ok {
		h.askUser(decided)
	}
	return h.verdict
}

// hearing is the judgement of one skill.
type hearing struct {
	*skill.Entry
	in      Context
	place   string
	verdict Verdict

	asked bool // the two below are known
	sum   string
	err   error
}

// askWorkspace lowers the trust if the skill is not as it was when the user
// accepted its workspace.
func (h *hearing) askWorkspace(b *Book) {
	accepted, ok := b.workspaces[clean(h.in.Workspace)]
	if !ok || accepted.Refused {
		which := "a workspace"
		if h.in.Workspace != "" {
			which = "the workspace " + wording.Quote(h.in.Workspace)
		}
		h.lower(skill.WorkspaceNotAccepted, "it comes with "+which+", which you have not accepted", acceptWorkspace)
		return
	}
	since := "after you accepted the workspace" + on(accepted.When)
	hint := h.look() + ", then " + acceptWorkspace
	digest, known := accepted.Digests[below(accepted.Path, h.place)]
	if !known {
		h.lower(skill.WorkspaceChanged, "it was added "+since, hint)
		return
	}
	switch same, err := h.holds(digest); {
	case err != nil:
		h.lower(skill.WorkspaceChanged, "whether it was changed "+since+" cannot be told, because "+wording.Name(err.Error()), hint)
	case !same:
		h.lower(skill.WorkspaceChanged, "it was changed "+since, hint)
	}
}

// askProvenance lowers the trust of what another program installed.
func (h *hearing) askProvenance() {
	if source, found := h.in.Provenance(h.Path); found {
		h.lower(skill.RecordedProvenance, "it was installed from "+wording.Name(source), h.look()+", then "+h.trust())
	}
}

// askUser applies what the user decided about the skill, if it was this content.
func (h *hearing) askUser(decided Record) {
	v := &h.verdict
	raises := decided.Trusted && v.Trust.Below(skill.Trusted)
	if !raises && len(decided.Grants) == 0 {
		return
	}
	same, err := h.holds(decided.Digest)
	if same {
		v.Grants = cloneGrants(decided.Grants)
		if raises {
			v.Trust = skill.Trusted
			v.Reasons = []skill.Reason{{Code: skill.TrustGiven, Message: "you trusted it" + on(decided.When)}}
		}
		return
	}
	why := "but its content has changed since"
	if err != nil {
		why = "but whether it has changed since cannot be told, because " + wording.Name(err.Error())
	}
	if raises {
		v.Reasons = append(v.Reasons, skill.Reason{Code: skill.TrustChanged,
			Message: "you trusted it" + on(decided.When) + ", " + why, Hint: h.look() + ", then " + h.trust()})
	}
	v.Void = cloneGrants(decided.Grants)
	for _, g := range decided.Grants {
		v.Reasons = append(v.Reasons, skill.Reason{Code: skill.GrantVoid,
			Message: "you granted it " + wording.Quote(g.Tool) + on(decided.When) + ", " + why, Hint: h.look() + ", then " + h.grant(g)})
	}
}

// lower makes the skill an installed one.
func (h *hearing) lower(code skill.Code, why, hint string) {
	h.verdict.Trust = skill.Installed
	h.verdict.Reasons = append(h.verdict.Reasons, skill.Reason{Code: code, Message: why + ", so it counts as installed", Hint: hint})
}

// holds reports whether the skill's content is still what it was; on an error
// it does not.
func (h *hearing) holds(digest string) (bool, error) {
	if !h.asked {
		h.asked = true
		if h.in.Digest == nil {
			h.err = errors.New("nobody has computed its digest")
		} else if h.sum, h.err = h.in.Digest(h.Entry); h.err == nil && !isDigest(h.sum) {
			h.err = errors.New("it has no digest")
		}
	}
	return h.err == nil && h.sum == digest, h.err
}

func (h *hearing) look() string  { return "knack show " + h.word() }
func (h *hearing) trust() string { return "knack trust " + h.word() }

// grant is the command that makes a grant again.
func (h *hearing) grant(g policy.Grant) string {
	command := "knack grant " + h.word() + " " + wording.ShellWord(g.Tool)
	for _, host := range g.Net {
		command += " --net " + wording.ShellWord(host)
	}
	return command
}

func (h *hearing) word() string {
	name := h.Name
	if name == "" {
		name = h.Slug
	}
	return wording.ShellWord(wording.Name(name))
}

// on puts the day of a decision into a sentence.
func on(when time.Time) string {
	if when.IsZero() {
		return ""
	}
	return " on " + when.UTC().Format(time.DateOnly)
}
