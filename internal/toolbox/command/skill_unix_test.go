//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

var testSandbox = &tool.Sandbox{Layer: "namespaces", Files: "workspace", Network: "none", Processes: "own"}

// How commands end is told as documented.
func TestEndings(t *testing.T) {
	for command, want := range map[string]tool.Result{
		"echo out":                                {Text: "out"},
		"printf 'a\\n\\n'; echo b":                {Text: "a\n\nb"},
		"true":                                    {},
		"echo out; echo err >&2":                  {Text: "out\nstderr:\nerr"},
		"echo err >&2":                            {Text: "stderr:\nerr"},
		"echo boom >&2; exit 3":                   {Text: "Command exited with code 3: boom", Failed: true},
		"echo out; echo boom >&2; exit 3":         {Text: "Command exited with code 3: boom\nstdout:\nout", Failed: true},
		"exit 1":                                  {Text: "Command exited with code 1: ", Failed: true},
		"kill -9 $$":                              {Text: "Command was ended by a signal (killed): ", Failed: true},
		"cat":                                     {}, // no input
		"printf '\\033[31mred\\033[0m\\a'":        {Text: "red"},
		"no-such-program-here 2>/dev/null":        {Text: "Command exited with code 127: ", Failed: true},
		"cat <<E\n$KNACK_ARG_ARGS$1.\nE":          {Text: "."},
		"echo 'a: Permission denied' >&2; exit 1": {Text: "Command exited with code 1: a: Permission denied\nit ran contained (namespaces): files outside of the workspace and hosts that were not granted are out of its reach; see knack doctor sandbox; grant hosts with knack grant deploy skill_deploy_x --net HOST", Failed: true},
		"   ": {Text: "Empty command in skill tool definition", Failed: true},
	} {
		o, _ := setup(t)
		got := call(t, Skill(o, SkillTool{Name: "skill_deploy_x", Skill: "deploy", Command: command, Dir: o.Workspace}), struct{}{})
		if got.Text != errEmpty.Error() {
			want.Sandbox = testSandbox
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", command, diff)
		}
	}
}

func TestTimeouts(t *testing.T) {
	o, _ := setup(t)
	o.Timeout = 300 * time.Millisecond
	it := Skill(o, SkillTool{Name: "x", Command: "echo begun; echo wrong >&2; sleep 60", Dir: o.Workspace})
	got := call(t, it, struct{}{})
	if want := "Command timed out after 0.3s\nstdout:\nbegun\nstderr:\nwrong"; got.Text != want || !got.Failed {
		t.Errorf("%+v", got)
	}
	o.Timeout = time.Minute
	got = call(t, Shell(o), map[string]any{"command": "sleep 60", "timeout_seconds": 0.2})
	if got.Text != "Command timed out after 0.2s" {
		t.Errorf("%+v", got)
	}
	// It can only be lowered.
	o.Timeout = 200 * time.Millisecond
	got = call(t, Shell(o), map[string]any{"command": "sleep 60", "timeout_seconds": 6000})
	if got.Text != "Command timed out after 0.2s" {
		t.Errorf("%+v", got)
	}
	// A call that was given up is no answer.
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := it.Run(ctx, nil); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func TestBigOutput(t *testing.T) {
	o, _ := setup(t)
	o.MaxOutput = 10_000
	got := call(t, Shell(o), map[string]any{"command": "yes | head -c 3000000; echo the end; yes no | head -c 2000000 >&2"})
	if !got.Cut || len(got.Text) > 21_000 || !strings.HasPrefix(got.Text, "y\ny\n") || !strings.Contains(got.Text, "the end\nstderr:\n") {
		t.Errorf("%d bytes: %.100q … %.100q", len(got.Text), got.Text, got.Text[max(0, len(got.Text)-100):])
	}
	o.Timeout = 500 * time.Millisecond
	if got := call(t, Shell(o), map[string]any{"command": "yes"}); !got.Cut || !strings.HasPrefix(got.Text, "Command timed out after 0.5s\nstdout:\ny\ny") {
		t.Errorf("%d bytes: %.100q", len(got.Text), got.Text)
	}
}

// A child that keeps stdout open does not keep the call.
func TestChildren(t *testing.T) {
	o, _ := setup(t)
	got := call(t, Shell(o), map[string]any{"command": "sleep 600 & echo done"})
	if got.Text != "done" || got.Failed {
		t.Errorf("%+v", got)
	}
}

func TestScriptsWithoutBit(t *testing.T) {
	o, _ := setup(t)
	dir := filepath.Join(o.Workspace, "my skill's")
	show := `printf '%s|' "$0" "$@"`
	put(t, dir+"/scripts/plain.sh", show, 0o644)
	put(t, dir+"/scripts/bash.sh", "#!/usr/bin/env sh\n"+show, 0o644)
	put(t, dir+"/scripts/crlf.sh", "#!/bin/sh\r\n"+show, 0o755)
	put(t, dir+"/scripts/option.sh", "#! /bin/sh -e \n"+show+"; false; echo never", 0o644)
	put(t, dir+"/scripts/cat.txt", "#!/bin/cat\nhello\n", 0o644)
	put(t, dir+"/scripts/exec.sh", "#!/bin/sh\n"+show, 0o755)
	if err := os.Symlink("/etc/hostname", dir+"/scripts/out"); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"./scripts/plain.sh":                 "./scripts/plain.sh|v|",
		"scripts/plain.sh a":                 "scripts/plain.sh|a|v|",
		"./scripts/bash.sh {{x}}":            "./scripts/bash.sh|v|",
		"./scripts/crlf.sh":                  "./scripts/crlf.sh|v|",
		"./scripts/exec.sh":                  "./scripts/exec.sh|v|",
		"./scripts/plain.sh b | cat":         "./scripts/plain.sh|b|",
		"./scripts/option.sh":                "Command exited with code 1: \nstdout:\n./scripts/option.sh|v|",
		"./scripts/cat.txt >&2 #":            "stderr:\n#!/bin/cat\nhello",
		"sh scripts/plain.sh":                "scripts/plain.sh|v|",
		`cat "$SKILL_DIR/scripts"/cat.txt #`: "#!/bin/cat\nhello",
	} {
		got := call(t, Skill(o, SkillTool{Name: "n", Command: command, Dir: dir, Args: []Arg{{Name: "x"}}}), map[string]string{"x": "v"})
		if got.Text != want {
			t.Errorf("%s: got %q, want %q", command, got.Text, want)
		}
	}
	for _, command := range []string{"./scripts/out", "./scripts", "./missing.sh", "../my skill's/scripts/plain.sh", "/bin/echo a"} {
		if got := interpreted(dir, command, []string{"sh"}); got != command {
			t.Errorf("%s became %s", command, got)
		}
	}
}

func TestSkillArguments(t *testing.T) {
	o, _ := setup(t)
	two := []Arg{{Name: "to"}, {Name: "log-level", Description: "How much."}, {Name: "free", Dash: true}}
	for _, c := range []struct {
		command string
		args    []Arg
		given   string
		want    string
	}{
		{`printf '%s|'`, nil, ``, ""}, // printf with no argument prints the format once
		{`printf '%s|'`, nil, `{"args":"a b"}`, "a b|"},
		{`printf '%s|'`, nil, `{"args":""}`, "|"},
		{`printf '%s|' {{args}}`, nil, `{"args":"a b"}`, "a b|"},
		{`printf '%s|'`, two, `{"log-level":"x y"}`, "|x y|"},
		{`printf '%s|' "$@"`, two, `{"to":"a","free":"-x"}`, "a||-x|"},
		{`printf '%s|' "$#"`, two, `{"to":"a"}`, "1|"},
		{`printf '%s|' {{log-level}} {{to}}`, two, `{"to":1.50,"log-level":true}`, "true|1.50|"},
		{`printf '%s|' {{log-level}}`, two, `{"to":null}`, "|"},
		{`set -u; printf '%s|' {{to}} "${KNACK_ARG_LOG_LEVEL-unset}"`, two, `{}`, "|unset|"},
		{`f() { shift; printf '%s|' {{to}} "$KNACK_ARG_TO"; }; f a b`, two, `{"to":"x"}`, "x|x|"},
		{`printf '%s|' --to={{to}}`, two, `{"to":"-x"}`, "--to=-x|"},
		{`printf '%s|' -- {{to}}`, two, `{"to":"-x"}`, "--|-x|"},
		{`echo {{to}}`, two, `{"to":"-x"}`, `argument "to" begins with a hyphen: the command could take it for an option, and the skill does not declare that it may`},
		{`echo`, nil, `{"args":"-x"}`, `argument "args" begins with a hyphen: the command could take it for an option, and the skill does not declare that it may`},
		{`echo {{to}}`, two, `{"to":"a\u0000b"}`, `argument "to" has a NUL byte, which no program can be given`},
		{`echo {{to}}`, two, `{"to":["a"]}`, `"to" has to be a string, not an object or a list, as in {"to": "…"}`},
		{`echo {{to}}`, two, `{"to":{"a":1}}`, `"to" has to be a string, not an object or a list, as in {"to": "…"}`},
		{`echo {{to}}`, two, `{"too":"a"}`, `there is no argument "too"; it takes to, log-level, free`},
		{`echo {{to}}`, two, `{"loglevel":"a"}`, `there is no argument "loglevel"; did you mean "log-level"?`},
		{`echo {{to}}`, two, `[1]`, `the arguments have to be one JSON object, as {"to": "…"}`},
		{`echo {{to}}`, []Arg{{Name: "to"}, {Name: "TO"}}, `{}`, `arguments "to" and "TO" would both be in KNACK_ARG_TO; rename one`},
		{`echo {{to}}`, []Arg{{Name: " "}}, `{}`, `an argument has no name`},
		{"echo a\x00b", nil, `{}`, `the command has a NUL byte in it`},
		{strings.Repeat("a ", 1<<16), nil, `{}`, `the command is too long; put it into a script`},
		{`eval {{to}}`, two, `{}`, "{{to}} stands in the source of another shell or interpreter, where it cannot be kept one word of the command: let it be a word, or stand between quotes"},
	} {
		got, err := Skill(o, SkillTool{Name: "n", Command: c.command, Dir: o.Workspace, Args: c.args}).Run(t.Context(), json.RawMessage(c.given))
		if err != nil || strings.TrimPrefix(got.Text, "|") != strings.TrimPrefix(c.want, "|") {
			t.Errorf("%.80s %s: got %q, %v, want %q", c.command, c.given, got.Text, err, c.want)
		}
	}
}

// The longest values go through, one byte more is refused.
func TestLongestValue(t *testing.T) {
	o, _ := setup(t)
	args := []Arg{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}}
	it := Skill(o, SkillTool{Name: "n", Command: `printf '%s' {{a}} "$@" | wc -c`, Dir: o.Workspace, Args: args})
	longest := longestWord - len(variable("a")) - 2
	if got := call(t, it, map[string]string{"a": strings.Repeat("é", longest/2)}); strings.TrimSpace(got.Text) != "262120" && got.Failed {
		t.Errorf("%.200s", got.Text)
	}
	if got := call(t, it, map[string]string{"a": strings.Repeat("a", longest+1)}); got.Text != `argument "a" is longer than 128 KiB, which no program can be given; pass it in a file of the workspace` {
		t.Errorf("%.200s", got.Text)
	}
	all := map[string]string{}
	for _, arg := range args[:6] {
		all[arg.Name] = strings.Repeat("a", longest)
	}
	if got := call(t, it, all); got.Failed {
		t.Errorf("%.200s", got.Text)
	}
	all["g"] = strings.Repeat("a", longest)
	if got := call(t, it, all); got.Text != `the arguments are longer than 768 KiB together; pass them in files of the workspace` {
		t.Errorf("%.200s", got.Text)
	}
}

func TestSkillSpecAndPlan(t *testing.T) {
	o, run := setup(t)
	o.Read, o.Keep = []string{"/opt/x"}, []string{o.Workspace + "/.git"}
	dir := filepath.Join(o.Workspace, "skills", "deploy")
	served := func(net.Listener) {}
	o.Proxy = func(terms tool.Terms) func(net.Listener) {
		if diff := cmp.Diff([]string{"api.example.com"}, terms.Hosts); diff != "" {
			t.Error(diff)
		}
		return served
	}
	it := Skill(o, SkillTool{Name: "skill_deploy_check", Skill: "deploy", Description: "Checks.", Command: "./scripts/pre-deploy.sh", Dir: dir,
		Args: []Arg{{Name: "target", Description: `Where "to".`}, {Name: "a"}}})
	spec := it.Spec()
	want := tool.Spec{Name: "skill_deploy_check", Skill: "deploy", Description: "Checks.", Effects: tool.Effects{Read: true, Write: true, Run: true, Network: true},
		Schema: json.RawMessage(`{"type":"object","properties":{"target":{"type":"string","description":"Where \"to\"."},"a":{"type":"string"}},"additionalProperties":false}`)}
	if diff := cmp.Diff(want, spec); diff != "" {
		t.Error(diff)
	}
	ctx := tool.Terms{Hosts: []string{"api.example.com"}, Contained: true, Env: map[string]string{"TOKEN": "t", "WORKSPACE": "/", "KNACK_ARG_EVIL": "x"}}.With(t.Context())
	plan, err := it.Plan(ctx, json.RawMessage(`{"target":"prod"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantPlan := tool.Plan{Subject: "./scripts/pre-deploy.sh 'prod'", Command: "./scripts/pre-deploy.sh 'prod'", Dir: dir, Write: []string{o.Workspace},
		Env: []string{"KNACK_ARG_TARGET", "LANG", "PATH", "SKILL_DIR", "TOKEN", "WORKSPACE"}, Sandbox: testSandbox}
	if diff := cmp.Diff(wantPlan, plan); diff != "" {
		t.Error(diff)
	}
	if len(run.specs) > 0 {
		t.Error("planning ran something")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := it.Run(ctx, json.RawMessage(`{"target":"prod"}`)); err != nil {
		t.Fatal(err)
	}
	ran := run.specs[0]
	if ran.Proxy == nil || !ran.Contained || ran.Stdin != nil || ran.Dir != dir {
		t.Errorf("%+v", ran)
	}
	if diff := cmp.Diff([][]string{{dir}, {o.Workspace}, {o.Workspace + "/.git", dir}}, [][]string{ran.Read, ran.Write, ran.Keep}); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(ran.Env, "WORKSPACE="+o.Workspace) || slices.Contains(ran.Env, "KNACK_ARG_EVIL=x") {
		t.Errorf("%q", ran.Env)
	}
	// Without terms there is no network, and it runs contained or not at all.
	if _, err := it.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if ran := run.specs[1]; ran.Proxy != nil || !ran.Contained {
		t.Errorf("%+v", ran)
	}
}

// What is shown is the command as a shell would read it.
func TestShown(t *testing.T) {
	o, _ := setup(t)
	for command, want := range map[string]string{
		`run {{x}}`:          `run 'it'\''s $HOME'`,
		`run "a {{x}}"`:      `run "a it's \$HOME"`,
		`run 'a {{x}}'`:      `run 'a it'\''s $HOME'`,
		`run --`:             `run -- 'it'\''s $HOME'`,
		`run "$1"`:           `sh -c 'run "$1"' sh 'it'\''s $HOME'`,
		`run "$KNACK_ARG_X"`: `KNACK_ARG_X='it'\''s $HOME' sh -c 'run "$KNACK_ARG_X"'`,
		`run a | cat`:        `KNACK_ARG_X='it'\''s $HOME' sh -c 'run a | cat'`,
	} {
		plan, err := Skill(o, SkillTool{Command: command, Dir: o.Workspace, Args: []Arg{{Name: "x"}}}).Plan(t.Context(), json.RawMessage(`{"x":"it's $HOME"}`))
		if err != nil || plan.Subject != want {
			t.Errorf("%s: got %s, %v, want %s", command, plan.Subject, err, want)
		}
	}
}

// Every value that was given is shown, also one that no place of the command takes.
func TestShownHidesNothing(t *testing.T) {
	o, _ := setup(t)
	for _, c := range []struct{ command, arguments, want string }{
		{`./run.sh {{a}}`, `{"a":"1"}`, `./run.sh '1'`},
		{`./run.sh {{a}}`, `{"a":"1","b":"id; id"}`, `KNACK_ARG_B='id; id' ./run.sh '1'`},
		{`./run.sh {{a}}`, `{"b":""}`, `KNACK_ARG_B='' ./run.sh ''`},
		{`./run.sh {{a}}`, `{"b":"2","c-d":"3"}`, `KNACK_ARG_B='2' KNACK_ARG_C_D='3' ./run.sh ''`},
		{`./run.sh $HOME {{a}}`, `{"a":"1","b":"2"}`, `KNACK_ARG_B='2' sh -c './run.sh $HOME '\''1'\'''`},
		{`./run.sh {{a}}; ./more.sh`, `{"a":"1","b":"2"}`, `KNACK_ARG_B='2' sh -c './run.sh '\''1'\''; ./more.sh'`},
		{`./run.sh {{a}} # {{b}}`, `{"a":"1","b":"2"}`, `KNACK_ARG_B='2' sh -c './run.sh '\''1'\'' # {{b}}'`},
		{`./run.sh {{a}} "$KNACK_ARG_B"`, `{"a":"1","b":"2"}`, `KNACK_ARG_A='1' KNACK_ARG_B='2' sh -c './run.sh '\''1'\'' "$KNACK_ARG_B"'`},
		{`./run.sh "$1"`, `{"a":"1","c-d":"3"}`, `sh -c './run.sh "$1"' sh '1' '' '3'`},
		{`./run.sh "$1" "$KNACK_ARG_B"`, `{"a":"1","b":"2"}`, `KNACK_ARG_A='1' KNACK_ARG_B='2' sh -c './run.sh "$1" "$KNACK_ARG_B"' sh '1' '2'`},
		{`./run.sh`, `{"b":"2"}`, `./run.sh '' '2'`},
	} {
		it := Skill(o, SkillTool{Command: c.command, Dir: o.Workspace, Args: []Arg{{Name: "a"}, {Name: "b"}, {Name: "c-d"}}})
		plan, err := it.Plan(t.Context(), json.RawMessage(c.arguments))
		if err != nil || plan.Subject != c.want || plan.Command != c.want {
			t.Errorf("%s %s: got %s, %v, want %s", c.command, c.arguments, plan.Subject, err, c.want)
		}
	}
}

func TestEnvironmentIsMinimal(t *testing.T) {
	t.Setenv("KNACK_TEST_CANARY", "secret")
	o, _ := setup(t)
	got := call(t, Skill(o, SkillTool{Command: "env | sort | cut -d= -f1 | tr '\\n' ' '", Dir: o.Workspace}), struct{}{})
	if want := "LANG PATH PWD SKILL_DIR WORKSPACE "; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

func TestUncontained(t *testing.T) {
	o, run := setup(t)
	run.err = sandbox.ErrUncontained
	put(t, o.Workspace+"/.git/HEAD", "", 0o644)
	for _, c := range []struct {
		it   tool.Tool
		args string
	}{
		{Skill(o, SkillTool{Command: "true", Dir: o.Workspace}), `{}`},
		{Shell(o), `{"command":"true"}`},
		{Git(o), `{"args":["status"]}`},
	} {
		got, err := c.it.Run(t.Context(), json.RawMessage(c.args))
		if err != nil || !got.Failed || !strings.Contains(got.Text, "a skill that is not trusted is not run where nothing contains it") || !strings.Contains(got.Text, "knack doctor sandbox") {
			t.Errorf("%+v, %v", got, err)
		}
	}
	run.err = errors.New("no such thing")
	if _, err := Shell(o).Run(t.Context(), json.RawMessage(`{"command":"true"}`)); err == nil || !strings.Contains(err.Error(), "sh could not be started: no such thing") {
		t.Error(err)
	}
}

func TestUnsupported(t *testing.T) {
	it := Unsupported(SkillTool{Name: "skill_a_b", Skill: "a", Description: "d"}, "python")
	got := call(t, it, struct{}{})
	if diff := cmp.Diff(tool.Result{Text: "Unsupported skill tool kind: python", Failed: true}, got); diff != "" {
		t.Error(diff)
	}
	if spec := it.Spec(); spec.Name != "skill_a_b" || spec.Skill != "a" {
		t.Errorf("%+v", spec)
	}
}

func TestShell(t *testing.T) {
	o, _ := setup(t)
	put(t, o.Workspace+"/sub/file", "", 0o644)
	if err := os.Symlink("/", o.Workspace+"/out"); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"command":"pwd"}`:                                 o.Workspace,
		`{"command":"pwd","dir":"sub"}`:                     o.Workspace + "/sub",
		`{"command":"pwd","dir":"sub/../."}`:                o.Workspace,
		`{"command":"pwd","dir":"` + o.Workspace + `/sub"}`: o.Workspace + "/sub",
		`{"command":"pwd","dir":".."}`:                      `dir ".." is outside of the workspace; give it relative to the workspace`,
		`{"command":"pwd","dir":"/etc"}`:                    "outside of the workspace",
		`{"command":"pwd","dir":"out"}`:                     `dir "out" is not a folder in the workspace`,
		`{"command":"pwd","dir":"sub/file"}`:                `dir "sub/file" is not a folder in the workspace`,
		`{"command":" "}`:                                   `"command" is missing; call shell as {"command"`,
		`{"command":"a","timeout_seconds":-1}`:              `"timeout_seconds" has to be 0 or more`,
		`{"command":"a","timeout":1}`:                       `there is no argument "timeout"; it takes command, timeout_seconds, dir`,
		`{"command":"a\u0000"}`:                             "the command has a NUL byte in it",
		`{"command":"echo \"$TOKEN\""}`:                     "t",
	} {
		ctx := tool.Terms{Env: map[string]string{"TOKEN": "t"}}.With(t.Context())
		got, err := Shell(o).Run(ctx, json.RawMessage(args))
		if err != nil || got.Text != want && !(got.Failed && strings.Contains(got.Text, want)) {
			t.Errorf("%s: got %q, %v, want %q", args, got.Text, err, want)
		}
	}
	plan, err := Shell(o).Plan(t.Context(), json.RawMessage(`{"command":" git  push; rm -rf \"x\"","dir":"sub"}`))
	if err != nil || plan.Subject != ` git  push; rm -rf "x"` || plan.Dir != o.Workspace+"/sub" {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, _, err := (shellTool{o}).call(t.Context(), json.RawMessage(strings.Replace(shellTool{o}.form().Example, "src", "sub", 1))); err != nil {
		t.Errorf("the example: %v", err)
	}
	if given, err := gitForm.Read(gitName, json.RawMessage(gitForm.Example)); err != nil || len(given.Texts("args")) == 0 {
		t.Errorf("the example of git: %v", err)
	}
	if !json.Valid(Shell(o).Spec().Schema) || !json.Valid(Git(o).Spec().Schema) {
		t.Error("a schema is no JSON")
	}
}

// The folder of a plan is the one that it runs in, whatever it was called.
func TestPlannedFolder(t *testing.T) {
	o, _ := setup(t)
	put(t, o.Workspace+"/sub/deep/file", "", 0o644)
	if err := os.MkdirAll(o.Workspace+"/sub/.git", 0o777); err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(t.TempDir(), "link")
	for link, target := range map[string]string{o.Workspace + "/name": "sub/deep", o.Workspace + "/twice": "name", top: o.Workspace} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, workspace := range []string{o.Workspace, top} {
		o.Workspace = workspace
		for dir, want := range map[string]string{
			"sub": "/sub", "./sub/": "/sub", "sub/deep/..": "/sub", "sub/deep": "/sub/deep", "name": "/sub/deep", "twice": "/sub/deep", workspace + "/name": "/sub/deep",
		} {
			for _, c := range []struct {
				it   tool.Planner
				args map[string]any
			}{
				{Shell(o), map[string]any{"command": "sh x.sh", "dir": dir}},
				{Git(o), map[string]any{"args": []string{"status"}, "dir": dir}},
			} {
				plan, err := c.it.Plan(t.Context(), encoded(t, c.args))
				if err != nil || plan.Dir != workspace+want {
					t.Errorf("%s in %s: %s, %v", c.it.Spec().Name, dir, plan.Dir, err)
				}
			}
		}
		plan, err := Shell(o).Plan(t.Context(), json.RawMessage(`{"command":"a"}`))
		if err != nil || plan.Dir != workspace {
			t.Errorf("%s, %v", plan.Dir, err)
		}
	}
}
