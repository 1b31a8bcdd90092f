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

// onlyPath leads to the list of skills that the agent in force may use; whose
// list it is, is empty if it is that of all agents.
func (s *Settings) onlyPath() (path []string, whose string) {
	for _, name := range s.agentNames(s.merged.find(agents, "entries")) {
		path := []string{agents, "entries", name, "skills"}
		if own := s.merged.find(path...); own != nil && own.value != nil {
			return path, s.Agent
		}
	}
	return []string{agents, "defaults", "skills"}, ""
}

// deniedPaths lead to the lists of skills that the agent in force may not use.
func (s *Settings) deniedPaths() [][]string {
	var paths [][]string
	for _, name := range s.agentNames(s.merged.find(agents)) {
		paths = append(paths, []string{agents, name, "denied_skills"})
	}
	return paths
}

// inAgentList reports whether the skills of an agent are in a list of agents,
// where no key leads to them.
func (s *Settings) inAgentList(path []string) bool {
	list := s.merged.find(agents, "list")
	if list == nil || list.value == nil || len(path) != 4 {
		return false
	}
	return slices.ContainsFunc(list.value.List, func(item *tree.Node) bool {
		id := item.Get("id")
		return id != nil && id.Text == path[2] && item.Get("skills") != nil
	})
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
