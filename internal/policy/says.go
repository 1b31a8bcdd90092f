package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// Kinds of refusals that a host may have its own words for.
const (
	sayInstalled     = "installed"
	sayInstalledHint = "installed_hint"
	sayPermission    = "permission"
)

func checkSays(says map[string]string) error {
	known := []string{sayInstalled, sayInstalledHint, sayPermission}
	for _, kind := range slices.Sorted(maps.Keys(says)) {
		if !slices.Contains(known, kind) {
			return fmt.Errorf("policy.says words %q; it can word %s", kind, strings.Join(known, ", "))
		}
	}
	return nil
}

// say is the host's wording of a refusal, else ours.
func (p *Policy) say(kind, ours string, filled ...string) string {
	text, ok := p.says[kind]
	if !ok {
		return ours
	}
	return strings.NewReplacer(filled...).Replace(text) // in one pass: a name may look like a placeholder
}

// keptBack is the refusal of a tool that skills of installed trust have no
// grant for.
func (q *question) keptBack(lacking []string) skill.Reason {
	toolName := wording.Name(q.tool.Name)
	names, grants, trusts := make([]string, len(lacking)), make([]string, len(lacking)), make([]string, len(lacking))
	for i, name := range lacking {
		word := wording.ShellWord(wording.Name(name))
		names[i] = wording.Name(name)
		grants[i] = "knack grant " + word + " " + wording.ShellWord(toolName)
		if q.tool.Effects.Network && !q.tool.Effects.Run { // a program may do without
			grants[i] += " --net HOST"
		}
		trusts[i] = "knack trust " + word
	}
	is, who := "is", joined(names, "and")
	if len(names) > 1 {
		is = "are"
	}
	filled := []string{"{tool}", toolName, "{skill}", who}
	return skill.Reason{
		Code: skill.ToolAttenuated,
		Message: q.say(sayInstalled,
			toolName+" is kept back while "+who+" "+is+" active, which "+is+" not trusted and "+has(len(names))+" no grant for it", filled...),
		Hint: q.say(sayInstalledHint, strings.Join(grants, " && ")+", or "+strings.Join(trusts, " && "), filled...),
	}
}

func has(n int) string {
	if n > 1 {
		return "have"
	}
	return "has"
}

func (q *question) ownerInactive() skill.Reason {
	name := wording.Name(q.tool.Skill)
	return skill.Reason{
		Code:    skill.ToolAttenuated,
		Message: wording.Name(q.tool.Name) + " belongs to " + name + ", which is not active",
		Hint:    "activate " + name + " first",
	}
}

func (q *question) takenAway(name string, r rule) skill.Reason {
	name = wording.Name(name)
	return skill.Reason{
		Code:    skill.ToolDisallowed,
		Message: wording.Name(q.tool.Name) + " is taken away by " + name + " (disallowed-tools: " + wording.Name(r.String()) + ")",
		Hint:    "deactivate " + name + ", or take the rule out of its disallowed-tools",
	}
}

// effectNames words what tools do, and names a permission for it.
var effectNames = [...]struct {
	has        func(tool.Effects) bool
	does       string
	permission string
}{
	{func(e tool.Effects) bool { return e.Read }, "read", "file_read"},
	{func(e tool.Effects) bool { return e.Write }, "write", "file_write"},
	{func(e tool.Effects) bool { return e.Run }, "run programs", "shell_exec"},
	{func(e tool.Effects) bool { return e.Network }, "reach the network", "http_request"},
}

func (q *question) aboveCeiling(owner *Active, beyond tool.Effects) skill.Reason {
	var does, wanted []string
	for _, e := range effectNames {
		if e.has(beyond) {
			does, wanted = append(does, e.does), append(wanted, e.permission)
		}
	}
	declared := make([]string, len(owner.Permissions))
	for i, permission := range owner.Permissions {
		declared[i] = wording.Name(permission)
	}
	name := wording.Name(owner.Name)
	return skill.Reason{
		Code: skill.ToolCeiling,
		Message: wording.Name(q.tool.Name) + " can " + joined(does, "and") + ", which the permissions of " + name +
			" do not name (" + strings.Join(declared, ", ") + ")",
		Hint: "if it should, add " + joined(wanted, "and") + " to the permissions of " + name,
	}
}

// MissingReason words that a skill needs a permission which [Policy.Missing]
// found no tool for.
func (p *Policy) MissingReason(name, permission string) skill.Reason {
	tools := providers(permission)
	spelt := make([]string, len(tools))
	for i, t := range tools {
		spelt[i] = wording.Name(t)
	}
	name, permission = wording.Name(name), wording.Name(permission)
	return skill.Reason{
		Code: skill.PermissionMissing,
		Message: p.say(sayPermission, name+" needs the permission "+permission+", and there is no tool for it",
			"{skill}", name, "{permission}", permission),
		Hint: "make a tool available that is called " + joined(spelt, "or"),
	}
}
