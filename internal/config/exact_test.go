package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A host that tells letter cases apart has two entries where others have one.
func TestExactNames(t *testing.T) {
	const file = `{ skills: { entries: { GitHub: { enabled: false, env: { A: "1" } } } } }`
	b := newBench(t, "[skills.entries.github]\napi_key = 'k'\n", "").withHost("json5-entries", file)
	s, _ := b.load()
	want := map[string]Entry{"GitHub": {APIKey: "k", Env: map[string]string{"A": "1"}}}
	if diff := cmp.Diff(want, s.Skills.Entries); diff != "" {
		t.Errorf("in any case: (-want +got)\n%s", diff)
	}
	b.in.Host.ExactNames = true
	s, _ = b.load()
	want = map[string]Entry{"GitHub": {Env: map[string]string{"A": "1"}}, "github": {Enabled: true, APIKey: "k"}}
	if diff := cmp.Diff(want, s.Skills.Entries); diff != "" {
		t.Errorf("exactly: (-want +got)\n%s", diff)
	}
	if s.Truthy("skills.entries.github.env.A") || !s.Truthy("skills.entries.GitHub.env.A") {
		t.Error("another entry answers")
	}

	h := jsonHost(filepath.Join(t.TempDir(), "file"))
	h.ExactNames = true
	if err := os.WriteFile(h.File, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := SetHostEnabled(t.Context(), h, false, []string{"github"}); err != nil {
		t.Fatal(err)
	}
	if err := UnsetHost(t.Context(), h, "skills.entries.GITHUB.enabled"); err == nil {
		t.Error("another entry was unset")
	}
	data, err := os.ReadFile(h.File)
	if want := `{ skills: { entries: { GitHub: { enabled: false, env: { A: "1" } }, github: { enabled: false } } } }`; string(data) != want || err != nil {
		t.Errorf("%s %v", data, err)
	}
}

// A host may have fewer words for a key than Knack.
func TestHostChoices(t *testing.T) {
	h := tomlHost(filepath.Join(t.TempDir(), "file"))
	h.Choices = map[string][]string{"skills.mode": {"full", "compact"}}
	err := SetHost(t.Context(), h, []Change{{"skills.mode", "index"}})
	if want := `skills.mode: "index" is not full or compact; write skills.mode = "full"`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := SetHost(t.Context(), h, []Change{{"skills.mode", "Compact"}}); err != nil {
		t.Error(err)
	}

	b := newBench(t, "", "").withHost("toml-skills", "[skills]\nmode = 'index'\n")
	b.in.Host.Choices, b.in.Host.Env = h.Choices, map[string]string{"MODE": "skills.mode"}
	b.in.Environ = []string{"MODE=index"}
	_, got := b.load()
	want := []string{
		`warning: environment variable MODE: "index" is not full or compact (use skills.mode = "full") [config-bad-value]`,
		`other/host.toml:2: error: skills.mode must be full or compact (write skills.mode = "full") [config-bad-value]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// Knack's own file may have them all.
	b.write(b.in.Home, "skills.mode = 'index'\n")
	b.write(b.in.Host.File, "[skills]\n")
	b.in.Environ = nil
	if s, got := b.load(); s.Skills.Mode != "index" || len(got) > 0 {
		t.Errorf("%s %v", s.Skills.Mode, got)
	}
	h.Choices["skills.mode"] = []string{"full"}
	if err := SetHost(t.Context(), h, []Change{{"skills.mode", "index"}}); err == nil || !strings.Contains(err.Error(), "is not full;") {
		t.Errorf("got %v", err)
	}
}

// A suggestion for a host's file is one that the host understands.
func TestUnknownKeysOfAHost(t *testing.T) {
	b := newBench(t, "", "").withHost("json5-entries", "{ skills: { exclude: [],\n allowBundle: [],\n entrys: {},\n weather: { enabled: true },\n zzz: 1 } }")
	b.in.Host.Keys = jsonHost("").Keys
	_, got := b.load()
	want := []string{
		"other/host.json:1: info: skills.exclude: knack does not know it; the host may [config-unknown-key]",
		"other/host.json:2: warning: skills.allowBundle is no key of knack (did you mean skills.allowBundled?) [config-unknown-key]",
		"other/host.json:3: warning: skills.entrys is no key of knack (did you mean skills.entries?) [config-unknown-key]",
		"other/host.json:4: warning: skills.weather is no key of knack (did you mean skills.entries.weather?) [config-unknown-key]",
		"other/host.json:5: info: skills.zzz: knack does not know it; the host may [config-unknown-key]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is wrong with a file is told with its line and one way out.
func TestPlacesInErrors(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		do      func(file string) error
		want    string
	}{
		"two tables": {"[skills]\n[skills]\n", func(file string) error { return Set(t.Context(), file, "log", "info") }, "FILE:2: skills is already defined on line 1; join the two"},
		"no list":    {"[skills]\nexcluded = 'a'\n", func(file string) error { return SetHostEnabled(t.Context(), tomlHost(file), true, []string{"a"}) }, "FILE:2: skills.excluded must be a list of strings, not a string"},
		"TOML value": {"\n[skills]\nload = 1\n", func(file string) error { return Set(t.Context(), file, "skills.load.watch", "true") }, "FILE:3: set skills.load.watch: skills.load is a value, not a table; delete it first"},
		"JSON5 value": {"{\nskills: 3}", func(file string) error {
			return SetHost(t.Context(), jsonHost(file), []Change{{"skills.load.watch", "true"}})
		}, "FILE:2: set skills.load.watch: skills is a value, not an object; delete it first"},
		"a listed agent": {"{agents: {list: [\n{id: 'a', skills: []}]}}", func(file string) error {
			return SetHost(t.Context(), Host{Name: "other", Reader: "json5-entries", File: file}, []Change{{"agents.entries.a.skills", "x"}})
		}, "FILE:2: the list of agents has a already; change its skills there"},
	} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := c.do(file)
		if err == nil || strings.ReplaceAll(err.Error(), file, "FILE") != c.want {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, got := newBench(t, "[a]\n[a]\n", "").load()
	if want := "home/config.toml:2: error: a is already defined on line 1 (join the two) [config-invalid]"; len(got) != 1 || got[0] != want {
		t.Errorf("got %v", got)
	}
}
