package knack_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// Authors are told which of their tools would refuse every call, and where.
func TestAdviceOnTools(t *testing.T) {
	m := newMachine(t)
	m.write("skills/own/SKILL.toml", `name = "own"
description = "d"
[[tools]]
name = "left out"
kind = "shell"
[[tools]]
name = "fine"
kind = "http"
url = "https://example.com/{{id}}"
args = { id = "i", more = "goes to the query" }
[[tools]]
name = "quoted"
kind = "shell"
command = "awk '{{program}}' file"
args = { program = "p" }
[[tools]]
name = "address"
kind = "http"
url = "https://example.com/{{numbr}}"
args = { number = "i" }
[[tools]]
name = "loose"
kind = "shell"
command = "echo {{a}} {{c}}"
args = { a = "x", b = "y" }
[[tools]]
name = "other"
kind = "python"
`)
	dir := filepath.Join(m.ws, "skills/own")
	engine := m.open()
	entry, err := engine.Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "SKILL.toml")
	want := []skill.Diagnostic{
		{Code: skill.ToolRefused, Severity: skill.Error, File: file, Line: 11,
			Message: "the tool quoted cannot be called: {{program}} stands in the source of another shell or interpreter, where it cannot be kept one word of the command: let it be a word, or stand between quotes"},
		{Code: skill.ToolRefused, Severity: skill.Error, File: file, Line: 16,
			Message: "the tool address cannot be called: {{numbr}} is no argument that is declared; did you mean {{number}}?"},
		{Code: skill.ToolArgument, Severity: skill.Warning, File: file, Line: 21,
			Message: "the tool loose: {{c}} names no declared argument, so it stays as it is", Hint: `declare it: args = { c = "what it is" }`},
		{Code: skill.ToolArgument, Severity: skill.Warning, File: file, Line: 21,
			Message: `the tool loose: no place of the command takes the argument "b"; it is in the variable KNACK_ARG_B only`, Hint: "write {{b}} where it belongs, or leave the argument out"},
	}
	if diff := cmp.Diff(want, engine.Advise(entry)); diff != "" {
		t.Error(diff)
	}
}
