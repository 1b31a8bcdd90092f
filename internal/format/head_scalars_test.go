package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/knackhq/knack/skill"
)

func TestScalarsHead(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		want  any
		body  string
		line  int // of the body
		codes map[skill.Code][]int
	}{
		"the document's example": {`---
name: auto-coder
description: "Autonomous code generation agent..."
version: 0.3.0
tags: [coding, official]
permissions: [file_read, file_write, shell_exec]
triggers: [write code, implement feature]
---
# Auto Coder
You are an autonomous coding agent.
`,
			map[string]any{
				"name": "auto-coder", "description": "Autonomous code generation agent...", "version": "0.3.0",
				"tags":        []any{"coding", "official"},
				"permissions": []any{"file_read", "file_write", "shell_exec"},
				"triggers":    []any{"write code", "implement feature"},
			},
			"# Auto Coder\nYou are an autonomous coding agent.", 9, nil},
		"other keys":   {"---\nname: a\nlicense: MIT\nmetadata: {\"x\": 1}\nName: b\n---\nb", map[string]any{"name": "a"}, "b", 7, nil},
		"no new line":  {"---name: a\n---b", map[string]any{"name": "a"}, "b", 2, nil},
		"four dashes":  {"----\nname: a\n----\nb", map[string]any{"name": "a"}, "-\nb", 3, nil},
		"closed at":    {"---\n---\nb", map[string]any{}, "b", 3, map[skill.Code][]int{skill.FrontmatterDropped: {1}}},
		"blank around": {" \n\t---\nname: a\n---\n\n \n b \n\n", map[string]any{"name": "a"}, "b", 7, nil},
		"unclosed":     {"\n---\nname: a\n\nb\n", nil, "\n---\nname: a\n\nb\n", 1, map[skill.Code][]int{skill.FrontmatterUnclosed: {2}}},
		"none":         {" b\n", nil, " b\n", 1, map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
		"byte order":   {"\ufeff---\nname: a\n---\nb", nil, "\ufeff---\nname: a\n---\nb", 1, map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
		"CRLF":         {"---\r\nname: a\r\ntags:\r\n  - b\r\n---\r\nc\r\nd", map[string]any{"name": "a", "tags": []any{"b"}}, "c\nd", 6, nil},
		"lone CR":      {"---\nname: a\n---\nb\rc\n", map[string]any{"name": "a"}, "b\nc", 4, nil},
		"last wins": {"---\nname: a\nauthor: x\n  name: b\n---\n", map[string]any{"name": "b", "author": "x"}, "", 6,
			map[skill.Code][]int{skill.FrontmatterDuplicate: {4}}},
		"same again":    {"---\nname: a\nname: 'a'\nname:\n---\n", map[string]any{"name": "a"}, "", 6, nil},
		"items skipped": {"---\nname: a\n- name: b\n# name: c\n-name: d\n---\n", map[string]any{"name": "a"}, "", 7, nil},
		"quotes": {"---\nname: \"a\ndescription: 'b\"\nversion: '\"c\"'\nauthor: \"\"d\"\"\n---\n",
			map[string]any{"name": `"a`, "description": `'b"`, "version": `"c"`, "author": `"d"`}, "", 7, nil},
		"lone quote":  {"---\nname: \"\ndescription: '\n---\n", map[string]any{"name": `"`, "description": "'"}, "", 5, nil},
		"block mark":  {"---\nname: a\ndescription: >-\n  b\n---\n", map[string]any{"name": "a", "description": ">-"}, "", 6, map[skill.Code][]int{skill.FrontmatterDropped: {3}}},
		"no name":     {"---\ndescription: a\npermissions: [b]\n---\n", map[string]any{}, "", 5, map[skill.Code][]int{skill.FrontmatterDropped: {1}}},
		"empty name":  {"---\nname: a\nname: \"\"\n---\n", map[string]any{}, "", 5, map[skill.Code][]int{skill.FrontmatterDropped: {1}, skill.FrontmatterDuplicate: {3}}},
		"colon in it": {"---\nname: a\ndescription: b: c\n---\n", map[string]any{"name": "a", "description": "b: c"}, "", 5, nil},
		"not text":    {"---\nname: a\xff\n---\n\x00b", map[string]any{"name": "a\ufffd"}, "b", 4, map[skill.Code][]int{skill.FileNotUTF8: {2}, skill.FileHasNUL: {4}}},
	} {
		h := readAs(t, readScalarsHead, c.text)
		if diff := cmp.Diff(c.want, plain(h.fields)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if h.body != c.body || h.bodyLine != c.line {
			t.Errorf("%s: body %q on line %d, want %q on line %d", name, h.body, h.bodyLine, c.body, c.line)
		}
		if diff := cmp.Diff(c.codes, codesAt(h), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: diagnostics (-want +got):\n%s", name, diff)
		}
		if h.refused != "" || len(h.unreadable) > 0 {
			t.Errorf("%s: refused %q, unreadable %v", name, h.refused, h.unreadable)
		}
	}
}

func TestScalarsHeadLists(t *testing.T) {
	for lines, want := range map[string]any{
		"tags: [a, b]":                             []any{"a", "b"},
		"tags: [\"a, b\", 'c' , ]":                 []any{`"a`, `b"`, "c"},
		"tags: []":                                 []any{},
		"tags: [":                                  nil,
		"tags: a, b":                               nil,
		"tags : [a]":                               nil,
		"  tags:   [ a ]  ":                        []any{"a"},
		"tags: [a]\ntags: [b]":                     []any{"b"},
		"tags:\n  - a\n  - 'b'":                    []any{"a", "b"},
		"tags:\n- a\n\n- b":                        []any{"a"},
		"tags:\n- a\nx: y\n- b":                    []any{"a"},
		"tags:\n- a\nnoise\n-\n- b":                []any{"a", "b"},
		"tags:\n- a: b\n- c":                       []any{"a: b", "c"},
		"tags:\n- a\ntags: [b]\n- c":               []any{"b"},
		"tags: [b]\ntags:\n- a":                    []any{"b"},
		"tags: []\ntags:\n- a":                     []any{},
		"tags:\n- a\ntags:\n- b":                   []any{"b"},
		"tags:\n- a\ntags:\n\n- b":                 nil,
		"tags:\n  # note\n  - a":                   []any{"a"},
		"tags:\n  # note: b\n  - a":                nil,
		"tags:":                                    nil,
		"mytags: [a]":                              nil,
		"tags: [a]\nmetadata:\n  tags:\n    - b":   []any{"a"},
		"metadata:\n  tags:\n    - b\n    - \"\"":  []any{"b", ""},
		"tags: # note\n- a":                        nil,
		"tags:\n- name\n- b\npermissions:\n- read": []any{"name", "b"},
	} {
		h := readAs(t, readScalarsHead, "---\nname: x\n"+lines+"\n---\n")
		if diff := cmp.Diff(want, plain(h.fields.Get("tags"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", lines, diff)
		}
	}
}

func FuzzScalarsHead(f *testing.F) {
	fuzzHeads(f, func(t *testing.T, data []byte) {
		checkBounded(t, readScalarsHead, data, smallLimits)
		h := checkBounded(t, readScalarsHead, data, testLimits)
		if h.fields == nil {
			return
		}
		if h.body != strings.TrimSpace(h.body) {
			t.Errorf("body %q", h.body)
		}
		for _, m := range h.fields.Map {
			if !strings.Contains(" name description version author tags permissions triggers ", " "+m.Key+" ") {
				t.Errorf("%s was read", m.Key)
			}
		}
		if name, _ := h.fields.Get("name").Scalar(); name == "" && len(h.fields.Map) > 0 && h.fields.Get("name") == nil {
			t.Error("fields without a name")
		}
	})
}
