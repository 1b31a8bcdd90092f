//go:build unix

package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/tool"
)

// repo is a workspace with a repository of one commit.
func repo(t *testing.T) (Options, *plain) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	o, run := setup(t)
	o.Author = "Ada <ada@example.com>"
	git(t, o.Workspace, "init", "-q", "-b", "main")
	put(t, o.Workspace+"/a.txt", "one\n", 0o644)
	git(t, o.Workspace, "add", ".")
	git(t, o.Workspace, "commit", "-qm", "first")
	return o, run
}

// git runs it as a user would.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func gitArgs(args ...string) map[string]any { return map[string]any{"args": args} }

func TestGit(t *testing.T) {
	o, _ := repo(t)
	it := Git(o)
	put(t, o.Workspace+"/sub/b.txt", "two\n", 0o644)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"status", "--short"}, "?? sub/"},
		{[]string{"add", "sub"}, ""},
		{[]string{"commit", "-q", "-m", "second; $(touch x)"}, ""},
		{[]string{"log", "--format=%an <%ae> %s", "-1"}, "Ada <ada@example.com> second; $(touch x)"},
		{[]string{"switch", "-q", "-c", "other"}, ""},
		{[]string{"branch", "--show-current"}, "other"},
		{[]string{"rev-parse", "--git-dir"}, o.Workspace + "/.git"},
		{[]string{"mv", "a.txt", "c.txt"}, ""},
		{[]string{"diff", "--cached", "--name-status"}, "R100\ta.txt\tc.txt"},
		{[]string{"commit", "-qm", "third"}, ""},
		{[]string{"switch", "-q", "main"}, ""},
		{[]string{"merge", "-q", "--no-ff", "other"}, ""},
		{[]string{"revert", "-m", "1", "HEAD"}, "Revert"},
		{[]string{"tag", "-a", "v1", "-m", "x"}, ""},
		{[]string{"describe"}, "v1"},
		{[]string{"grep", "-c", "one"}, "a.txt:1"},
		{[]string{"commit"}, "nothing to commit"},
		{[]string{"nonsense"}, `git "nonsense" is not one of add, blame`},
	} {
		got := call(t, it, gitArgs(c.args...))
		if got.Text != c.want && (c.want == "" || !strings.Contains(got.Text, c.want)) {
			t.Errorf("%q: got %q, want %q", c.args, got.Text, c.want)
		}
	}
	got := call(t, it, map[string]any{"args": []string{"ls-files", "-o", "."}, "dir": "sub"})
	if got.Failed || got.Text != "" {
		t.Errorf("%+v", got)
	}
}

// Who commits is told by the repository, then by the options, each part for itself;
// if neither does, the answer says what to do.
func TestGitIdentity(t *testing.T) {
	for _, c := range []struct {
		author     string
		repository map[string]string
		want       string // of author and committer; empty if there is none
	}{
		{"Ada <ada@example.com>", nil, "Ada <ada@example.com>"},
		{"  Ada L. King<ada@example.com>  ", nil, "Ada L. King <ada@example.com>"},
		{"Ada <ada@example.com>", map[string]string{"user.email": "ada@work.example"}, "Ada <ada@work.example>"},
		{"Ada <ada@example.com>", map[string]string{"user.name": "Countess"}, "Countess <ada@example.com>"},
		{"Ada", map[string]string{"user.email": "ada@work.example"}, "Ada <ada@work.example>"},
		{"", map[string]string{"user.name": "Own", "user.email": "own@example.com"}, "Own <own@example.com>"},
		{"", nil, ""},
		{"Ada", nil, ""},
		{"<ada@example.com>", nil, ""},
	} {
		o, _ := repo(t)
		o.Author = c.author
		for key, value := range c.repository {
			git(t, o.Workspace, "config", key, value)
		}
		got := call(t, Git(o), gitArgs("commit", "--allow-empty", "-qm", "next"))
		if c.want == "" {
			if !got.Failed || !strings.HasSuffix(got.Text, nobody) {
				t.Errorf("%q: %+v", c.author, got)
			}
			continue
		}
		if log := git(t, o.Workspace, "log", "-1", "--format=%an <%ae>/%cn <%ce>/%s"); got.Failed || log != c.want+"/"+c.want+"/next\n" {
			t.Errorf("%q, %v: %s%s", c.author, c.repository, log, got.Text)
		}
	}
	o, _ := repo(t)
	o.Author = ""
	if got := call(t, Git(o), gitArgs("switch", "none")); !got.Failed || strings.Contains(got.Text, nobody) {
		t.Errorf("what has nothing to do with it: %+v", got)
	}
}

// What the user lets the shell read is for nobody else.
func TestReadIsForTheShell(t *testing.T) {
	o, run := repo(t)
	o.Read = []string{"/opt/x"}
	call(t, Git(o), gitArgs("log"))
	call(t, Git(o), gitArgs("add", "."))
	for _, spec := range run.specs {
		if slices.Contains(spec.Read, "/opt/x") {
			t.Errorf("%q may read %q", spec.Argv, spec.Read)
		}
	}
	if len(run.specs) != 4 {
		t.Errorf("%d programs ran", len(run.specs))
	}
	call(t, Shell(o), map[string]string{"command": "true"})
	if last := run.specs[len(run.specs)-1]; !slices.Equal(last.Read, o.Read) {
		t.Errorf("the shell may read %q", last.Read)
	}
}

// A repository in another one is kept like it, and git writes to the one it is
// run in.
func TestGitNested(t *testing.T) {
	o, run := repo(t)
	if err := os.MkdirAll(o.Workspace+"/sub/.git", 0o777); err != nil {
		t.Fatal(err)
	}
	o.Keep = []string{o.Workspace + "/.git", o.Workspace + "/sub/.git"}
	for dir, want := range map[string][]string{
		"":    {"sub/.git", ".git/config", ".git/hooks", ".git/info"},
		"sub": {".git", "sub/.git/config", "sub/.git/hooks", "sub/.git/info"},
	} {
		call(t, Git(o), map[string]any{"args": []string{"add", "."}, "dir": dir})
		for i := range want {
			want[i] = filepath.Join(o.Workspace, want[i])
		}
		if diff := cmp.Diff(want, run.specs[len(run.specs)-1].Keep); diff != "" {
			t.Errorf("in %q:\n%s", dir, diff)
		}
	}
}

func TestGitPlan(t *testing.T) {
	o, run := repo(t)
	own := filepath.Join(o.Workspace, ".git")
	o.Keep = []string{own, filepath.Join(o.Workspace, "AGENTS.md")}
	it := Git(o)
	plan, err := it.Plan(t.Context(), json.RawMessage(`{"args":["commit","-m","it's done"]}`))
	if err != nil || plan.Subject != `git commit -m 'it'\''s done'` || !slices.Equal(plan.Write, []string{o.Workspace}) || !slices.Contains(plan.Env, "GIT_CONFIG_GLOBAL") {
		t.Errorf("%+v, %v", plan, err)
	}
	plan, err = it.Plan(t.Context(), json.RawMessage(`{"args":["status","--short"]}`))
	if err != nil || plan.Subject != `git status --short` || plan.Write != nil {
		t.Errorf("%+v, %v", plan, err)
	}
	if len(run.specs) > 0 {
		t.Error("planning ran something")
	}
	if effects := it.Spec().Effects; effects != (tool.Effects{Read: true, Write: true, Run: true}) {
		t.Errorf("%+v", effects)
	}
	call(t, it, gitArgs("add", "."))
	last := run.specs[len(run.specs)-1]
	want := []string{"AGENTS.md", ".git/config", ".git/hooks", ".git/info"}
	for i := range want {
		want[i] = filepath.Join(o.Workspace, want[i])
	}
	if diff := cmp.Diff(want, last.Keep); diff != "" {
		t.Error(diff)
	}
	call(t, it, gitArgs("log"))
	if last := run.specs[len(run.specs)-1]; last.Write != nil || last.Proxy != nil || !slices.Contains(last.Read, o.Workspace) {
		t.Errorf("%+v", last)
	}
}

func TestGitRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "args is empty",
		"-c core.pager=x log":            "the subcommand comes first",
		"-C / status":                    "the subcommand comes first",
		"--git-dir=/x log":               "the subcommand comes first",
		"--exec-path=. log":              "the subcommand comes first",
		"push":                           "needs other machines",
		"fetch origin":                   "needs other machines",
		"pull":                           "needs other machines",
		"clone x":                        "needs other machines",
		"remote update":                  "needs other machines",
		"submodule update":               "needs other machines",
		"rebase --exec x":                "is not one of",
		"config a b":                     "is not one of",
		"format-patch -o x":              "is not one of",
		"bisect run x":                   "is not one of",
		"filter-branch":                  "is not one of",
		"difftool":                       "is not one of",
		"diff --output=x":                "--output",
		"diff --outp x":                  "--output",
		"log --output x":                 "--output",
		"show --ext-diff":                "--ext-diff",
		"log --ext":                      "--ext-diff",
		"show --textconv":                "--textconv",
		"blame --textc a":                "--textconv",
		"grep -O x":                      "opens files",
		"grep -nOless x":                 "opens files",
		"grep --open-files-in-pager=x a": "--open-files-in-pager",
		"grep --open a":                  "--open-files-in-pager",
		"checkout --recurse-submodules":  "--recurse-submodules",
		"diff -- --output=x":             "--output",
		"merge -s evil x":                "strategy",
		"merge -sevil x":                 "strategy",
		"merge --strategy=evil x":        "strategy",
		"merge --strat evil x":           "strategy",
		"merge --no-commit -qs evil x":   "strategy",
		"cherry-pick --strategy evil x":  "strategy",
		"revert --strategy evil x":       "strategy",
		"cat-file --filters a":           "--filters",
		"commit --gpg-sign=x":            "--gpg-sign",
	} {
		if _, err := checkGit(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("git %s: got %v, want %q", args, err, want)
		}
	}
	for _, args := range []string{
		"log --text", "diff -O order", "switch -c b", "commit -c HEAD", "log -S word", "rev-parse --git-dir", "grep -eOK", "ls-files -o",
		"merge -s ours b", "merge --strategy=ort b", "merge -X ours b", "merge -m strategy b", "cherry-pick -s a", "revert -s a", "status -s", "diff --name-only", "show -- -",
	} {
		if _, err := checkGit(strings.Fields(args)); err != nil {
			t.Error(err)
		}
	}
}

// A repository may name programs wherever git takes some. None is started.
func TestGitRunsNothing(t *testing.T) {
	o, _ := repo(t)
	mark := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	put(t, evil, "#!/bin/sh\necho \"$0 $*\" >>"+mark+"\ncat\nexit 0\n", 0o755)
	put(t, o.Workspace+"/.gitattributes", "*.txt filter=evil diff=evil merge=evil\n*.bin diff=Ev=il.X filter=Ev=il.X\n", 0o644)
	put(t, o.Workspace+"/x.bin", "a", 0o644)
	git(t, o.Workspace, "branch", "feature")
	for key, value := range map[string]string{
		"core.fsmonitor": evil, "core.hooksPath": filepath.Join(o.Workspace, "hooks"), "core.pager": evil, "core.editor": evil, "core.sshCommand": evil,
		"core.askPass": evil, "core.gitProxy": evil, "core.alternateRefsCommand": evil, "sequence.editor": evil, "credential.helper": evil,
		"diff.external": evil, "diff.evil.command": evil, "diff.evil.textconv": evil, "filter.evil.clean": evil, "filter.evil.smudge": evil,
		"filter.evil.process": evil, "filter.evil.required": "true", "merge.evil.driver": evil, "interactive.diffFilter": evil, "diff.Ev=il.X.textconv": evil,
		"filter.Ev=il.X.clean": evil, "gpg.program": evil, "gpg.ssh.program": evil, "commit.gpgSign": "true", "tag.gpgSign": "true", "log.showSignature": "true",
		"pager.log": evil, "pager.status": evil, "pager.diff": evil, "pull.twohead": "evil", "alias.merge-evil": "!" + evil, "alias.status": "!" + evil,
		"trailer.evil.cmd": evil, "trailer.evil.command": evil, "gc.auto": "1", "hook.evil.command": evil, "hook.evil.event": "pre-commit", "include.path": "more",
		"remote.origin.url": "ext::" + evil, "protocol.ext.allow": "always", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"submodule.recurse": "true", "status.submoduleSummary": "true", "diff.submodule": "log",
	} {
		git(t, o.Workspace, "config", key, value)
	}
	put(t, o.Workspace+"/.git/more", "[filter \"more\"]\n\tclean = "+evil+"\n", 0o644)
	put(t, o.Workspace+"/.git/info/attributes", "a.* filter=more\n", 0o644)
	for _, hook := range []string{"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "post-merge", "post-index-change", "reference-transaction", "pre-merge-commit"} {
		put(t, o.Workspace+"/.git/hooks/"+hook, "#!/bin/sh\necho hook >>"+mark+"\n", 0o755)
		put(t, o.Workspace+"/hooks/"+hook, "#!/bin/sh\necho hook >>"+mark+"\n", 0o755)
	}
	put(t, o.Workspace+"/a.txt", "changed\n", 0o644)
	// A repository within, which is part of this one, with the same in it.
	nested := o.Workspace + "/nested"
	put(t, nested+"/n.txt", "one\n", 0o644)
	git(t, nested, "init", "-q", "-b", "main")
	git(t, nested, "add", ".")
	git(t, nested, "commit", "-qm", "first")
	put(t, nested+"/n.txt", "two\n", 0o644)
	put(t, o.Workspace+"/.gitmodules", "[submodule \"nested\"]\n\tpath = nested\n\turl = ext::"+evil+"\n\tignore = none\n", 0o644)
	git(t, o.Workspace, "-c", "core.fsmonitor=false", "config", "submodule.nested.ignore", "none")
	git(t, o.Workspace, "config", "submodule.nested.update", "!"+evil)
	git(t, nested, "config", "core.fsmonitor", evil)
	git(t, nested, "config", "diff.external", evil)
	it := Git(o)
	for _, args := range [][]string{
		{"status", "-v"}, {"diff"}, {"log", "-p"}, {"log", "--format=%G? %GK"}, {"show"}, {"blame", "a.txt"}, {"grep", "one"}, {"cat-file", "-p", "HEAD:a.txt"}, {"describe", "--all", "--dirty"},
		{"shortlog", "HEAD"}, {"add", "-A"}, {"commit", "-m", "second", "--trailer", "evil: x"}, {"commit", "--amend"}, {"show", "--stat"}, {"stash", "push"}, {"tag", "-a", "v1", "-m", "x"}, {"tag", "-v", "v1"},
		{"switch", "feature"}, {"checkout", "main"}, {"switch", "feature"}, {"mv", "a.txt", "b.txt"}, {"commit", "-v", "-m", "third"}, {"merge", "main"}, {"merge", "--abort"},
		{"cherry-pick", "main"}, {"reset", "--hard"}, {"revert", "HEAD"}, {"restore", "."}, {"rm", "-q", "b.txt"}, {"add", "-p"}, {"commit", "-S", "-m", "signed"}, {"cat-file", "-e", strings.Repeat("1", 40)},
	} {
		out := call(t, it, gitArgs(args...))
		if text, err := os.ReadFile(mark); err == nil {
			t.Fatalf("git %q started something:\n%s\n%s", args, text, out.Text)
		}
		t.Logf("git %q: %.90q", args, out.Text)
	}
	// The attack is one: git itself would have started some of that.
	_ = exec.CommandContext(t.Context(), "git", "-C", o.Workspace, "status").Run()
	if _, err := os.Stat(mark); err != nil {
		t.Error("the repository is harmless, so that this proves nothing")
	}
}

// A bare repository among the files, a nested one, and one above the workspace.
func TestGitFindsOnlyItsOwn(t *testing.T) {
	o, _ := repo(t)
	outer := o.Workspace
	o.Workspace = filepath.Join(outer, "inner")
	put(t, o.Workspace+"/file", "", 0o644)
	if got := call(t, Git(o), gitArgs("status")); !got.Failed || !strings.Contains(got.Text, "is in no git repository of the workspace") {
		t.Errorf("%+v", got)
	}
	git(t, o.Workspace, "init", "-q", "--bare", "bare")
	if got := call(t, Git(o), map[string]any{"args": []string{"status"}, "dir": "bare"}); !got.Failed {
		t.Errorf("%+v", got)
	}
	put(t, o.Workspace+"/.git", "gitdir: "+outer+"/.git\n", 0o644)
	if got := call(t, Git(o), gitArgs("status")); !got.Failed || !strings.Contains(got.Text, "leads to one") {
		t.Errorf("%+v", got)
	}
}

// No words make the check panic, and what it lets through begins with a subcommand
// that it knows.
func FuzzCheckGit(f *testing.F) {
	f.Add("diff\n--output=x")
	f.Add("grep\n-nO\nx")
	f.Add("merge\n-s")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		if _, err := checkGit(args); err != nil {
			return
		}
		if _, ok := subcommands()[args[0]]; !ok {
			t.Fatalf("%q", args)
		}
		for _, arg := range args[1:] {
			if strings.HasPrefix(arg, "--output=") || strings.HasPrefix(arg, "--ext-diff") {
				t.Fatalf("%q", args)
			}
		}
	})
}
