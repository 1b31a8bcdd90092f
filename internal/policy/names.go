package policy

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/tool"
)

type dialect struct {
	tool  string
	names []string
}

// dialects has the names that skills use for one tool, in any letter case. A
// tool that is listed alone is known and has that name everywhere.
var dialects = [...]dialect{
	{"file_read", []string{"Read", "read_file", "ReadFile"}},
	{"file_write", []string{"Write", "write_file", "WriteFile"}},
	{"file_edit", []string{"Edit", "MultiEdit", "edit_file", "str_replace_editor"}},
	{"glob_search", []string{"Glob"}},
	{"content_search", []string{"Grep", "search_file_content"}},
	{"shell", []string{"Bash", "exec", "shell_exec", "run_shell_command"}},
	{"web_fetch", []string{"WebFetch"}},
	{"web_search", []string{"WebSearch", "google_web_search"}},
	{"skill_search", []string{"SkillCatalog"}},
	{"http_request", []string{"http"}},
	{"git", []string{"git_operations"}},
	{"pdf_read", nil},
	{"calculator", nil},
	{"memory_store", nil},
	{"memory_recall", nil},
	{"memory_forget", nil},
	{"memory_export", nil},
	{"memory_purge", nil},
	{"Skill", nil},
	{"Task", nil},
	{"NotebookEdit", nil},
	{"TodoWrite", nil},
	{"AskUserQuestion", nil},
}

// serverTool begins the names of tools of MCP servers: mcp__SERVER__TOOL.
const serverTool = "mcp__"

// Canonical is the name of a tool in Knack's own dialect, and the arguments
// that a rule such as Bash(git:*) limits it to; none is all. Names that no
// dialect has stay as they are. Parentheses that cannot be read stay with the
// arguments, where [Matches] and [Forbids] do not understand them.
func Canonical(name string) (tool, arguments string) {
	head, rest, limited := strings.Cut(strings.TrimSpace(name), "(")
	if limited {
		arguments = "(" + rest
		if inner, closed := strings.CutSuffix(rest, ")"); closed && strings.TrimSpace(inner) != "" && balanced(inner) {
			arguments = strings.TrimSpace(inner)
		}
		if arguments == "*" {
			arguments = ""
		}
	}
	return canonicalName(head), arguments
}

// canonicalName is [Canonical] for a name that is no rule.
func canonicalName(name string) string {
	name = strings.TrimSpace(name)
	for _, d := range dialects {
		if strings.EqualFold(name, d.tool) || slices.ContainsFunc(d.names, func(n string) bool { return strings.EqualFold(name, n) }) {
			return d.tool
		}
	}
	return name
}

// Dialect reports whether a name is that of a tool in some dialect, so that
// nobody who writes it can mean anything else.
func Dialect(name string) bool {
	name = strings.TrimSpace(name)
	return slices.ContainsFunc(dialects[:], func(d dialect) bool {
		return strings.EqualFold(name, d.tool) || slices.ContainsFunc(d.names, func(n string) bool { return strings.EqualFold(name, n) })
	})
}

// balanced reports whether every parenthesis has its other half.
func balanced(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// subject is a tool with its canonical name, which every rule asks for.
type subject struct {
	*tool.Spec
	canonical string
}

// rule is an element of allowed-tools or disallowed-tools, or a grant's tool.
type rule struct {
	written   string // the name without arguments
	tool      string // the same, canonical
	arguments string // none is all
}

func parseRule(text string) rule {
	head, _, _ := strings.Cut(text, "(")
	r := rule{written: strings.TrimSpace(head)}
	r.tool, r.arguments = Canonical(text)
	return r
}

func parseRules(texts []string) []rule {
	rules := make([]rule, len(texts))
	for i, text := range texts {
		rules[i] = parseRule(text)
	}
	return rules
}

// String writes the rule as it would be declared.
func (r rule) String() string {
	if r.arguments == "" {
		return r.written
	}
	return r.written + "(" + r.arguments + ")"
}

// grants reports whether the rule names this very tool. A skill chooses the
// names of its own tools, so these are taken literally: one that calls itself
// Bash is not the shell.
func (r rule) grants(t subject) bool {
	if r.written == "" || r.arguments != "" && !understood(r.arguments) {
		return false
	}
	if t.Skill != "" {
		return r.written == t.Name
	}
	return r.tool == t.canonical
}

// approves also takes a server for all its tools.
func (r rule) approves(t subject) bool {
	if r.grants(t) {
		return true
	}
	server, ok := r.server()
	return ok && t.Skill == "" && strings.HasPrefix(t.Name, server+"__") &&
		(r.arguments == "" || understood(r.arguments))
}

// forbids reads the rule as widely as it can be meant: in any letter case, with
// asterisks for anything, and for what a skill calls by the tool's name.
func (r rule) forbids(t subject) bool {
	if r.written == "" {
		return false
	}
	for _, name := range [...]string{t.Name, t.canonical} {
		if covers(r.written, name) || covers(r.tool, name) {
			return true
		}
	}
	server, ok := r.server()
	return ok && strings.HasPrefix(strings.ToLower(t.Name), strings.ToLower(server)+"__")
}

// covers compares names in any letter case, with asterisks for anything.
func covers(ruled, name string) bool {
	return strings.EqualFold(ruled, name) ||
		strings.Contains(ruled, "*") && globAll(strings.ToLower(ruled), strings.ToLower(name))
}

// server is the server that a rule such as mcp__files or mcp__files__* means.
func (r rule) server() (name string, ok bool) {
	name = strings.TrimSuffix(r.written, "__*")
	rest, ok := strings.CutPrefix(name, serverTool)
	return name, ok && rest != "" && !strings.Contains(rest, "*") && !strings.Contains(strings.Trim(rest, "_"), "__")
}
