package policy

import (
	"slices"

	"github.com/knackhq/knack/tool"
)

// permissions are what skills can declare to need: the tools that provide each,
// any one of which will do, and what a tool of the skill itself may touch under
// it. A permission that is not here is the name of a tool.
var permissions = [...]struct {
	name    string
	tools   []string
	effects tool.Effects
}{
	{"file_read", []string{"file_read"}, tool.Effects{Read: true}},
	{"file_write", []string{"file_write", "file_edit"}, tool.Effects{Read: true, Write: true}},
	{"shell_exec", []string{"shell"}, tool.Effects{Read: true, Write: true, Run: true}},
	{"web_search", []string{"web_search"}, tool.Effects{Network: true}},
	{"web_fetch", []string{"web_fetch"}, tool.Effects{Network: true}},
	{"http_request", []string{"http_request"}, tool.Effects{Network: true}},
	{"memory", []string{"memory_store", "memory_recall", "memory_export", "memory_forget", "memory_purge"}, tool.Effects{Read: true, Write: true}},
	{"knowledge", []string{"knowledge"}, tool.Effects{Read: true}},
	{"calculator", []string{"calculator"}, tool.Effects{}},
	{"git", []string{"git"}, tool.Effects{Read: true, Write: true, Run: true}},
	{"cron", []string{"cron_add", "cron_list", "cron_remove", "cron_run", "cron_runs", "cron_update"}, tool.Effects{Read: true, Write: true, Run: true}},
	{"backup", []string{"backup"}, tool.Effects{Read: true, Write: true}},
	{"glob_search", []string{"glob_search"}, tool.Effects{Read: true}},
	{"content_search", []string{"content_search"}, tool.Effects{Read: true}},
	{"llm_task", []string{"llm_task"}, tool.Effects{Network: true}},
	{"pdf_read", []string{"pdf_read"}, tool.Effects{Read: true}},
}

// providers are the tools that a permission can be met by.
func providers(permission string) []string {
	for _, p := range permissions {
		if p.name == permission {
			return p.tools
		}
	}
	return []string{permission}
}

// Missing returns the first permission that none of the tools provides; ok tells
// whether there is one. Where the rules do not make permissions a requirement,
// none is ever missing.
func (p *Policy) Missing(permissions []string, all []tool.Spec) (permission string, ok bool) {
	if !p.permissions.required {
		return "", false
	}
	for _, permission := range permissions {
		tools := providers(permission)
		if !slices.ContainsFunc(all, func(t tool.Spec) bool { return slices.Contains(tools, t.Name) || p.isNamed(t.Name, tools) }) {
			return permission, true
		}
	}
	return "", false
}

// isNamed reports whether a tool goes by one of the names in another dialect.
// Where permissions are a requirement and nothing else, names count as they are
// written.
func (p *Policy) isNamed(name string, tools []string) bool {
	canonical, _ := Canonical(name)
	return p.permissions.ceiling && slices.Contains(tools, canonical)
}

// named is all that the permissions allow: what the table says, or what the
// tool does that a permission is the name of.
func named(declared []string, all []tool.Spec) tool.Effects {
	var sum tool.Effects
	for _, permission := range declared {
		known := false
		for _, p := range permissions {
			if p.name == permission {
				sum, known = with(sum, p.effects), true
			}
		}
		for i := range all {
			if !known && all[i].Name == permission {
				sum = with(sum, all[i].Effects)
			}
		}
	}
	return sum
}

func with(a, b tool.Effects) tool.Effects {
	return tool.Effects{Read: a.Read || b.Read, Write: a.Write || b.Write, Run: a.Run || b.Run, Network: a.Network || b.Network}
}

func without(a, b tool.Effects) tool.Effects {
	return tool.Effects{Read: a.Read && !b.Read, Write: a.Write && !b.Write, Run: a.Run && !b.Run, Network: a.Network && !b.Network}
}
