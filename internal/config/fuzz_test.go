package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/tree"
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
