// Package gate answers one question: can this skill work here?
//
// A skill declares what it needs ([skill.Requirements]): an operating system,
// programs on the PATH, environment variables, configuration values or files.
// [Checker.Check] compares that with an [Environment] and returns one
// [skill.Reason] for each thing that is missing, in a fixed order: unreadable
// requirements, operating system, programs, alternatives of programs,
// variables, configuration. No reason means that the skill can be used.
//
// The rules, where the profile does not turn them:
//
//   - os: one of the listed systems, in any letter case and under any of the
//     profile's aliases.
//   - bins: every program; anyBins: at least one.
//   - env: set and not blank in the process, or supplied by the configuration
//     under the skill's key, or, for primaryEnv, filled by its api_key.
//   - config: a path must exist; a dotted key must be set and be neither
//     false, zero nor blank.
//   - always: true leaves out every gate but the operating system's.
//   - Requirements that could not be read gate the skill, whatever else it
//     says: unknown is not the same as none.
//
// Each reason carries a hint, wherever possible a command that the user can
// run. A skill is written by a stranger and people paste hints into shells, so
// text of the skill gets into a hint only where it is known to be harmless
// there: package names must be plain words, keys are quoted for the shell, and
// control characters are removed everywhere. A message may be in the words of
// the host that is emulated ([Rules].Says); the hint is Knack's all the same.
//
// The check itself is pure. [Machine] makes the environment of this machine;
// it alone asks the operating system.
package gate

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// question is one skill before one machine.
type question struct {
	*Checker
	skill *skill.Skill
	given Supplied
	env   *Environment
}

// gates are all conditions, in the order in which reasons are given.
var gates = [...]struct {
	reason skill.Code
	check  func(*question) []skill.Reason
}{
	{skill.ReasonUnknown, (*question).readable},
	{skill.ReasonOS, (*question).system},
	{skill.ReasonBin, (*question).programs},
	{skill.ReasonAnyBin, (*question).anyProgram},
	{skill.ReasonEnv, (*question).variables},
	{skill.ReasonConfig, (*question).configuration},
}

// Check returns the reasons why s cannot be used here; none means it can.
func (c *Checker) Check(s *skill.Skill, given Supplied, env *Environment) []skill.Reason {
	q := question{Checker: c, skill: s, given: given, env: env}
	var reasons []skill.Reason
	for _, gate := range gates {
		if !s.Requires.Always || !c.skipped(gate.reason) {
			reasons = append(reasons, gate.check(&q)...)
		}
	}
	return reasons
}

func (q *question) readable() []skill.Reason {
	if !q.skill.Requires.Unreadable {
		return nil
	}
	return []skill.Reason{{
		Code:    skill.ReasonUnknown,
		Message: "its requirements could not be read, so nobody can say whether they are met",
		Hint:    "knack show " + wording.ShellWord(wording.Name(q.skill.Name)) + " tells which line to mend",
	}}
}

func (q *question) system() []skill.Reason {
	wanted, here := q.skill.Requires.OS, q.env.OS
	if len(wanted) == 0 || slices.ContainsFunc(wanted, func(name string) bool { return q.isSystem(q.Checker, name, here) }) {
		return nil
	}
	reason := skill.Reason{Code: skill.ReasonOS}
	if q.fits(wanted, here) { // right but for the spelling
		have := wording.Name(q.hostName(here))
		reason.Message = "needs a system called " + orList(cleaned(wanted)) + "; this one is called " + have
		reason.Hint = "the skill's author has to list " + have + " under os"
	} else {
		var names []string
		for _, system := range wanted {
			if name := systemName(q.canonical(system)); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		reason.Message = "needs " + orList(names) + "; this is " + systemName(here)
		reason.Hint = "use it on a machine with " + orList(names)
	}
	reason.Message = q.say(skill.ReasonOS, reason.Message, wanted...)
	return []skill.Reason{reason}
}

func (q *question) programs() []skill.Reason {
	var reasons []skill.Reason
	for _, bin := range missing(q.skill.Requires.Bins, q.env.HasBin) {
		reasons = append(reasons, skill.Reason{
			Code:    skill.ReasonBin,
			Message: q.say(skill.ReasonBin, "needs "+wording.Name(bin)+", which is not on your PATH", bin),
			Hint:    q.installHint(bin),
		})
	}
	return reasons
}

func (q *question) anyProgram() []skill.Reason {
	wanted := q.skill.Requires.AnyBins
	if len(wanted) == 0 || slices.ContainsFunc(wanted, q.env.HasBin) {
		return nil
	}
	message := "needs " + orList(cleaned(wanted)) + "; none of them is on your PATH"
	if len(wanted) == 1 {
		message = "needs " + wording.Name(wanted[0]) + ", which is not on your PATH"
	}
	return []skill.Reason{{
		Code:    skill.ReasonAnyBin,
		Message: q.say(skill.ReasonAnyBin, message, wanted...),
		Hint:    q.installHint(wanted...),
	}}
}

func (q *question) variables() []skill.Reason {
	var reasons []skill.Reason
	for _, name := range missing(q.skill.Requires.Env, q.hasVariable) {
		reasons = append(reasons, skill.Reason{
			Code:    skill.ReasonEnv,
			Message: q.say(skill.ReasonEnv, "needs the environment variable "+wording.Name(name), name),
			Hint:    q.variableHint(name),
		})
	}
	return reasons
}

func (q *question) hasVariable(name string) bool {
	return slices.ContainsFunc(q.sources, func(s variableSource) bool { return s.has(q, name) })
}

func inProcess(q *question, name string) bool {
	if q.blank {
		_, set := q.env.LookupEnv(name)
		return set
	}
	return strings.TrimSpace(q.env.Getenv(name)) != ""
}

func inConfig(q *question, name string) bool {
	value, set := q.given.Env[name]
	return set && q.blank || strings.TrimSpace(value) != "" ||
		q.given.APIKey && name == q.skill.Requires.PrimaryEnv
}

func (q *question) configuration() []skill.Reason {
	var reasons []skill.Reason
	for _, value := range missing(q.skill.Requires.Config, q.hasConfig) {
		reason := skill.Reason{Code: skill.ReasonConfig}
		if q.isFile(value) {
			reason.Message = "needs the file " + wording.Name(value) + ", which does not exist"
			reason.Hint = "create the file " + wording.Name(q.expand(value))
		} else {
			reason.Message = "needs the configuration to set " + wording.Name(value)
			reason.Hint = "knack config set " + configKey(keyParts(value)...) + " true"
		}
		reason.Message = q.say(skill.ReasonConfig, reason.Message, value)
		reasons = append(reasons, reason)
	}
	return reasons
}

func (q *question) hasConfig(value string) bool {
	if q.isFile(value) {
		return q.env.FileExists(q.expand(value))
	}
	return q.env.ConfigTruthy(value)
}

// expand puts the home directory for a leading ~. The ~ of other users is not
// known here and stays.
func (q *question) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && q.env.Home != "" && (rest == "" || isSlash(rest[0])) {
		return q.env.Home + rest
	}
	return path
}

// keyParts splits a key the way the configuration is asked for it: at every
// dot, without empty parts.
func keyParts(key string) []string {
	return slices.DeleteFunc(strings.Split(key, "."), func(part string) bool { return part == "" })
}

// missing returns what there is not, each once.
func missing(wanted []string, has func(string) bool) []string {
	var out []string
	for _, name := range wanted {
		if !has(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
