package knack_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// openclawMetadata is what that system makes of a metadata block.
type openclawMetadata struct {
	Always     bool             `json:"always,omitempty"`
	Emoji      string           `json:"emoji,omitempty"`
	Homepage   string           `json:"homepage,omitempty"`
	SkillKey   string           `json:"skillKey,omitempty"`
	PrimaryEnv string           `json:"primaryEnv,omitempty"`
	OS         []string         `json:"os,omitempty"`
	Requires   *openclawGates   `json:"requires,omitempty"`
	Install    []map[string]any `json:"install,omitempty"`
}

type openclawGates struct {
	Bins    []string `json:"bins,omitempty"`
	AnyBins []string `json:"anyBins,omitempty"`
	Env     []string `json:"env,omitempty"`
	Config  []string `json:"config,omitempty"`
}

// plain drops what says nothing, so that absent, null and empty are the same.
func (m *openclawMetadata) plain() *openclawMetadata {
	if m == nil {
		m = &openclawMetadata{}
	}
	if r := m.Requires; r != nil && len(r.Bins)+len(r.AnyBins)+len(r.Env)+len(r.Config) == 0 {
		m.Requires = nil
	}
	return m
}

type openclawInvocation struct {
	UserInvocable          bool `json:"userInvocable"`
	DisableModelInvocation bool `json:"disableModelInvocation"`
}

// openclawAnswer is what Knack and the real system say of one SKILL.md.
type openclawAnswer struct {
	Name        string              `json:"name,omitempty"`
	Description string              `json:"description,omitempty"`
	Error       string              `json:"error,omitempty"`
	Metadata    *openclawMetadata   `json:"metadata,omitempty"`
	Invocation  *openclawInvocation `json:"invocation,omitempty"`
}

func metadataOf(e *skill.Entry) *openclawMetadata {
	q := e.Requires
	m := &openclawMetadata{
		Always: q.Always, Emoji: e.Emoji, Homepage: e.Homepage, SkillKey: q.SkillKey, PrimaryEnv: q.PrimaryEnv, OS: q.OS,
		Requires: &openclawGates{q.Bins, q.AnyBins, q.Env, q.Config},
	}
	for _, spec := range e.Installers {
		m.Install = append(m.Install, specOf(spec))
	}
	return m.plain()
}

// specOf writes an installer the way that system does.
func specOf(spec skill.InstallSpec) map[string]any {
	data, _ := json.Marshal(spec)
	var out map[string]any
	_ = json.Unmarshal(data, &out)
	switch name, ok := out["package"]; {
	case ok && spec.Kind == "brew":
		out["formula"] = name
		delete(out, "package")
	case ok && spec.Kind == "go":
		out["module"] = name
		delete(out, "package")
	}
	if spec.ID == spec.Kind+"-0" { // the one it has without being given one
		delete(out, "id")
	}
	return out
}

// answerFor loads one SKILL.md as the host.
func answerFor(t *testing.T, text string) openclawAnswer {
	t.Helper()
	m := newMachine(t)
	m.write("skills/case/SKILL.md", text)
	e, err := m.open(func(o *knack.Options) { o.Host = "openclaw" }).Inspect(t.Context(), filepath.Join(m.ws, "skills", "case"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Status == skill.Invalid {
		return openclawAnswer{Error: e.Reasons[0].Message}
	}
	return openclawAnswer{
		Name: e.Name, Description: rawText(t, e.Description), Metadata: metadataOf(e),
		Invocation: &openclawInvocation{!e.Invocation.UserDisabled, e.Invocation.ModelDisabled},
	}
}

// rawText is a text as JSON has it.
func rawText(t *testing.T, text skill.Text) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpenclawFrontmatterGoldens(t *testing.T) {
	var cases map[string]struct {
		Input  string `json:"input"`
		Loaded *struct {
			Name, Description string
		} `json:"loaded"`
		LoadError   string              `json:"loadError"`
		Metadata    *openclawMetadata   `json:"metadata"`
		Invocation  *openclawInvocation `json:"invocation"`
		Frontmatter map[string]string   `json:"frontmatter"`
	}
	golden(t, "openclaw/frontmatter-cases.json", &cases)
	c := newConformance(t, "openclaw", "frontmatter-cases")
	for name, g := range cases {
		want := openclawAnswer{Error: g.LoadError}
		if g.Loaded != nil {
			want = openclawAnswer{Name: g.Loaded.Name, Description: g.Loaded.Description, Metadata: g.Metadata.plain(), Invocation: g.Invocation}
			// What stands beside metadata fills what it lacks.
			want.Metadata.Emoji = cmp.Or(want.Metadata.Emoji, g.Frontmatter["emoji"])
			want.Metadata.Homepage = cmp.Or(want.Metadata.Homepage, g.Frontmatter["homepage"], g.Frontmatter["website"], g.Frontmatter["url"])
		}
		got := answerFor(t, g.Input)
		// What exactly is wrong with YAML is each parser's own; that it is, and
		// which kind of refusal follows, must agree.
		if kind := "invalid frontmatter: "; strings.HasPrefix(want.Error, kind) && strings.Contains(got.Error, kind) {
			want.Error, got.Error = kind, kind
		}
		if got.Error != "" && want.Error != "" && strings.HasSuffix(got.Error, want.Error) { // it has the line in front
			got.Error = want.Error
		}
		c.check(name, want, got)
	}
	c.done()
}

func TestOpenclawInstallSpecGoldens(t *testing.T) {
	var cases []struct {
		Input  any            `json:"input"`
		Output map[string]any `json:"output"`
	}
	golden(t, "openclaw/install-spec-cases.json", &cases)
	c := newConformance(t, "openclaw", "install-spec-cases")
	for i, g := range cases {
		metadata, err := json.Marshal(map[string]any{"openclaw": map[string]any{"install": []any{g.Input}}})
		if err != nil {
			t.Fatal(err)
		}
		got := answerFor(t, "---\nname: a\ndescription: b\nmetadata: "+string(metadata)+"\n---\nBody.\n")
		var spec map[string]any
		if len(got.Metadata.Install) > 0 {
			spec = got.Metadata.Install[0]
		}
		c.check(fmt.Sprint(i), g.Output, spec)
	}
	c.done()
}

func TestOpenclawConfigPathGoldens(t *testing.T) {
	var doc struct {
		Config json.RawMessage `json:"config"`
		Cases  [][2]any        `json:"cases"`
	}
	golden(t, "openclaw/config-path-cases.json", &doc)
	c := newConformance(t, "openclaw", "config-path-cases")
	for _, g := range doc.Cases {
		key, _ := g[0].(string)
		m := newMachine(t)
		m.write(filepath.Join(m.home, ".openclaw", "openclaw.json"), string(doc.Config))
		metadata, err := json.Marshal(map[string]any{"openclaw": map[string]any{"requires": map[string]any{"config": []string{key}}}})
		if err != nil {
			t.Fatal(err)
		}
		m.write("skills/case/SKILL.md", "---\nname: a\ndescription: b\nmetadata: "+string(metadata)+"\n---\nBody.\n")
		snap, err := m.open(func(o *knack.Options) { o.Host = "openclaw" }).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e, err := snap.Find("a")
		if err != nil {
			t.Fatal(err)
		}
		c.check(key, g[1], e.Status == skill.Ready)
	}
	c.done()
}

// openclawTree is a case of discovery: files, links, settings and what is found.
type openclawTree struct {
	ID             string            `json:"id"`
	Files          map[string]string `json:"files"`
	Links          [][2]string       `json:"links"`
	Hard           [][2]string       `json:"hard"`
	ExtraDirs      []string          `json:"extraDirs"`
	AllowTargets   []string          `json:"allowSymlinkTargets"`
	AllowBundled   *[]string         `json:"allowBundled"`
	Limits         map[string]int    `json:"limits"`
	Entries        map[string]any    `json:"entries"`
	Config         map[string]any    `json:"config"`
	FilterEligible bool              `json:"filterEligible"`
	Result         []openclawFound   `json:"result"`
}

type openclawFound struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
	File        string `json:"file"`
}

// build makes the tree below dir and the configuration that goes with it.
func (c *openclawTree) build(t *testing.T, dir string) {
	t.Helper()
	at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range c.Files {
		write(at(name), text)
	}
	for _, link := range c.Links {
		if err := os.MkdirAll(filepath.Dir(at(link[0])), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at(link[1]), at(link[0])); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range c.Hard {
		if err := os.MkdirAll(filepath.Dir(at(link[0])), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(at(link[1]), at(link[0])); err != nil {
			t.Fatal(err)
		}
	}
	absolute := func(paths []string) []string {
		out := []string{}
		for _, p := range paths {
			out = append(out, at(p))
		}
		return out
	}
	skills := map[string]any{
		"load":    map[string]any{"extraDirs": absolute(c.ExtraDirs), "allowSymlinkTargets": absolute(c.AllowTargets)},
		"entries": c.Entries, "limits": c.Limits,
	}
	if c.Entries == nil {
		delete(skills, "entries")
	}
	if c.Limits == nil {
		delete(skills, "limits")
	}
	if c.AllowBundled != nil {
		skills["allowBundled"] = *c.AllowBundled
	}
	doc := map[string]any{"skills": skills}
	for key, value := range c.Config {
		doc[key] = value
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	write(at("state/openclaw.json"), string(data))
}

// source names a root as that system does.
func (c *openclawTree) source(root string) string {
	switch {
	case root == "ws/skills":
		return "openclaw-workspace"
	case root == "ws/.agents/skills":
		return "agents-skills-project"
	case root == "state/skills":
		return "openclaw-managed"
	case root == "home/.agents/skills":
		return "agents-skills-personal"
	case root == "bundled":
		return "openclaw-bundled"
	default:
		return "openclaw-extra"
	}
}

func TestOpenclawDiscoveryGoldens(t *testing.T) {
	var cases []openclawTree
	golden(t, "openclaw/discovery-cases.json", &cases)
	c := newConformance(t, "openclaw", "discovery-cases")
	for _, g := range cases {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		g.build(t, dir)
		for _, d := range []string{"ws", "home"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		engine, err := knack.Open(t.Context(), knack.Options{
			Host: "openclaw", Workspace: filepath.Join(dir, "ws"), UserHome: filepath.Join(dir, "home"),
			Environ: []string{
				"PATH=/usr/bin:/bin", "OPENCLAW_STATE_DIR=" + filepath.Join(dir, "state"),
				"OPENCLAW_BUNDLED_SKILLS_DIR=" + filepath.Join(dir, "bundled"),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if ds := engine.Diagnostics(); len(ds) > 0 {
			t.Errorf("%s: %+v", g.ID, ds)
		}
		snap, err := engine.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := []openclawFound{}
		for _, e := range snap.Entries() {
			limited := slices.ContainsFunc(e.Reasons, func(r skill.Reason) bool { return r.Code == skill.ReasonLimit })
			if e.Status == skill.Invalid || e.Status == skill.Shadowed || limited || g.FilterEligible && e.Status != skill.Ready {
				continue
			}
			rel := func(path string) string { r, _ := filepath.Rel(dir, path); return filepath.ToSlash(r) }
			real, err := filepath.EvalSymlinks(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, openclawFound{e.Name, rawText(t, e.Description), g.source(rel(e.Root)), rel(real) + "/" + e.Manifests[0].File})
		}
		want := g.Result
		for i := range want { // links of managed roots are shown where they lead
			if real, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.Dir(want[i].File))); err == nil {
				rel, _ := filepath.Rel(dir, real)
				want[i].File = filepath.ToSlash(rel) + "/" + filepath.Base(want[i].File)
			}
		}
		c.check(g.ID, want, got)
	}
	c.done()
}

// Every directory of the corpus that the real system loads has the same name
// and description here, and no gate that it saw is missing.
func TestOpenclawCorpusGoldens(t *testing.T) {
	corpus, goldens := os.Getenv("KNACK_CORPUS"), os.Getenv("KNACK_GOLDENS")
	if corpus == "" || goldens == "" {
		t.Skip("KNACK_CORPUS and KNACK_GOLDENS say where the corpus and its goldens are")
	}
	file, err := os.Open(filepath.Join(goldens, "openclaw", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m := newMachine(t)
	engine := m.open(func(o *knack.Options) { o.Host = "openclaw" })
	c := newConformance(t, "openclaw", "corpus")
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Dir               string
			OK                bool
			Name, Description string
			Metadata          *openclawMetadata
			Invocation        *openclawInvocation
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(corpus, row.Dir)
		if _, err := os.Stat(dir); err != nil || !row.OK {
			continue
		}
		e, err := engine.Inspect(t.Context(), dir)
		if err != nil {
			t.Errorf("%s: %v", row.Dir, err)
			continue
		}
		got, want := metadataOf(e), row.Metadata.plain()
		if missing := lessGates(want, got); missing != "" {
			t.Errorf("%s: %s is less than what the host saw", row.Dir, missing)
		}
		c.check(row.Dir, openclawAnswer{Name: row.Name, Description: row.Description}, openclawAnswer{Name: e.Name, Description: rawText(t, e.Description)})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	c.done()
}

// lessGates names a list of gates of which got lacks something; "" if none.
func lessGates(want, got *openclawMetadata) string {
	if want.Requires == nil {
		want.Requires = &openclawGates{}
	}
	if got.Requires == nil {
		got.Requires = &openclawGates{}
	}
	for _, list := range []struct {
		name      string
		want, got []string
	}{
		{"bins", want.Requires.Bins, slices.Concat(got.Requires.Bins, got.Requires.AnyBins)}, {"anyBins", want.Requires.AnyBins, slices.Concat(got.Requires.AnyBins, got.Requires.Bins)},
		{"env", want.Requires.Env, got.Requires.Env}, {"config", want.Requires.Config, got.Requires.Config},
	} {
		for _, name := range list.want {
			if !slices.Contains(list.got, name) {
				return list.name
			}
		}
	}
	if len(want.OS) > 0 && len(got.OS) == 0 {
		return "os"
	}
	if got.Always && !want.Always {
		return "always"
	}
	return ""
}
