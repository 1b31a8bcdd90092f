package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// sibling is what a user's own file says beside whatever else is in it.
const sibling = "\n[skills.entries.zz-sibling]\nenabled = false\napi_key = \"kept-secret\"\n"

// FuzzConfig puts foreign bytes before an entry in the user's file, and in the
// workspace's. Nothing panics; the entry counts wherever the file can be read;
// and nothing of the workspace's file gets at the secret or the user's choice.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "host = \"x\"\nlog = \"debug\"\n", "[skills]\nexcluded = [\"a\", 3]\nextra_roots = [\"~\", \"..\"]\n",
		"[[skills]]\n", "skills = 3\n", "skills.entries = []\n", "[skills.entries.a]\nenv = {A = 1}\napiKey = {}\nconfig.x.y = [{}]\n",
		"hots = 1\n[skill]\n", "a.b.c = 1\na.d = {}\n", "[skills]\nallowBundled = []\nallow_bundled = [\"\"]\n", "\xff\x00", "[a\n", "\"\" = 1\n",
		"[skills.load]\nextraDirs = [\"/x\", \"a\\u0000b\"]\nwatch = 1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBench(t, "log = \"warn\""+sibling, "")
		if err := os.WriteFile(b.in.Local, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s, ds := Load(b.in)
		if s.Skills.Entries["zz-sibling"].APIKey != "kept-secret" {
			t.Error("the workspace's file took the user's secret away")
		}
		if s.Skills.AllowBundled != nil {
			t.Error("the workspace's file chose bundled skills")
		}
		for name, e := range s.Skills.Entries {
			if name != "zz-sibling" && (e.APIKey != "" || len(e.Env) > 0) {
				t.Errorf("the workspace's file supplied %s", name)
			}
		}
		for _, root := range s.Skills.ExtraRoots {
			if !inDirectory(b.ws, root) {
				t.Errorf("the workspace's file led to %s", root)
			}
		}
		for _, d := range ds {
			if d.File != b.in.Local || d.Message == "" || d.Line < 0 {
				t.Errorf("diagnostic %+v", d)
			}
		}
		for _, v := range s.Values() {
			if strings.Contains(v.Value, "kept-secret") {
				t.Errorf("a secret is shown: %+v", v)
			}
			if got, ok := s.Get(v.Key); !ok || got != v {
				t.Errorf("Get(%s) = %+v, listed %+v", v.Key, got, v)
			}
		}

		file := string(data) + sibling
		if err := os.WriteFile(b.in.Home, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		s, ds = Load(Input{Files: Files{Home: b.in.Home}})
		doc, invalid := tree.TOML([]byte(strings.TrimPrefix(file, "\ufeff")), limits)
		if invalid != nil {
			if len(ds) == 0 || len(s.Skills.Entries) > 0 {
				t.Errorf("a file that cannot be read: %v %v", ds, s.Skills)
			}
			return
		}
		if strings.Contains(strings.ToLower(string(data)), "sibling") || doc.Lookup("skills", "entries", "zz-sibling") == nil {
			return // another entry of that name, or [[skills]] before it
		}
		if e := s.Skills.Entries["zz-sibling"]; e.Enabled || e.APIKey != "kept-secret" {
			t.Errorf("a valid entry was lost: %+v %v", e, ds)
		}
	})
}

// FuzzKey: a key that is understood is written back as one that means the same.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"a.b", `skills.entries."my skill".enabled`, `"\u00e4".'x"y'`, " a . b ", `""`, "a..b", `"a\"`, "'''", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		path, err := ParseKey(key)
		if err != nil {
			return
		}
		again, err := ParseKey(FormatKey(path))
		if err != nil || !slices.Equal(path, again) {
			t.Errorf("%q is %q, written as %s is %q: %v", key, path, FormatKey(path), again, err)
		}
		_ = checkKey(path) // must not panic
	})
}

// FuzzValue: whatever a user types as a value becomes one value of TOML on one
// line, and the same one when it is read back.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{"true", "0x1F", `"a"`, "[a, b]", "[1, {a = 2}]", "1\nhost = 2", "1 # x", "'''a\nb'''", `["a`, "1979-05-27", "{}", "\xff", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range []*KeyInfo{nil, {Type: Any}, {Type: Strings}, {Type: Secret}, {Type: Boolean}} {
			node, err := k.read(text)
			if err != nil {
				continue
			}
			line := format(node)
			doc, err := tree.TOML([]byte("x = "+line+"\n"), limits)
			if err != nil || len(doc.Map) != 1 || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%q was written as %s: %v", text, line, err)
			}
			if got := format(doc.Get("x")); got != line {
				t.Errorf("%q was written as %s and read as %s", text, line, got)
			}
		}
	})
}

// FuzzHostFile puts foreign bytes into the file of a host, in either syntax.
// Nothing panics; what is said about it names a line that it has; every value
// is shown as TOML; and the user's own file counts over it.
func FuzzHostFile(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "{", "// x\n{skills: {load: {extraDirs: ['~', 3]}, entries: {a: {apiKey: {source: 'env', id: 'X'}, env: {A: 1}}}}}",
		"{skills: {mode: 'Full', max_active: 1e1, limits: {maxSkillsInPrompt: -0}, workshop: {}, load: {watchDebounceMs: 2}}}",
		"{agents: {list: [{id: 'a', skills: ['b']}, 3], defaults: 1}, a: [.5, 0XaB, Infinity, -NaN, null], constructor: {}}",
		"{a: 1, a: {b: 2}, skills: {entries: {x: {apiKey: '$A'}, X: {apiKey: 'b'}}}}", "\ufeff{a:\r\u20281}", "{agents: 3, skills: null}", "{skills: {entries: {x: {}, X: {apiKny: 1}}}}",
		"[skills]\nprompt_injection_mode = \"compact\"\nskillforge_min_score = 2\n", "[[agents.list]]\nid = \"a\"\nskills = []\n", "a = 0b1\nb = +inf\nc = 1979-05-27\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, reader := range []string{"json5-entries", "toml-skills"} {
			b := newBench(t, "log = \"warn\"\nagent = \"a\"\nagents.entries.a.skills = [\"only\"]\n"+sibling, "").withHost(reader, "")
			if err := os.WriteFile(b.in.Host.File, data, 0o644); err != nil {
				t.Fatal(err)
			}
			b.in.Host.Defaults = map[string]any{"browser.enabled": true, "skills.max_active": int64(5)}
			s, ds := Load(b.in)
			if e := s.Skills.Entries; s.Log != "warn" || !cmp.Equal(s.Skills.Only, []string{"only"}) {
				t.Errorf("the host's file took the user's choice away: %q %v %v", s.Log, s.Skills.Only, e)
			}
			lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + strings.Count(string(data), "\u2028") + strings.Count(string(data), "\u2029")
			for _, d := range ds {
				if d.File != b.in.Host.File || d.Message == "" || d.Line < 0 || d.Line > lines || d.Line == 0 && d.Code != skill.ConfigInvalid {
					t.Errorf("diagnostic %+v, of %d lines", d, lines)
				}
			}
			for _, v := range s.Values() {
				if got, ok := s.Get(v.Key); !ok || got != v {
					t.Errorf("Get(%s) = %+v, listed %+v", v.Key, got, v)
				}
				if doc, err := tree.TOML([]byte("x = "+v.Value), limits); err != nil || len(doc.Map) != 1 || strings.Contains(v.Value, "kept-secret") {
					t.Errorf("%s is shown as %s: %v", v.Key, v.Value, err)
				}
				s.Truthy(v.Key)
			}
		}
	})
}

// comments are what a text has of the word that the fuzzer puts into comments.
func comments(data []byte) int { return bytes.Count(data, []byte("kept-comment")) }

// FuzzSetHost sets keys in foreign files of both syntaxes. Either it fails and
// the file is as it was, or the value reads back, everything else is the same
// as data, all comments are there, and what was JSON still is.
func FuzzSetHost(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "// kept-comment\n{ // kept-comment\n}", "{skills: {entries: {X: {enabled: true /* kept-comment */}}}}",
		"{\"skills\":{\"load\":{\"extraDirs\":[\"a\"]}},\"a\":[1,2.50]}", "{skills: 3}", "{\n  a: 1, // kept-comment\n  skills: {\n    // kept-comment\n  },\n}\n",
		"{a: 1, a: 2, skills: {}, skills: {entries: {}}}", "# kept-comment\n[skills]\nextra_roots = [] # kept-comment\n", "[skills.entries.x]\n# kept-comment\nenabled = true\n", "\ufeff{}",
	} {
		for which := range uint8(4) {
			f.Add([]byte(seed), which, "x", "some value")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, name, text string) {
		key, value := "skills.extra_roots", "["+edit.QuoteTOML("/"+name)+"]"
		switch which % 4 {
		case 0:
			key, value = FormatKey([]string{"skills", "entries", name, "enabled"}), "false"
		case 1:
			key, value = FormatKey([]string{"skills", "entries", name, "api_key"}), text
		case 2:
			key, value = FormatKey([]string{"zz", name}), text
		}
		path, err := ParseKey(key)
		if err != nil {
			return // a name that is not UTF-8
		}
		for _, in := range syntaxes {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			before, bad := parse(file, data, in)
			host := Host{Name: "other", Reader: in.name, File: file}
			err := SetHost(t.Context(), host, []Change{{key, value}})
			after, readErr := os.ReadFile(file)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if err != nil {
				if !bytes.Equal(after, data) {
					t.Errorf("%v, but the file was changed to %q", err, after)
				}
				continue
			}
			doc, badAfter := parse(file, after, in)
			if badAfter != nil {
				t.Fatalf("%q became %q: %v", data, after, badAfter)
			}
			if bad != nil { // a blank file
				before = &tree.Node{Kind: tree.Map}
			}
			info, path, _ := lookup(path)
			written := ownForm.spelled(doc, info, path)
			if len(written) == 0 {
				t.Fatalf("%s is not in %q", key, after)
			}
			node, err := info.read(value)
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Lookup(written[0]...); in.format(got) != in.format(node) {
				t.Errorf("%s reads back as %s, want %s", key, in.format(got), in.format(node))
			}
			if was, now := without(before, written[0]).Source(), without(doc, written[0]).Source(); was != now {
				t.Errorf("something else changed: %s, now %s", was, now)
			}
			// A list that is replaced takes what is said inside of it along.
			was := before.Lookup(written[0]...)
			if (was == nil || was.IsScalar()) && comments(after) < comments(data)-strings.Count(was.Source(), "kept-comment") {
				t.Errorf("a comment was lost: %q became %q", data, after)
			}
			if json.Valid(data) && !json.Valid(after) {
				t.Errorf("it was JSON: %q became %q", data, after)
			}
		}
	})
}

// without is a document without a path, and without the tables that are empty
// then.
func without(n *tree.Node, path []string) *tree.Node {
	out := &tree.Node{Kind: n.Kind, Text: n.Text, List: n.List}
	for _, m := range n.Map {
		if m.Key == path[0] && len(path) == 1 {
			continue
		}
		if m.Key == path[0] && m.Value.Kind == tree.Map {
			if m.Value = without(m.Value, path[1:]); len(m.Value.Map) == 0 {
				continue
			}
		}
		out.Map = append(out.Map, m)
	}
	return out
}
