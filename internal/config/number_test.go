package config

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/tree"
)

// Numbers of either syntax are written so that the other reads them.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]struct{ toml, json string }{
		"12": {"12", "12"}, "1_0": {"1_0", "10"}, "0x1F": {"0x1F", "31"}, "-0X1f": {"-3.1e+01", "-31"}, "0o7": {"0o7", "7"}, "+5": {"+5", "5"},
		".5": {"5e-01", "0.5"}, "5.": {"5e+00", "5"}, "1e3": {"1e3", "1000"}, "Infinity": {"inf", ""}, "-Infinity": {"-inf", ""}, "inf": {"inf", ""},
		"NaN": {"nan", ""}, "-NaN": {"nan", ""}, "123456789012345678901": {"1.2345678901234568e+20", "1.2345678901234568e+20"}, "1e999": {"inf", ""},
	} {
		toml := tomlNumber(text)
		doc, err := tree.TOML([]byte("x = "+toml), limits)
		if err != nil || doc.Get("x").Kind != tree.Number {
			t.Errorf("%s: %s is no number of TOML: %v", text, toml, err)
		}
		if toml != want.toml {
			t.Errorf("%s: TOML %s, want %s", text, toml, want.toml)
		}
		got, ok := jsonNumber(text)
		if got != want.json || ok && !json.Valid([]byte(got)) {
			t.Errorf("%s: JSON %s, want %s", text, got, want.json)
		}
	}
}

func TestWholeNumbers(t *testing.T) {
	k := &KeyInfo{Type: Integer, least: 0}
	for text, want := range map[string]string{
		"3": "3", "-0": "0", "1e2": "100", "5.0": "5", "0x10": "16", "2147483647": "2147483647",
		"2147483648": "", "-1": "", "1.5": "", "inf": "", "nan": "", "x": "", "1e-1": "",
	} {
		got, ok := k.number(&tree.Node{Kind: tree.Number, Text: text})
		if got != want || ok != (want != "") {
			t.Errorf("%s is %q %v, want %q", text, got, ok, want)
		}
	}
}

func TestNodeOf(t *testing.T) {
	got := formatJSON(nodeOf(map[string]any{
		"a": true, "b": int64(-3), "c": 0.5, "d": "x", "e": []any{1, "y", []string{"z"}}, "f": map[string]any{},
	}))
	if diff := cmp.Diff(`{"a": true, "b": -3, "c": 0.5, "d": "x", "e": [1, "y", ["z"]], "f": {}}`, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTypeOf(t *testing.T) {
	for key, want := range map[string]Type{
		"skills.dir": Directory, "skills.load.extraDirs": Directories, "skills.mode": Choice, "skills.max_active": Integer,
		"skills.skillforge_min_score": Number, "browser.x": Any, "a..b": Any, "skills": Any,
	} {
		if got := TypeOf(key); got != want {
			t.Errorf("TypeOf(%s) = %s, want %s", key, got, want)
		}
	}
}
