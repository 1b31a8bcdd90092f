package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/edit"
)

func TestSet(t *testing.T) {
	for name, c := range map[string]struct{ before, key, value, after string }{
		"new file":          {"", "host", "x", "host = \"x\"\n"},
		"boolean":           {"", "skills.enabled", "false", "[skills]\nenabled = false\n"},
		"boolean in a word": {"", "skills.enabled", "Yes", "[skills]\nenabled = true\n"},
		"number in a word":  {"", "skills.entries.x.api_key", "123", "[skills.entries.x]\napi_key = \"123\"\n"},
		"level":             {"log = 'info' # why\n", "log", "DEBUG", "log = \"debug\" # why\n"},
		"list":              {"", "skills.excluded", "[a, 'b, c']", "[skills]\nexcluded = [\"a\", \"b, c\"]\n"},
		"comma list":        {"", "skills.excluded", "a,b , ,", "[skills]\nexcluded = [\"a\", \"b\"]\n"},
		"empty list":        {"", "skills.allow_bundled", "[]", "[skills]\nallow_bundled = []\n"},
		"free boolean":      {"", "browser.enabled", "true", "[browser]\nenabled = true\n"},
		"free number":       {"", "browser.port", "0x1F", "[browser]\nport = 0x1F\n"},
		"free word":         {"", "browser.kind", "fire fox", "[browser]\nkind = \"fire fox\"\n"},
		"free quoted":       {"", "browser.kind", `"true"`, "[browser]\nkind = \"true\"\n"},
		"free list":         {"", "browser.kinds", "[a, b]", "[browser]\nkinds = [\"a\", \"b\"]\n"},
		"free list of TOML": {"", "browser.kinds", "[1, {a = 2}]", "[browser]\nkinds = [1, { a = 2 }]\n"},
		"no second line":    {"", "browser.kind", "1\nhost = \"evil\"", "[browser]\nkind = \"1\\nhost = \\\"evil\\\"\"\n"},
		"no comment":        {"", "browser.kind", "1 # x", "[browser]\nkind = \"1 # x\"\n"},
		"quoted part":       {"", `skills.entries."my.skill".enabled`, "false", "[skills.entries.\"my.skill\"]\nenabled = false\n"},
		"config of a skill": {"", "skills.entries.x.config.a.b", "1", "[skills.entries.x.config.a]\nb = 1\n"},
		"in its table":      {"[skills] # top\nenabled = true # on\n\n[x]\ny = 1\n", "skills.enabled", "false", "[skills] # top\nenabled = false # on\n\n[x]\ny = 1\n"},
		"under an alias":    {"[skills]\nallowBundled = []\n", "skills.allow_bundled", "x", "[skills]\nallowBundled = [\"x\"]\n"},
		"given as an alias": {"", "skills.load.extraDirs", "/d", "[skills]\nextra_roots = [\"/d\"]\n"},
		"entry in any case": {"[skills.entries.GitHub]\nenabled = false\n", "skills.entries.github.enabled", "true", "[skills.entries.GitHub]\nenabled = true\n"},
		"new key of entry":  {"[skills.entries.GitHub]\nenabled = false\n", "skills.entries.github.api_key", "k", "[skills.entries.GitHub]\nenabled = false\napi_key = \"k\"\n"},
		"the one of two":    {"[skills.load]\nextraDirs = [] # counts\n[skills]\nextra_roots = []\n", "skills.extra_roots", "x", "[skills.load]\nextraDirs = [\"x\"] # counts\n[skills]\nextra_roots = []\n"},
		"byte-order mark":   {"\ufefflog = \"info\"\r\n", "log", "warn", "\ufefflog = \"warn\"\r\n"},
	} {
		file := filepath.Join(t.TempDir(), "new", "config.toml")
		if c.before != "" {
			file = filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if err := Set(t.Context(), file, c.key, c.value); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := os.ReadFile(file)
		if diff := cmp.Diff(c.after, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		info, err := os.Stat(file)
		if want := os.FileMode(0o600); err != nil || info.Mode().Perm() != want && c.before == "" || info.Mode().Perm() != 0o640 && c.before != "" {
			t.Errorf("%s: mode %v %v", name, info.Mode(), err)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	const broken = "log = \"info\"\n[x\n"
	for name, c := range map[string]struct{ before, key, value, want string }{
		"unknown key":    {"", "skills.exclude", "a", "skills.exclude is no key of knack; did you mean skills.excluded?"},
		"table":          {"", "skills.entries.x", "a", "is a table; set one of the keys below it"},
		"bad key":        {"", "a..b", "1", "a part is empty"},
		"no boolean":     {"", "skills.enabled", "maybe", `skills.enabled: "maybe" is neither true nor false; write skills.enabled = true`},
		"no level":       {"", "log", "loud", `log: "loud" is none of debug, info, warn and error`},
		"blank list":     {"", "skills.excluded", " ", "skills.excluded: it is empty; write [] for an empty list"},
		"open list":      {"", "skills.excluded", "[a", "no closing bracket"},
		"open quote":     {"", "skills.excluded", "'a", "a quote is not closed"},
		"broken quote":   {"", "skills.excluded", `"\q"`, "not a quoted string"},
		"no comma":       {"", "skills.excluded", "'a' b", "a comma must follow 'a'"},
		"broken file":    {broken, "log", "warn", "FILE:2: "},
		"array of table": {"[[a]]\nb = 1\n", "a.b", "2", "FILE: set a.b: a is an array of tables"},
		"too large":      {"x = 1\n", "a.b", strings.Repeat("x", maxBytes), "FILE: the value does not fit"},
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if c.before != "" {
			if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Set(t.Context(), file, c.key, c.value)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), file, "FILE"), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		got, err := os.ReadFile(file)
		if c.before == "" && !errors.Is(err, os.ErrNotExist) || string(got) != c.before {
			t.Errorf("%s: the file was touched: %q %v", name, got, err)
		}
	}
	if err := Set(t.Context(), t.TempDir(), "log", "info"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder was set: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Set(ended, filepath.Join(t.TempDir(), "c"), "log", "info"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestUnset(t *testing.T) {
	for name, c := range map[string]struct{ before, key, after string }{
		"value":          {"# top\nlog = \"info\"\nhost = \"x\" # h\n", "log", "# top\nhost = \"x\" # h\n"},
		"every spelling": {"[skills]\nallowBundled = []\nenabled = true\nallow_bundled = []\n", "skills.allow_bundled", "[skills]\nenabled = true\n"},
		"entry":          {"log = \"info\"\n[skills.entries.GH]\nenabled = true\nenv.A = \"1\"\n", "skills.entries.gh", "log = \"info\"\n"},
		"mistake":        {"hots = 1\nlog = \"info\"\n", "hots", "log = \"info\"\n"},
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Unset(t.Context(), file, c.key)
		got, _ := os.ReadFile(file)
		if diff := cmp.Diff(c.after, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		if err := Unset(t.Context(), file, c.key); !errors.Is(err, ErrNotSet) || err.Error() != file+": "+c.key+" is not set there" {
			t.Errorf("%s, again: %v", name, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none", "config.toml")
	if err := Unset(t.Context(), none, "log"); !errors.Is(err, ErrNotSet) {
		t.Errorf("without a file: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(none)); err == nil {
		t.Error("a directory was made for nothing")
	}
}

func TestCheckLocal(t *testing.T) {
	for key, want := range map[string]bool{
		"log": true, "skills.excluded": true, "browser.x": true, "skills.entries.a.enabled": true,
		"skills.allowBundled": false, "skills.entries.a.api_key": false, "skills.entries.a.env.X": false, "a..b": false,
	} {
		if err := CheckLocal(key); (err == nil) != want {
			t.Errorf("CheckLocal(%s) = %v", key, err)
		}
	}
}

func TestSetBySeveralAtOnce(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "config.toml"), filepath.Join(dir, "link.toml")
	if err := os.WriteFile(file, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	const writers = 12
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			at := file
			if i%2 == 0 {
				at = link
			}
			if err := Set(context.Background(), at, fmt.Sprintf("skills.entries.s%d.enabled", i), "false"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, ds := Load(Input{Files: Files{Home: file}})
	if len(s.Skills.Entries) != writers || ds != nil {
		t.Errorf("%d of %d entries, %v", len(s.Skills.Entries), writers, ds)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

// What is set is what is loaded; everything else stays, comments included.
func TestSetThenLoad(t *testing.T) {
	fragments := []string{
		"# comment %d\n", "\n", "[skills] # comment %d\nenabled = true # comment\n", "[skills.entries.one]\n# comment %d\nenabled = false\n",
		"[skills.entries.two.env]\nA = \"1\" # comment %d\n", "[browser]\nkinds = [ # comment %d\n  \"a\",\n]\n", "[other]\nx = { y = 1 } # comment %d\n",
	}
	name := rapid.OneOf(rapid.SampledFrom([]string{"one", "ONE", "two", "my skill", "a.b"}), rapid.StringN(1, 8, -1))
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		before := ""
		for i, fragment := range rapid.Permutation(fragments).Draw(t, "fragments") {
			if rapid.Bool().Draw(t, "has") {
				before += strings.ReplaceAll(fragment, "%d", fmt.Sprint(i))
			}
		}
		file := filepath.Join(dir, "config.toml")
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		old, _ := Load(Input{Files: Files{Home: file}})

		text := rapid.String().Draw(t, "text")
		trimmed := strings.TrimSpace(text)
		who := name.Draw(t, "name")
		var key, value string
		var check func(s *Settings) bool
		entry := func(s *Settings) Entry { return s.Skills.Entries[s.canonical([]string{"skills", "entries", who})[2]] }
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			key, value = FormatKey([]string{"skills", "entries", who, "enabled"}), fmt.Sprint(text != "")
			check = func(s *Settings) bool { return entry(s).Enabled == (text != "") }
		case 1:
			key, value = FormatKey([]string{"skills", "entries", who, "env", "B"}), text
			check = func(s *Settings) bool { return entry(s).Env["B"] == trimmed }
		case 2:
			key, value = "skills.excluded", "[a, "+edit.QuoteTOML(who+"x")+"]"
			check = func(s *Settings) bool { return cmp.Equal([]string{"a", who + "x"}, s.Skills.Excluded) }
		case 3:
			key, value = FormatKey([]string{"zz", who}), "word "+strings.ReplaceAll(text, "]", "")
			check = func(s *Settings) bool {
				return s.merged.find("zz", who).text() == strings.TrimSpace("word "+strings.ReplaceAll(text, "]", ""))
			}
		}
		if err := Set(context.Background(), file, key, value); err != nil {
			t.Fatalf("set %s to %q in\n%s: %v", key, value, before, err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, ds := Load(Input{Files: Files{Home: file}})
		if !check(s) || len(ds) > 0 {
			t.Fatalf("set %s to %q: %v, %v in\n%s", key, value, s.Skills, ds, data)
		}
		for _, v := range old.Values() {
			if now, ok := s.Get(v.Key); (!ok || now.Value != v.Value) && !strings.EqualFold(v.Key, key) {
				t.Fatalf("set %s changed %s to %s in\n%s", key, v.Key, now.Value, data)
			}
		}
		if strings.Count(string(data), "# comment") != strings.Count(before, "# comment") {
			t.Fatalf("a comment was lost:\n%s\nbecame\n%s", before, data)
		}
	})
}
