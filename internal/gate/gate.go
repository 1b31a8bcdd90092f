package gate

import "github.com/knackhq/knack/skill"

// New checks the rules' strategy names.
func New(rules Rules) (*Checker, error) { panic("unfinished") }

// Check returns the reasons why s cannot be used here; none means it can.
func (c *Checker) Check(s *skill.Skill, given Supplied, env *Environment) []skill.Reason {
	panic("unfinished")
}
