package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// agents is the table of agents. A few of its keys concern skills; the others
// belong to whoever runs the agents, and are free. It is put together because
// the word by itself names a profile, and no step knows profiles.
const agents = "agent" + "s"

// agents takes a member of the table of agents that is none of Knack's keys.
func (l *loader) agents(at layer, path []string, m tree.Member, how fit) {
	// What is no table does not take the place of one that other layers wrote:
	// that would lift what they restrict.
	if was := l.merged.find(path...); how == branch && was != nil && was.below != nil {
		return
	}
	l.keep(at, nil, path, m.Value, m.Line)
	if len(path) == 2 && path[1] == "list" && m.Value.Kind == tree.List {
		l.agentList(at, m.Value)
	}
}

// agentList takes agents in the shape that some files still have, a list of
// tables with an id.
func (l *loader) agentList(at layer, list *tree.Node) {
	for _, item := range list.List {
		id, skills := item.Get("id"), item.Get("skills")
		if id == nil || id.Kind != tree.String || id.Text == "" || skills == nil {
			continue
		}
		key, path, _ := lookup([]string{agents, "entries", id.Text, "skills"})
		l.take(at, key, path, skills, skills.Line)
	}
}

// listedAgent refuses to set the skills of an agent that a file has in its list:
// they would be set twice.
func listedAgent(doc *tree.Node, path []string) error {
	list := doc.Lookup(agents, "list")
	if list == nil || len(path) != 4 || path[0] != agents || path[1] != "entries" {
		return nil
	}
	for _, item := range list.List {
		if id := item.Get("id"); id != nil && id.Text == path[2] && item.Get("skills") != nil {
			return &tree.Error{Line: item.Line, Msg: "the list of agents has " + path[2] + " already; change its skills there"}
		}
	}
	return nil
}

// only is the list of skills that the agent in force may use, and whose list
// it is.
func (s *Settings) only() (skills []string, whose string) {
	for _, name := range s.agentNames(s.merged.find(agents, "entries")) {
		if own := s.merged.find(agents, "entries", name, "skills"); own != nil && own.value != nil {
			return own.names(), s.Agent
		}
	}
	return s.effective(agents, "defaults", "skills").names(), ""
}

// denied are the skills that the agent in force may not use.
func (s *Settings) denied() []string {
	var denied []string
	for _, name := range s.agentNames(s.merged.find(agents)) {
		denied = append(denied, s.merged.find(agents, name, "denied_skills").words()...)
	}
	return denied
}

// agentNames are the spellings under which a table has the agent in force, the
// one as given first: names count in any letter case.
func (s *Settings) agentNames(table *place) []string {
	if s.Agent == "" || table == nil {
		return nil
	}
	names := []string{s.Agent}
	for _, name := range slices.Sorted(maps.Keys(table.below)) {
		if name != s.Agent && strings.EqualFold(name, s.Agent) {
			names = append(names, name)
		}
	}
	return names
}
