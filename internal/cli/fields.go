package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// skillFields are what a skill declares, one line each, as far as it does.
func (f *factory) skillFields(e *skill.Entry) []term.Field {
	var fields []term.Field
	add := func(label, value string) {
		if value != "" {
			fields = append(fields, term.Field{Label: label, Value: term.Clean(value)})
		}
	}
	list := func(label string, values []string) { add(label, strings.Join(values, ", ")) }
	add("Folder", f.short(e.Path))
	add("Read from", e.Format)
	if e.Source != "" { // a folder that is read on its own has none
		add("Source", fmt.Sprintf("%s, %s", e.Source, e.Trust))
	}
	if e.Slug != e.Name {
		add("Slug", e.Slug)
	}
	add("Author", e.Author)
	add("Category", e.Category)
	add("Licence", e.License)
	add("Website", e.Homepage)
	list("Tags", e.Tags)
	list("Triggers", e.Triggers)
	list("Permissions", e.Permissions)
	list("Allowed tools", e.AllowedTools)
	list("Disallowed tools", e.DisallowedTools)
	add("Compatibility", term.Text(e.Compatibility))
	list("Keywords", e.Activation.Keywords)
	list("Not with", e.Activation.ExcludeKeywords)
	list("Patterns", e.Activation.Patterns)
	list("Activation tags", e.Activation.Tags)
	if n := e.Activation.MaxContextTokens; n > 0 {
		add("Token budget", fmt.Sprint(n))
	}
	fields = append(fields, requirementFields(e)...)
	add("Invocation", invocation(e))
	for _, t := range e.Tools {
		add("Tool", toolLine(t))
	}
	for _, s := range e.Recipes {
		add("Needs", installLine(s))
	}
	for _, s := range e.Installers {
		add("Installer", installLine(s))
	}
	for _, x := range e.Extra {
		add("Ignored", x.Key)
	}
	add("Size", fmt.Sprintf("about %d tokens", e.Tokens))
	list("Resources", resourceNames(e.Resources))
	add("Digest", e.Digest)
	return fields
}

func requirementFields(e *skill.Entry) []term.Field {
	var fields []term.Field
	r := e.Requires
	for _, row := range [...]struct {
		label  string
		values []string
	}{
		{"Runs on", r.OS}, {"Needs programs", r.Bins}, {"Needs one of", r.AnyBins},
		{"Needs variables", r.Env}, {"Needs config", r.Config},
	} {
		if len(row.values) > 0 {
			fields = append(fields, term.Field{Label: row.label, Value: term.Clean(strings.Join(row.values, ", "))})
		}
	}
	for _, row := range [...]term.Field{
		{Label: "Main variable", Value: term.Clean(r.PrimaryEnv)}, {Label: "Config key", Value: term.Clean(r.SkillKey)},
	} {
		if row.Value != "" {
			fields = append(fields, row)
		}
	}
	if r.Always {
		fields = append(fields, term.Field{Label: "Always", Value: "passes its gates, except the operating system's"})
	}
	return fields
}

func invocation(e *skill.Entry) string {
	var parts []string
	if e.Invocation.UserDisabled {
		parts = append(parts, "not by users")
	}
	if e.Invocation.ModelDisabled {
		parts = append(parts, "not by the model")
	}
	if e.Dispatch.Kind != "" {
		parts = append(parts, "calls the tool "+e.Dispatch.Tool+" directly")
	}
	if !e.Invocation.ArgumentHint.IsZero() {
		parts = append(parts, "arguments "+term.Text(e.Invocation.ArgumentHint))
	}
	return strings.Join(parts, "; ")
}

func toolLine(t skill.ToolDecl) string {
	what := t.Command
	if t.Kind == "http" {
		what = t.Method + " " + t.URL
	}
	return fmt.Sprintf("%s (%s: %s) %s", t.Name, t.Kind, term.Exact(what), term.Text(t.Description))
}

func installLine(s skill.InstallSpec) string {
	what := s.Package
	if what == "" {
		what = s.URL
	}
	if len(s.Bins) > 0 {
		what += " for " + strings.Join(s.Bins, ", ")
	}
	return s.Kind + " " + what
}

// resourceNames shows the first few files; --json has them all.
func resourceNames(rs []skill.Resource) []string {
	const most = 8 // two lines of a terminal
	var names []string
	for i, r := range rs {
		if i == most {
			return append(names, fmt.Sprintf("and %d more", len(rs)-most))
		}
		names = append(names, filepath.FromSlash(r.Path))
	}
	return names
}
