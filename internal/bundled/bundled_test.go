package bundled_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/bundled"
	"github.com/knackhq/knack/internal/toolbox/calculator"
	"github.com/knackhq/knack/skill"
)

// expected is every file that ships. A file that is not listed here, such as an
// editor's backup, would end up in everybody's binary.
var expected = []string{
	"arithmetic/SKILL.md",
	"code-review/SKILL.md",
	"commit-messages/SKILL.md",
	"commit-messages/manifest.toml",
	"github-status/SKILL.toml",
	"github-status/scripts/check-remote.sh",
	"meeting-notes/SKILL.md",
	"skill-creator/SKILL.md",
	"skill-creator/references/checklist.md",
	"skill-creator/references/fields.md",
	"weather/SKILL.md",
	"weather/SKILL.toml",
}

// header is what every skill declares, in whichever manifest.
type header struct {
	Name        string   `yaml:"name" toml:"name"`
	Description string   `yaml:"description" toml:"description"`
	Version     string   `yaml:"version" toml:"version"`
	Author      string   `yaml:"author" toml:"author"`
	Category    string   `yaml:"category" toml:"category"`
	License     string   `yaml:"license" toml:"license"`
	Tags        []string `yaml:"tags" toml:"tags"`
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(bundled.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// split returns the frontmatter and the body of a SKILL.md.
func split(t *testing.T, name string) (front, body string) {
	t.Helper()
	rest, ok := strings.CutPrefix(string(read(t, name)), "---\n")
	if !ok {
		t.Fatalf("%s does not start with a fence", name)
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		t.Fatalf("%s has no closing fence", name)
	}
	return front, body
}

func headers(t *testing.T, folder string) map[string]header {
	t.Helper()
	found := map[string]header{}
	for _, file := range expected {
		if path.Dir(file) != folder {
			continue
		}
		var h header
		switch path.Base(file) {
		case "SKILL.md":
			front, _ := split(t, file)
			if err := yaml.Unmarshal([]byte(front), &h); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		case "SKILL.toml":
			if err := toml.Unmarshal(read(t, file), &h); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		case "manifest.toml":
			var m struct {
				Skill header `toml:"skill"`
			}
			if err := toml.Unmarshal(read(t, file), &m); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			h = m.Skill
		}
		found[file] = h
	}
	return found
}

func folders(t *testing.T) []string {
	t.Helper()
	entries, err := fs.ReadDir(bundled.FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 7 {
		t.Fatalf("got %d skills, want 7: %v", len(names), names)
	}
	return names
}

func TestFiles(t *testing.T) {
	var got []string
	err := fs.WalkDir(bundled.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	for _, file := range expected {
		data := read(t, file)
		text := skill.NewText(string(data))
		if n := text.Tokens(); n >= 2000 {
			t.Errorf("%s costs %d tokens; the instructions must stay under 2,000", file, n)
		}
		if !bytes.HasSuffix(data, []byte("\n")) || bytes.Contains(data, []byte("\r")) {
			t.Errorf("%s: lines must end with LF", file)
		}
		if i := bytes.IndexFunc(data, invisible); i >= 0 {
			t.Errorf("%s: invisible character at byte %d", file, i)
		}
	}
}

func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0, r == 0xfffd, r == 0xfeff:
		return true
	}
	return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f
}

func TestHeaders(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, folder := range folders(t) {
		var whole header // the fields of all manifests together
		for file, h := range headers(t, folder) {
			if h.Name != folder || !name.MatchString(h.Name) || len(h.Name) > 64 {
				t.Errorf("%s: name %q must be a valid name and the folder's", file, h.Name)
			}
			if len(h.Description) > 1024 || !strings.Contains(h.Description, "Use when") {
				t.Errorf("%s: the description must say when, in at most 1,024 characters", file)
			}
			if whole.Description != "" && whole.Description != h.Description {
				t.Errorf("%s: the manifests of %s describe it differently", file, folder)
			}
			if h.License != "Apache-2.0" {
				t.Errorf("%s: licence %q", file, h.License)
			}
			whole.Description = h.Description
			whole.Version += h.Version
			whole.Author += h.Author
			whole.Category += h.Category
			whole.Tags = append(whole.Tags, h.Tags...)
		}
		if whole.Version != "1.0.0" || whole.Author != "Knack" || whole.Category == "" || len(whole.Tags) == 0 {
			t.Errorf("%s: version %q, author %q, category %q, tags %q; each must be declared once",
				folder, whole.Version, whole.Author, whole.Category, whole.Tags)
		}
	}
}

// A body that mentions a file must mention one that ships, and the other way
// round: a file nobody is sent to is never read.
func TestReferences(t *testing.T) {
	mention := regexp.MustCompile(`(?:references|scripts)/[a-z-]+\.(?:md|sh)`)
	for folder, manifest := range map[string]string{"skill-creator": "SKILL.md", "github-status": "SKILL.toml"} {
		text := string(read(t, folder+"/"+manifest))
		for _, file := range expected {
			rel, ok := strings.CutPrefix(file, folder+"/")
			if ok && strings.Contains(rel, "/") && !strings.Contains(text, rel) {
				t.Errorf("%s/%s does not mention %s", folder, manifest, rel)
			}
		}
	}
	text := string(read(t, "github-status/SKILL.toml"))
	for _, rel := range mention.FindAllString(text, -1) {
		if _, err := fs.Stat(bundled.FS(), "github-status/"+rel); err != nil {
			t.Errorf("github-status mentions %s: %v", rel, err)
		}
	}
}

func TestPatternsCompile(t *testing.T) {
	front, _ := split(t, "code-review/SKILL.md")
	var doc struct {
		Activation struct {
			Keywords, Patterns, Tags []string
			MaxContextTokens         int `yaml:"max_context_tokens"`
		}
	}
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		t.Fatal(err)
	}
	a := doc.Activation
	if len(a.Keywords) == 0 || len(a.Patterns) == 0 || len(a.Tags) == 0 || a.MaxContextTokens == 0 {
		t.Fatalf("activation is incomplete: %+v", a)
	}
	for message, want := range map[string]bool{
		"please review my branch":         true,
		"can you look over this PR":       true,
		"review the last three commits":   true,
		"write a performance review":      false,
		"preview the pull-down menu code": false,
	} {
		got := false
		for _, p := range a.Patterns {
			got = got || regexp.MustCompile(p).MatchString(message)
		}
		if got != want {
			t.Errorf("%q: patterns match = %v, want %v", message, got, want)
		}
	}
}

// The engine itself has nothing to say against them: authors copy these.
func TestNoDiagnostics(t *testing.T) {
	engine, err := knack.Open(t.Context(), knack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := engine.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var slugs []string
	for _, e := range snapshot.Entries() {
		slugs = append(slugs, e.Slug)
		whole, err := engine.Load(t.Context(), e)
		if err != nil {
			t.Errorf("%s: %v", e.Slug, err)
			continue
		}
		for _, d := range append(whole.Diagnostics, engine.Advise(whole)...) {
			t.Error(d)
		}
		if whole.Status != skill.Ready && whole.Status != skill.Gated || whole.Description.IsBlank() || whole.Tokens == 0 {
			t.Errorf("%s: %s, %d tokens", e.Slug, whole.Status, whole.Tokens)
		}
	}
	if diff := cmp.Diff(folders(t), slugs); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
}

// What the skills say of themselves is enough to choose them, and none of them
// pushes itself forward.
func TestSelection(t *testing.T) {
	engine, err := knack.Open(t.Context(), knack.Options{Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	session, err := engine.NewSession(t.Context(), knack.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	curl := true
	if _, err := exec.LookPath("curl"); err != nil {
		curl = false // without it weather is gated
	}
	for message, want := range map[string]string{
		"What is 17.5% of 2340?":                  "arithmetic",
		"what is 15 percent of 62.80":             "arithmetic",
		"split a bill of 128.40 among 4 people":   "arithmetic",
		"calculate 1287 * 93":                     "arithmetic",
		"will it rain in Bergen tomorrow?":        "weather",
		"weather in Bergen":                       "weather",
		"What's the weather like in Oslo?":        "weather",
		"please review my branch":                 "code-review",
		"hello, how are you?":                     "",
		"what is the capital of France":           "",
		"merge the fix of 2024-05-01 into v3.1":   "",
		"write a function that returns a + b * 3": "",
	} {
		if want == "weather" && !curl {
			continue
		}
		found, err := session.Select(t.Context(), message)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range found.Activate {
			got += c.Name
		}
		if got != want {
			t.Errorf("%q activates %q, want %q", message, got, want)
		}
	}
}

// The expressions that arithmetic teaches are such as the calculator takes, and
// right.
func TestArithmetic(t *testing.T) {
	_, body := split(t, "arithmetic/SKILL.md")
	want := map[string]string{
		"17.5/100*2340": "409.5", "89.90*(1-20/100)": "71.92", "89.90*(1+19/100)": "106.981", "107.10/(1+19/100)": "90",
		"(92-80)/80*100": "15", "128.40*(1+15/100)/4": "36.915", "3.49/750*1000": "≈ 4.65333333333333333333333333333 (349/75)",
	}
	rows := regexp.MustCompile("(?m)^\\|[^|`]+\\| `([^`]+)`").FindAllStringSubmatch(body, -1)
	if len(rows) != len(want) {
		t.Errorf("%d expressions in the table, want %d", len(rows), len(want))
	}
	for _, row := range rows {
		arguments, err := json.Marshal(map[string]string{"expression": row[1]})
		if err != nil {
			t.Fatal(err)
		}
		got, err := calculator.Tool().Run(t.Context(), arguments)
		if err != nil || got.Failed || got.Text != want[row[1]] {
			t.Errorf("%s = %+v, %v; want %s", row[1], got, err, want[row[1]])
		}
	}
}

// The instructions of weather are of one file and its tool of another.
func TestWeather(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl on the PATH, which the skill needs")
	}
	engine, err := knack.Open(t.Context(), knack.Options{Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	session, err := engine.NewSession(t.Context(), knack.SessionOptions{
		Toolbox: engine.NewToolbox(knack.ToolboxOptions{}), Pinned: []string{"weather"},
	})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := session.Prompt(t.Context())
	if err != nil || !strings.Contains(prompt.Bodies, "# Weather") {
		t.Errorf("%v: no instructions in %s", err, prompt.Bodies)
	}
	got, err := session.Preview(t.Context(), knack.Call{Tool: "skill_weather_report", Arguments: json.RawMessage(`{"place":"São Paulo/../x"}`)})
	if err == nil {
		t.Errorf("a place that leads elsewhere: %+v", got)
	}
	got, err = session.Preview(t.Context(), knack.Call{Tool: "skill_weather_report", Arguments: json.RawMessage(`{"place":"São Paulo"}`)})
	if err != nil {
		t.Fatal(err)
	}
	address, ok := strings.CutPrefix(got.Plan.Request, "GET ")
	u, err := url.Parse(address)
	if err != nil || !ok || u.Host != "wttr.in" || u.Path != "/São Paulo" || !u.Query().Has("m") ||
		!strings.HasPrefix(u.Query().Get("format"), "%l: %C, %t (feels like %f)") {
		t.Errorf("%q, %v", got.Plan.Request, err)
	}
	if diff := cmp.Diff([]string{"wttr.in:443"}, got.Hosts); diff != "" || got.Anywhere {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
}

func TestScripts(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on the PATH")
	}
	script := read(t, "github-status/scripts/check-remote.sh")
	if !bytes.HasPrefix(script, []byte("#!/bin/sh\n")) {
		t.Error("check-remote.sh must say that it is for sh")
	}
	check := exec.Command(sh, "-n")
	check.Stdin = bytes.NewReader(script)
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("sh -n: %v\n%s", err, out)
	}
	// What is not a network URL is refused before git sees it.
	for _, arg := range []string{"-u", "--upload-pack=id", "ext::sh -c id", "/etc", ".", "file:///etc", "ssh://-oProxyCommand=id/x", "a b@c:d"} {
		run := exec.Command(sh, "-s", "--", arg)
		run.Stdin = bytes.NewReader(script)
		out, _ := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); code != 2 || !bytes.HasPrefix(out, []byte("failed: ")) {
			t.Errorf("%q: exit %d, %q; want it refused with exit 2", arg, code, out)
		}
	}
}
