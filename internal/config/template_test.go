package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

// What a host's program would put in is told about where Knack does not.
func TestUnfollowed(t *testing.T) {
	const file = `{
  "$include": ["./a.json5", "./b.json5"],
  skills: {
    "$include": "./skills.json5",
    open_skills_url: "https://${SITE}/x",
    load: { extraDirs: ["${HOME}/one", "$DIR", "${NONE}/two", "$${HOME}", "/a$/b"] },
    entries: { x: { apiKey: "${KEY}", env: { A: "${KEY}", B: "$${KEY}", C: "$KEY" } }, y: { apiKey: "Bearer ${KEY}", "$include": "./y" } },
  },
  agents: { defaults: { skills: ["${LIST}"], workspace: "${HOME}/ws" } },
  gateway: { auth: { token: "${TOKEN}" }, list: [{ "$include": "x" }, "${_T}", "${lower}", "${"] },
}`
	b := newBench(t, "", "").withHost("json5-entries", file)
	home := filepath.Join(b.dir, "me")
	b.in.Environ = []string{"HOME=" + home, "DIR=" + filepath.Join(b.dir, "dir"), "NONE=", "KEY=k"}
	s, got := b.load()
	const include = ": the files that it names are not read, so what they set does not count (write what skills need into this file, or into knack's own configuration) [config-unknown-key]"
	const instead = " is not replaced by the value of that variable (write the value itself, or set the key in knack's own configuration) [config-bad-value]"
	want := []string{
		`other/host.json:2: warning: "$include"` + include,
		`other/host.json:4: warning: skills."$include"` + include,
		"other/host.json:5: warning: skills.open_skills_url: ${SITE}" + instead,
		`other/host.json:6: warning: skills.extra_roots: "${NONE}/two" names the variable NONE, which is not set (set NONE, or write the path itself) [config-bad-value]`,
		"other/host.json:7: warning: skills.entries.x.env.A: ${KEY}" + instead,
		"other/host.json:7: warning: skills.entries.y.api_key: ${KEY}" + instead,
		`other/host.json:7: warning: skills.entries.y."$include"` + include,
		"other/host.json:9: warning: agents.defaults.skills: ${LIST}" + instead,
		"other/host.json:9: info: agents.defaults.workspace: ${HOME} is replaced only where a directory is named; for requires.config it is a text that is set (so are 2 more) [config-bad-value]",
		`other/host.json:10: warning: gateway.list."$include"` + include,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	roots := []string{filepath.Join(home, "one"), filepath.Join(b.dir, "dir"), filepath.Join(b.dir, "other", "${HOME}"), "/a$/b"}
	if diff := cmp.Diff(roots, s.Skills.ExtraRoots); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{filepath.Join(home, "ws")}, s.Texts("agents.defaults.workspace")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Skills.Entries["x"].Ref.ID != "KEY" {
		t.Errorf("%+v", s.Skills.Entries["x"])
	}

	// Knack's own file, and other systems', say what they mean.
	b = newBench(t, "skills.extra_roots = ['/a/$HOME']\n", "").withHost("toml-skills", "[skills]\nextra_roots = ['/b/${HOME}']\nx.'$include' = 1\n")
	b.in.Environ = []string{"HOME=/h"}
	s, got = b.load()
	if diff := cmp.Diff([]string{"/b/${HOME}", "/a/$HOME"}, s.Skills.ExtraRoots); diff != "" || len(got) != 1 || !strings.Contains(got[0], "skills.x: knack does not know it") {
		t.Errorf("%v (-want +got)\n%s", got, diff)
	}
}

func TestExpand(t *testing.T) {
	for text, want := range map[string][2]string{
		"":             {"", ""},
		"$A/${B}x$":    {"1/2x$", ""},
		"$AB":          {"", "AB"},
		"${A":          {"${A", ""},
		"${}$1${1}":    {"${}$1${1}", ""},
		"$${A}$$A":     {"${A}$1", ""},
		"${C}${D}":     {"", "C"},
		"${A.B}$A.B$é": {"${A.B}1.B$é", ""},
	} {
		if got, missing := expand(text, []string{"A=1", "B=2", "C="}); got != want[0] || missing != want[1] {
			t.Errorf("%q became %q, %q", text, got, missing)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"$A/${B}", "$${A}", "${", "$", "${A", "$1", "a${É}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, missing := expand(text, []string{"A=1"})
		if missing == "" && !strings.Contains(text, "$") && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if missing != "" && !strings.Contains(text, missing) {
			t.Errorf("%q has no %q", text, missing)
		}
		if name := variableIn(&tree.Node{Kind: tree.String, Text: text}); !strings.Contains(text, name) {
			t.Errorf("%q has no %q", text, name)
		}
	})
}
