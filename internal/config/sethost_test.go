package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jsonHost and tomlHost describe two systems as a profile would.
func jsonHost(file string) Host {
	return Host{
		Name: "other", Reader: "json5-entries", File: file, Switch: SwitchEntries,
		Keys: []string{
			"skills.allowBundled", "skills.load.extraDirs", "skills.load.watch", "skills.install.node_manager",
			"skills.entries.<key>.enabled", "skills.entries.<name>.api_key", "skills.entries.<name>.env.<NAME>", "skills.entries.<name>.config.<any>",
		},
	}
}

func tomlHost(file string) Host {
	return Host{
		Name: "other", Reader: "toml-skills", File: file, Switch: SwitchExcluded,
		Keys: []string{"skills.prompt_injection_mode", "skills.excluded", "skills.max_active", "skills.extra_roots"},
	}
}

func TestSetHost(t *testing.T) {
	for name, c := range map[string]struct {
		host               func(string) Host
		before, key, value string
		after              string
	}{
		"new file":        {jsonHost, "", "skills.entries.x.enabled", "no", "{\n  \"skills\": {\n    \"entries\": {\n      \"x\": {\n        \"enabled\": false\n      }\n    }\n  }\n}\n"},
		"own spelling":    {jsonHost, "{\"a\": 1}", "skills.entries.x.api_key", "k", "{\"a\": 1, \"skills\": {\"entries\": {\"x\": {\"apiKey\": \"k\"}}}}"},
		"its spelling":    {jsonHost, "{skills: {allow_bundled: [] /* none */}}", "skills.allow_bundled", "a, b", "{skills: {allow_bundled: [\"a\", \"b\"] /* none */}}"},
		"of the profile":  {jsonHost, "{skills: {}}", "skills.extra_roots", "/d", "{skills: {load: {extraDirs: [\"/d\"]}}}"},
		"as one types it": {jsonHost, "{skills: {}}", "skills.install.node_manager", "BUN", "{skills: {install: {nodeManager: \"bun\"}}}"},
		"entry's case":    {jsonHost, "{\n  // mine\n  skills: { entries: { GitHub: { enabled: true } } }, // end\n}\n", "skills.entries.github.api_key", "k", "{\n  // mine\n  skills: { entries: { GitHub: { enabled: true, apiKey: \"k\" } } }, // end\n}\n"},
		"not Knack's":     {jsonHost, "{\"a\": 1}\n", "browser.port", "0x1F", "{\"a\": 1, \"browser\": {\"port\": 31}}\n"},
		"no JSON number":  {jsonHost, "{\"a\": 1}\n", "browser.port", "inf", "{\"a\": 1, \"browser\": {\"port\": \"inf\"}}\n"},
		"a table":         {jsonHost, "{\"a\": 1}\n", "browser.a", "{b = [1.50, true, \"x\"]}", "{\"a\": 1, \"browser\": {\"a\": {\"b\": [1.5, true, \"x\"]}}}\n"},
		"TOML alias":      {tomlHost, "[skills] # s\n", "skills.mode", "FULL", "[skills] # s\nprompt_injection_mode = \"full\"\n"},
		"TOML number":     {tomlHost, "", "skills.max_active", "7", "[skills]\nmax_active = 7\n"},
		"TOML spelling":   {tomlHost, "[skills]\nmode = \"Full\"\n", "skills.prompt_injection_mode", "compact", "[skills]\nmode = \"compact\"\n"},
	} {
		file := filepath.Join(t.TempDir(), "new", "file")
		if c.before != "" {
			file = filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if err := SetHost(t.Context(), c.host(file), []Change{{c.key, c.value}}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := os.ReadFile(file)
		if diff := cmp.Diff(c.after, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		if json.Valid([]byte(c.before)) && !json.Valid(got) {
			t.Errorf("%s: it was JSON", name)
		}
		info, err := os.Stat(file)
		if err != nil || c.before == "" && info.Mode().Perm() != 0o600 || c.before != "" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v %v", name, info.Mode(), err)
		}
	}
}

func TestSetHostRefuses(t *testing.T) {
	env := Host{Name: "other", Reader: "env", File: filepath.Join(t.TempDir(), "none"), Env: map[string]string{"B": "skills.max_active", "A": "skills.max_active", "C": "skills.dir"}}
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, c := range map[string]struct {
		host       Host
		key, value string
		want       string
	}{
		"not its key":    {jsonHost(file("{}")), "skills.mode", "full", "skills.mode is no key of other, which would not read it from FILE; set it in knack's own configuration"},
		"by an alias":    {jsonHost(file("{}")), "skills.prompt_injection_mode", "full", "skills.mode is no key of other"},
		"Knack's own":    {Host{Name: "other", Reader: "toml-skills", File: file("")}, "host", "x", "host is no key of other"},
		"unknown":        {jsonHost(file("{}")), "skills.entrys.x.enabled", "true", "did you mean skills.entries.x.enabled?"},
		"bad value":      {jsonHost(file("{}")), "skills.load.watch", "maybe", `skills.load.watch: "maybe" is neither true nor false; write skills.load.watch: true`},
		"broken":         {jsonHost(file("{\n")), "skills.load.watch", "true", "FILE:2: expected a key"},
		"in the way":     {jsonHost(file("{skills: 3}")), "skills.load.watch", "true", "FILE:1: set skills.load.watch: skills is a value, not an object"},
		"no file":        {env, "skills.max_active", "1", "other has no configuration file; set the variable A or B for skills.max_active"},
		"no variable":    {env, "skills.mode", "full", "other has no configuration file, and no variable for skills.mode; it reads A, B, C"},
		"nothing at all": {Host{Name: "other", File: "/x"}, "skills.mode", "full", "other has no configuration file, and no variable for skills.mode"},
		"unknown reader": {Host{Name: "other", Reader: "ini", File: "/x"}, "skills.mode", "full", `"ini", which is not known; the readers are env, json5-entries or toml-skills`},
	} {
		before, _ := os.ReadFile(c.host.File)
		// The first change is good, and must not be made either.
		changes := []Change{{c.key, c.value}}
		if c.host.Reader == "json5-entries" && name != "broken" && name != "in the way" {
			changes = append([]Change{{"skills.entries.x.enabled", "true"}}, changes...)
		}
		err := SetHost(t.Context(), c.host, changes)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), c.host.File, "FILE"), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if after, _ := os.ReadFile(c.host.File); string(after) != string(before) {
			t.Errorf("%s: the file was touched: %s", name, after)
		}
	}
	if err := SetHost(t.Context(), env, nil); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	if err := UnsetHost(t.Context(), env, "skills.dir"); err == nil || !strings.Contains(err.Error(), "unset the variable C") {
		t.Error(err)
	}
}

func TestUnsetHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file.json")
	const before = "{\n  // keep\n  \"skills\": {\n    \"load\": { \"extraDirs\": [] },\n    \"extra_roots\": [],\n    \"allowBundled\": [\"x\"]\n  }\n}\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := UnsetHost(t.Context(), jsonHost(file), "skills.extra_roots"); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	const want = "{\n  // keep\n  \"skills\": {\n    \"load\": {},\n    \"allowBundled\": [\"x\"]\n  }\n}\n"
	if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "{ }", "{}")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := UnsetHost(t.Context(), jsonHost(file), "skills.extra_roots"); !errors.Is(err, ErrNotSet) {
		t.Error(err)
	}
	if err := UnsetHost(t.Context(), jsonHost(filepath.Join(t.TempDir(), "none", "x")), "skills.extra_roots"); !errors.Is(err, ErrNotSet) {
		t.Error(err)
	}
}

func TestSetHostEnabled(t *testing.T) {
	for name, c := range map[string]struct {
		host          func(string) Host
		before        string
		enabled       bool
		names         []string
		after         string
		missing, fail bool
	}{
		"entries":           {host: jsonHost, before: "{skills: {entries: {A: {enabled: true}}}}", names: []string{"a", "b c"}, after: "{skills: {entries: {A: {enabled: false}, \"b c\": {enabled: false}}}}"},
		"entries, on":       {host: jsonHost, before: "{skills: {entries: {a: {enabled: false}}}}", enabled: true, names: []string{"A"}, after: "{skills: {entries: {a: {enabled: true}}}}"},
		"excluded":          {host: tomlHost, before: "[skills]\nexcluded = [\"B\"] # why\n", names: []string{"a", "b", "A"}, after: "[skills]\nexcluded = [\"B\", \"a\"] # why\n"},
		"excluded, on":      {host: tomlHost, before: "[skills]\nexcluded = [\"B\", \"c\"]\n", enabled: true, names: []string{"b", "x"}, after: "[skills]\nexcluded = [\"c\"]\n"},
		"excluded, already": {host: tomlHost, before: "[skills]\nexcluded = [ \"B\" ]\n", names: []string{"b"}, after: "[skills]\nexcluded = [ \"B\" ]\n"},
		"excluded, new":     {host: tomlHost, missing: true, names: []string{"b"}, after: "[skills]\nexcluded = [\"b\"]\n"},
		"excluded, none":    {host: tomlHost, missing: true, enabled: true, names: []string{"b"}},
		"excluded, other":   {host: tomlHost, before: "x = 1\n", enabled: true, names: []string{"b"}, after: "x = 1\n"},
		"excluded, no list": {host: tomlHost, before: "skills.excluded = 3\n", names: []string{"b"}, after: "skills.excluded = 3\n", fail: true},
		"no way":            {host: func(file string) Host { h := tomlHost(file); h.Switch = ""; return h }, before: "x = 1\n", names: []string{"b"}, after: "x = 1\n", fail: true},
	} {
		file := filepath.Join(t.TempDir(), "file")
		if !c.missing {
			if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := SetHostEnabled(t.Context(), c.host(file), c.enabled, c.names)
		got, _ := os.ReadFile(file)
		if diff := cmp.Diff(c.after, string(got)); diff != "" || (err != nil) != c.fail {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}
