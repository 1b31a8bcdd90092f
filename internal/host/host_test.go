package host

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/prompt"
	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/skill"
)

func TestNativeRootsInOrder(t *testing.T) {
	p, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	roots := p.Expand(Places{
		Workspace: "/ws", Home: "/h/.knack", UserHome: "/h", Bundled: fstest.MapFS{},
		Texts: func(key string) []string { return map[string][]string{"skills.extra_roots": {"/x", "/y"}}[key] },
	})
	type row struct {
		Path, Class string
		Trust       skill.Trust
		Links       catalog.Links
	}
	var got []row
	for _, r := range roots {
		got = append(got, row{filepath.ToSlash(r.Path), r.Class, r.Trust, r.Links})
	}
	want := []row{
		{"/ws/.knack/skills", "workspace", skill.Trusted, catalog.ContainedLinks},
		{"/ws/skills", "workspace", skill.Trusted, catalog.ContainedLinks},
		{"/ws/.agents/skills", "workspace", skill.Trusted, catalog.ContainedLinks},
		{"/ws/.claude/skills", "workspace", skill.Trusted, catalog.ContainedLinks},
		{"/h/.knack/skills", "user", skill.Trusted, catalog.FollowLinks},
		{"/h/.agents/skills", "user", skill.Trusted, catalog.FollowLinks},
		{"/h/.claude/skills", "user", skill.Trusted, catalog.FollowLinks},
		{"/h/.knack/installed", "installed", skill.Installed, catalog.DenyLinks},
		{"/x", "extra", skill.Trusted, catalog.ContainedLinks},
		{"/y", "extra", skill.Trusted, catalog.ContainedLinks},
		{"bundled:", "bundled", skill.Trusted, catalog.DenyLinks},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if w := filepath.ToSlash(roots[3].Within); w != "/ws" {
		t.Errorf("links of .claude/skills must stay within %q, not the workspace", w)
	}
}

func TestRootsWithoutPlaceAreLeftOut(t *testing.T) {
	p, err := Load(Native)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Expand(Places{Home: "/h/.knack", UserHome: "/h"}) {
		if r.Class == "workspace" || r.Class == "extra" || r.Class == "bundled" {
			t.Errorf("root %s of class %s, but there is no such place", r.Path, r.Class)
		}
	}
}

// Every strategy a shipped profile names must exist in its step.
func TestShippedProfilesNameKnownStrategies(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		parser, err := format.New(p.Format)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checker, err := gate.New(p.Gate)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, err := range strategies(p) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := catalog.New(catalog.Options{Rules: p.Discover, Parser: parser, Gate: checker}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// strategies makes what a session consists of and returns what is wrong.
func strategies(p *Profile) []error {
	_, choose := route.New(p.Route, nil)
	_, render := prompt.New(p.Prompt)
	_, tools := policy.New(p.Policy)
	_, activate := session.NewActivator(p.Activate)
	_, commands := session.NewCommands(p.Command)
	_, names := session.NewToolNamer(p.Tools)
	_, env := session.NewEnv(p.Env)
	return slices.DeleteFunc([]error{choose, render, tools, activate, commands, names, env}, func(err error) bool { return err == nil })
}

func TestAnotherHostIsAFile(t *testing.T) {
	extra := fstest.MapFS{"eighth.toml": {Data: []byte(`
extends = "base"
[format]
identity = "declared"
[format.limits]
keywords = 7
[[root]]
path = "<ws>/eighth"
class = "workspace"
trust = "installed"
depth = 1
symlinks = "deny"
`)}}
	p, err := Load("eighth", extra)
	if err != nil {
		t.Fatal(err)
	}
	if p.Format.Limits.Keywords != 7 || p.Format.Limits.FileBytes == 0 || len(p.Format.Manifests) == 0 {
		t.Errorf("differences must lie over what is inherited: %+v", p.Format)
	}
	roots := p.Expand(Places{Workspace: "/ws"})
	if len(roots) != 1 || filepath.ToSlash(roots[0].Path) != "/ws/eighth" {
		t.Errorf("roots = %v", roots)
	}
	if diff := cmp.Diff([]string{"agents", "claude", "clawseed", "eighth", "ironclaw", Native, "openclaw", "rantaiclaw"}, Names(extra)); diff != "" {
		t.Error(diff)
	}
}

func TestBadProfilesSayWhere(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"unknown key":   {"extends = \"base\"\n[gate]\nfrobnicate = 1\n", "x.toml:3: unknown key gate.frobnicate"},
		"syntax":        {"extends = \"base\"\n[gate\n", "x.toml:2"},
		"itself":        {"extends = \"x\"\n", `extends "x", which does not exist`},
		"no parent":     {"extends = \"nowhere\"\n", `extends "nowhere"`},
		"trust":         {"[[root]]\npath=\"<ws>/s\"\nclass=\"c\"\ntrust=\"total\"\nsymlinks=\"deny\"\n", `trust is "total"`},
		"links":         {"[[root]]\npath=\"<ws>/s\"\nclass=\"c\"\ntrust=\"trusted\"\nsymlinks=\"maybe\"\n", `symlinks is "maybe"`},
		"no class":      {"[[root]]\npath=\"<ws>/s\"\n", "has no class"},
		"wrong type":    {"[format]\nmanifests = 3\n", "x.toml:2"},
		"relative path": {"[[root]]\npath=\"skills\"\nclass=\"c\"\ntrust=\"trusted\"\nsymlinks=\"deny\"\n", "a path starts with"},
		"switch":        {"extends = \"base\"\n[config]\nswitch = \"entry\"\n", "config.switch is \"entry\""},
		"legacy":        {"extends = \"base\"\n[config]\nlegacy = [\"<nowhere>/a\"]\n", "there is no place named <nowhere>"},
		"reader":        {"extends = \"base\"\n[config]\nreader = \"xml\"\n", "config.reader is \"xml\""},
		"Go's types":    {"extends = \"base\"\n[discover]\nlayout = 3\n", "x.toml:3: cannot decode TOML integer"},
		"root, no path": {"[[root]]\nclass=\"c\"\n", "root 1 has no path"},
	} {
		_, err := Load("x", fstest.MapFS{"x.toml": {Data: []byte(c.file)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to contain %q", name, err, c.want)
		}
	}
	var unknown *UnknownError
	if _, err := Load("nohost"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), Native) {
		t.Errorf("an unknown host lists the known ones, got %v", err)
	}
}

func TestExtendsInACircle(t *testing.T) {
	_, err := Load("x", fstest.MapFS{"x.toml": {Data: []byte("extends = \"y\"\n")}, "y.toml": {Data: []byte("extends = \"x\"\n")}})
	if err == nil || !strings.Contains(err.Error(), "circle: x → y → x") {
		t.Errorf("got %v", err)
	}
}
