package format

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// malformedCase is a case of testdata/malformed.txtar, which explains the keys.
type malformedCase struct {
	name string
	want map[string]string
	data []byte
}

func malformedCases(t testing.TB) []malformedCase {
	t.Helper()
	archive, err := os.ReadFile("testdata/malformed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var cases []malformedCase
	for _, file := range strings.Split(string(archive), "\n-- ")[1:] {
		name, content, _ := strings.Cut(file, " --\n")
		expected, text, ok := strings.Cut(content+"\n", "%%\n")
		if !ok {
			t.Fatalf("case %s has no line %%%%", name)
		}
		c := malformedCase{name: name, want: map[string]string{}}
		for line := range strings.Lines(expected) {
			key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if !ok {
				t.Fatalf("case %s: %q is not key: value", name, line)
			}
			c.want[key] = strings.ReplaceAll(value, `\n`, "\n")
		}
		c.data = encode(t, c.want["escaped"], text)
		if c.want["why"] == "" {
			t.Errorf("case %s does not say why", name)
		}
		delete(c.want, "why")
		delete(c.want, "escaped")
		cases = append(cases, c)
	}
	return cases
}

// encode turns a case's text into the bytes of its file.
func encode(t testing.TB, how, text string) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	switch how {
	case "":
		return []byte(text)
	case "utf16be":
		order = binary.BigEndian
		fallthrough
	case "utf16le":
		data := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, unit)
		}
		return data
	}
	var data []byte
	for text != "" {
		char, multibyte, rest, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			t.Fatalf("cannot decode %.20q: %v", text, err)
		}
		if multibyte {
			data = append(data, string(char)...)
		} else {
			data = append(data, byte(char))
		}
		text = rest
	}
	return data
}

func TestMalformed(t *testing.T) {
	cases := malformedCases(t)
	if len(cases) < 110 {
		t.Errorf("there are %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, observed(t, c.data)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// baseRules are those every host starts from.
func baseRules() Rules {
	return Rules{
		Manifests:   []string{"SKILL.toml", "manifest.toml", "SKILL.md", "skills.md"},
		AnyCase:     true,
		Merge:       "fields",
		OnError:     "next",
		Frontmatter: "yaml",
		TOML:        "union",
		Keys:        "any",
		Install:     "any",
		Describe:    "prose",
		Namespaces:  []string{"openclaw", "clawdbot", "moltbot", "clawdis"},
		Identity:    "declared",
		Limits: Limits{
			FileBytes: 1 << 20, FrontmatterBytes: 1 << 16, Depth: 32, Nodes: 20_000,
			NamePattern:      `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`,
			DescriptionChars: 1024, Keywords: 100, Patterns: 20, Tags: 50, MinChars: 2, PatternProgram: 5_000,
		},
	}
}

// observed is what a file amounts to, in the terms of a case.
func observed(t *testing.T, data []byte) map[string]string {
	parser, err := New(baseRules())
	if err != nil {
		t.Fatal(err)
	}
	result := parser.Parse("folder", []Source{{File: "SKILL.md", Data: data}})
	got := map[string]string{}
	put := func(key, value string) {
		if value != "" {
			got[key] = value
		}
	}
	s := result.Skill
	put("name", s.Name)
	put("description", s.Description.Raw())
	put("os", strings.Join(s.Requires.OS, " "))
	put("bins", strings.Join(s.Requires.Bins, " "))
	put("anyBins", strings.Join(s.Requires.AnyBins, " "))
	put("env", strings.Join(s.Requires.Env, " "))
	put("config", strings.Join(s.Requires.Config, " "))
	if s.Requires.Unreadable {
		put("unreadable", "yes")
	}
	for line := range strings.Lines(s.Body.Raw()) {
		if line = strings.TrimSpace(line); line != "" {
			put("body", line)
			break
		}
	}
	var codes []string
	for _, d := range result.Diagnostics {
		if strings.HasPrefix(string(d.Code), "frontmatter-") || strings.HasPrefix(string(d.Code), "file-") {
			codes = append(codes, fmt.Sprintf("%s@%d", d.Code, d.Line))
		}
	}
	slices.Sort(codes)
	put("codes", strings.Join(codes, " "))
	return got
}
