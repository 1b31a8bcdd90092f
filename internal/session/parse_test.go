package session

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// catalogue are skills that are easily confused.
func catalogue() []*skill.Entry {
	entries := []*skill.Entry{
		entry("Release Notes", skill.Ready), entry("release-notes", skill.Ready), entry("deploy", skill.Ready),
		entry("foo.bar/baz", skill.Ready), entry("export-session", skill.Ready), entry("gone", skill.Gated), entry("quiet", skill.Ready),
	}
	for _, e := range entries {
		e.Slug, e.Path, e.Manifests = "folder-of-"+alike(e.Name), "/s/"+alike(e.Name), []skill.Manifest{{File: "SKILL.md"}}
	}
	entries[2].Dispatch = skill.Dispatch{Kind: "tool", Tool: "exec", ArgMode: "raw"}
	entries[5].Reasons = []skill.Reason{{Code: skill.ReasonBin, Message: "jq is not on the PATH"}}
	entries[6].Invocation.UserDisabled = true
	return entries
}

func TestParse(t *testing.T) {
	const none = ""
	closest := newCommands(t, native(t).Command).With(catalogue())
	first := newCommands(t, listing(t).Command).With(catalogue())
	for text, want := range map[string]struct{ closest, first, args string }{
		"/release_notes":                    {"release_notes", "release_notes", ""},
		"/release_notes_2 x":                {"release_notes_2", "release_notes_2", "x"},
		"\ufeff \n/RELEASE_notes\t a  b \n": {"release_notes", "release_notes", "a  b"},
		"/release-notes x":                  {"release_notes_2", none, "x"},
		"/skill release-notes":              {"release_notes_2", "release_notes", ""},
		"/skill Release_Notes":              {"release_notes", "release_notes", ""},
		"/SKILL  deploy  to\nprod ":         {"deploy", "deploy", "to\nprod"},
		"/skill foo.bar/baz":                {"foo_bar_baz", "foo_bar_baz", ""},
		"/skill foobar_baz":                 {"foo_bar_baz", none, ""},
		"/folder-of-deploy x":               {"deploy", none, "x"},
		// The reserved word is not the skill's, its own command is.
		"/export-session":       {"export_session", none, ""},
		"/export_session":       {"export_session", "export_session", ""},
		"/skill export-session": {"export_session", "export_session", ""},
		"/skill":                {none, none, ""}, "/skill ": {none, none, ""}, "/": {none, none, ""}, "/ deploy": {none, none, ""},
		"deploy": {none, none, ""}, "//deploy": {none, none, ""}, "x /deploy": {none, none, ""}, "": {none, none, ""},
		"/gone": {none, none, ""}, "/quiet": {none, none, ""}, "/help": {none, none, ""},
	} {
		for set, name := range map[*CommandSet]string{closest: want.closest, first: want.first} {
			inv, ok := set.Parse(text)
			switch {
			case ok != (name != none):
				t.Errorf("%s: %q calls %+v, want %q", set.rules.Match, text, inv.Command, name)
			case ok && (inv.Command.Name != name || inv.Args != want.args):
				t.Errorf("%s: %q calls %q with %q, want %q with %q", set.rules.Match, text, inv.Command.Name, inv.Args, name, want.args)
			}
		}
	}
}

func TestDispatch(t *testing.T) {
	set := newCommands(t, listing(t).Command).With(catalogue())
	inv, ok := set.Parse("/deploy --to  prod ")
	if !ok {
		t.Fatal("not parsed")
	}
	want := &Dispatch{Tool: "exec", Input: DispatchInput{Command: "--to  prod", CommandName: "deploy", SkillName: "deploy"}}
	if diff := cmp.Diff(want, inv.Dispatch); diff != "" {
		t.Error(diff)
	}
	data, err := json.Marshal(inv.Dispatch.Input)
	if err != nil || string(data) != `{"command":"--to  prod","commandName":"deploy","skillName":"deploy"}` {
		t.Errorf("the tool gets %s (%v)", data, err)
	}
	got := set.Expand("/deploy --to  prod ")
	if diff := cmp.Diff(want, got.Dispatch); diff != "" || len(got.Activate) != 0 || got.Problem != "" {
		t.Errorf("%+v %s", got, diff)
	}
	if inv, _ := set.Parse("/release_notes x"); inv.Dispatch != nil {
		t.Error("a skill without command-dispatch is dispatched")
	}
	// A mention is read by a model; only the slash is dispatched.
	if got := set.Expand("now $deploy"); got.Dispatch != nil || len(got.Activate) != 1 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		end        DispatchEnd
		text, want string
	}{
		{ToolAnswered, "ok then", "ok then"}, {ToolAnswered, " \n", "✅ Done."},
		{ToolMissing, "", "❌ Tool not available: exec"}, {ToolRefused, "no {tool}", "❌ Tool call blocked: no {tool}"},
	} {
		if got := set.Reply(inv.Dispatch, c.end, c.text); got != c.want {
			t.Errorf("reply is %q, want %q", got, c.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		"$a": {"a"}, "$$a": {"a"}, "$a$b": {"a", "b"}, "x$a.": {"a"}, "$a:b:: c": {"a:b"}, "($A-b_1)": {"A-b_1"}, "é$aé": {"a"},
		`\$a`: nil, `\\$a`: {"a"}, `\\\$a`: nil, `\$a$b`: {"b"}, "$": nil, "$$": nil, "$:": nil, "$HOME": nil, "$5": nil, "$A1_": nil, "$ a": nil,
	} {
		if got := slices.Collect(mentions(text)); !slices.Equal(got, want) {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"/deploy x", "/skill release-notes y", "\ufeff/DEPLOY", "/ x", "/skill", "/export-session", "/release_notes_2\x00"} {
		f.Add(text)
	}
	sets := []*CommandSet{newCommands(f, native(f).Command).With(catalogue()), newCommands(f, listing(f).Command).With(catalogue())}
	f.Fuzz(func(t *testing.T, text string) {
		for _, set := range sets {
			inv, ok := set.Parse(text)
			if !ok {
				continue
			}
			if inv.Args != strings.TrimFunc(inv.Args, blank) || !strings.Contains(text, inv.Args) {
				t.Fatalf("%q has the arguments %q", text, inv.Args)
			}
			// Written plainly, it is the same.
			again, ok := set.Parse("/" + inv.Command.Name + " " + inv.Args)
			if diff := cmp.Diff(inv, again, cmp.Comparer(func(a, b *Command) bool { return a == b })); !ok || diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
		}
	})
}
