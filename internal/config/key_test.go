package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/tree"
)

func TestParseKey(t *testing.T) {
	for key, want := range map[string][]string{
		"host":                              {"host"},
		"skills.entries.gh.enabled":         {"skills", "entries", "gh", "enabled"},
		`skills.entries."my skill".enabled`: {"skills", "entries", "my skill", "enabled"},
		"skills.entries.my skill.enabled":   {"skills", "entries", "my skill", "enabled"},
		"entries.größe":                     {"entries", "größe"},
		`a."b.c"`:                           {"a", "b.c"},
		`a.'b"c'`:                           {"a", `b"c`},
		`"a\"b\\".c`:                        {`a"b\`, "c"},
		`"\u00e4"`:                          {"ä"},
		`""`:                                {""},
		" a . 'b' . c ":                     {"a", "b", "c"},
	} {
		got, err := ParseKey(key)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", key, err, diff)
		}
	}
	for key, want := range map[string]string{
		"":                       "a part is empty",
		"a.":                     "a part is empty",
		".a":                     "a part is empty",
		"a..b":                   "a part is empty",
		`"a`:                     "not closed",
		`"a\"`:                   "not closed",
		`"a"b`:                   "a dot must follow",
		`a"b"`:                   "needs quotes",
		"a=b":                    "needs quotes",
		"a\nb":                   "needs quotes",
		"[a]":                    "needs quotes",
		`"\q"`:                   "not a quoted string",
		"'a\nb'":                 "line break",
		"\xff":                   "not UTF-8",
		strings.Repeat("a.", 40): "more than 32 parts",
	} {
		if got, err := ParseKey(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %v, want an error with %q", key, got, err, want)
		}
	}
}

func TestFormatKey(t *testing.T) {
	for want, parts := range map[string][]string{
		"skills.entries.a-b_1":  {"skills", "entries", "a-b_1"},
		`a."my skill"."b.c".""`: {"a", "my skill", "b.c", ""},
		`"größe"`:               {"größe"},
		`"a\"b\\c"`:             {`a"b\c`},
	} {
		if got := FormatKey(parts); got != want {
			t.Errorf("FormatKey(%q) = %s, want %s", parts, got, want)
		}
	}
}

// Every path survives the way into a key and back, and TOML reads it the same.
func TestKeysRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(rapid.String(), 1, 6).Draw(t, "path")
		key := FormatKey(path)
		got, err := ParseKey(key)
		if diff := cmp.Diff(path, got); diff != "" || err != nil {
			t.Fatalf("%s: %v (-want +got)\n%s", key, err, diff)
		}
		doc, err := tree.TOML([]byte(key+" = 1"), limits)
		if err != nil || doc.Lookup(path...) == nil {
			t.Fatalf("%s in TOML: %v", key, err)
		}
	})
}
