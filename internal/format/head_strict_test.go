package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// The documents' own examples, with the indentation that their text lost.
func TestStrictHeadReadsDocumentedSkills(t *testing.T) {
	for _, read := range []headReader{readStrictHead, readQuotedHead, readForgivingHead} {
		h := readAs(t, read, `---
name: writing-assistant
version: "1.0.0"
description: Professional writing and editing
activation:
  keywords: ["write", "edit", "proofread"]
  patterns: ["(?i)\\b(write|draft)\\b.*\\b(email|letter)\\b"]
  tags: ["writing", "editing"]
  max_context_tokens: 2000
metadata:
  openclaw:
    requires:
      bins: ["vale"] # Required binaries
      env: ["VALE_CONFIG"] # Required env vars
      config: ["/etc/vale.ini"] # Required files
---
# Skill Prompt
You are a professional writing assistant. Help the user with:
- Writing and editing professional documents
`)
		want := map[string]any{
			"name": "writing-assistant", "version": "1.0.0", "description": "Professional writing and editing",
			"activation": map[string]any{
				"keywords":           []any{"write", "edit", "proofread"},
				"patterns":           []any{`(?i)\b(write|draft)\b.*\b(email|letter)\b`},
				"tags":               []any{"writing", "editing"},
				"max_context_tokens": "2000",
			},
			"metadata": map[string]any{"openclaw": map[string]any{"requires": map[string]any{
				"bins": []any{"vale"}, "env": []any{"VALE_CONFIG"}, "config": []any{"/etc/vale.ini"},
			}}},
		}
		if diff := cmp.Diff(want, plain(h.fields)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if !strings.HasPrefix(h.body, "# Skill Prompt\n") || h.bodyLine != 17 || len(h.diagnostics) > 0 || h.refused != "" {
			t.Errorf("body on line %d, refused %q, diagnostics %v", h.bodyLine, h.refused, h.diagnostics)
		}

		h = readAs(t, read, `---
name: deployment-helper
version: "1.2.0"
description: Deployment planning and execution
activation:
  keywords: ["deploy", "release", "ship"]
  patterns:
    - "(?i)\\bdeploy\\b.*\\b(production|staging)\\b"
    - "(?i)\\brelease\\b.*\\bv?\\d+"
  tags: ["devops", "deployment"]
  max_context_tokens: 3000
metadata:
  openclaw:
    requires:
      bins: ["kubectl", "helm"]
      env: ["KUBECONFIG"]
---
# Deployment Helper
`)
		patterns := []any{`(?i)\bdeploy\b.*\b(production|staging)\b`, `(?i)\brelease\b.*\bv?\d+`}
		if diff := cmp.Diff(patterns, plain(h.fields.Lookup("activation", "patterns"))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		bins := plain(h.fields.Lookup("metadata", "openclaw", "requires", "bins"))
		if !cmp.Equal(bins, []any{"kubectl", "helm"}) || h.body != "# Deployment Helper\n" {
			t.Errorf("bins %v, body %q", bins, h.body)
		}
	}
}

// strictCase is a file and what the three readers of valid YAML make of it.
type strictCase struct {
	text     string
	want     any    // the fields of all three
	body     string // of all three
	line     int    // of the body
	refused  string // by those who need a frontmatter; empty if they do not
	missing  bool
	forgiven any // the fields of the reader that forgives, where they refuse
	codes    map[skill.Code][]int
}

var strictCases = map[string]strictCase{
	"plain":        {text: "---\nname: a\n---\nb\n", want: map[string]any{"name": "a"}, body: "b\n", line: 4},
	"CRLF":         {text: "---\r\nname: a\r\n---\r\n\r\nb\r\n", want: map[string]any{"name": "a"}, body: "b\n", line: 5},
	"lone CR":      {text: "---\rname: a\r---\rb\r", want: map[string]any{"name": "a"}, body: "b\n", line: 4},
	"byte order":   {text: "\ufeff---\nname: a\n---\nb", want: map[string]any{"name": "a"}, body: "b", line: 4},
	"empty lines":  {text: "\n\r\n---\nname: a\n---\n\n\n\n  b\n\n", want: map[string]any{"name": "a"}, body: "  b\n\n", line: 9},
	"text behind":  {text: "---foo: bar\nname: a\n---\nb", want: map[string]any{"name": "a"}, body: "b", line: 4},
	"more dashes":  {text: "-----\nname: a\n---\nb", want: map[string]any{"name": "a"}, body: "b", line: 4},
	"more at end":  {text: "---\nname: a\n----\n---\nb", refused: "line 3: could not find expected ':'", body: "b", line: 5, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {3}}},
	"early close":  {text: "---\nname: a\ndescription: |\n  x\n  ---\n  y\n---\nb", want: map[string]any{"name": "a", "description": "x\n"}, body: "  y\n---\nb", line: 6},
	"blank close":  {text: "---\nname: a\n\u00a0--- \t\nb", want: map[string]any{"name": "a"}, body: "b", line: 4},
	"closed last":  {text: "---\nname: a\n---", want: map[string]any{"name": "a"}, body: "", line: 4},
	"empty head":   {text: "---\n---\nb", want: map[string]any{}, body: "b", line: 3},
	"comments":     {text: "---\n# a\n\n---\nb", want: map[string]any{}, body: "b", line: 5},
	"numbers":      {text: "---\nversion: 1.0\ndate: 2025-10-20\n---\n", want: map[string]any{"version": "1.0", "date": "2025-10-20"}, line: 5},
	"YAML's own":   {text: "---\na: &x {b: c}\nd:\n  <<: *x\n---\n", want: map[string]any{"a": map[string]any{"b": "c"}, "d": map[string]any{"b": "c"}}, line: 6},
	"none":         {text: "# A\n", refused: "the file has no frontmatter", missing: true, body: "# A\n", line: 1, codes: map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
	"empty":        {text: "", refused: "the file has no frontmatter", missing: true, line: 1, codes: map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
	"blank first":  {text: " ---\nname: a\n---\n", refused: "the file has no frontmatter", missing: true, body: " ---\nname: a\n---\n", line: 1, codes: map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
	"two marks":    {text: "\ufeff\ufeff---\nname: a\n---\n", refused: "the file has no frontmatter", missing: true, body: "\ufeff---\nname: a\n---\n", line: 1, codes: map[skill.Code][]int{skill.FrontmatterMissing: {1}}},
	"unclosed":     {text: "\n---\nname: a\n", refused: "the frontmatter has no closing line", missing: true, body: "\n---\nname: a\n", line: 1, codes: map[skill.Code][]int{skill.FrontmatterUnclosed: {2}}},
	"a list":       {text: "---\n- a\n---\nb", refused: "line 2: the frontmatter is a list, not keys with values", body: "b", line: 4, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {2}}},
	"a text":       {text: "---\n\na\n---\nb", refused: `line 3: the frontmatter is "a", not keys with values`, body: "b", line: 5, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {3}}},
	"open bracket": {text: "---\nname: a\ntags: [b\nversion: 1\n---\nb", refused: "line 3: did not find expected ',' or ']'", body: "b", line: 6, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {3}}},
	"twice":        {text: "---\nname: a\nversion: 1\nname: b\n---\nb", refused: "line 4: name is written twice", body: "b", line: 6, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {4}}},
	"control":      {text: "---\nname: a\x01\n---\nb", refused: "line 2: control characters are not allowed", body: "b", line: 4, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {2}}},
	"second":       {text: "---\nname: a\n--- # c\nb: c\n---\nb", refused: "line 3: a line of --- or ... starts a second document; remove that line", body: "b", line: 6, forgiven: map[string]any{}, codes: map[skill.Code][]int{skill.FrontmatterInvalid: {3}}},
	"not text":     {text: "---\nname: a\xff\n---\nb\x00", want: map[string]any{"name": "a\ufffd"}, body: "b", line: 4, codes: map[skill.Code][]int{skill.FileNotUTF8: {2}, skill.FileHasNUL: {4}}},
}

func TestStrictHead(t *testing.T) {
	for name, c := range strictCases {
		for reader, read := range map[string]headReader{"strict": readStrictHead, "quoted": readQuotedHead, "forgiving": readForgivingHead} {
			h := readAs(t, read, c.text)
			want, refused, missing := c.want, c.refused, c.missing
			if reader == "forgiving" && refused != "" {
				want, refused, missing = c.forgiven, "", false
			}
			if diff := cmp.Diff(want, plain(h.fields)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, reader, diff)
			}
			if h.refused != refused || h.missing != missing {
				t.Errorf("%s, %s: refused %q, missing %t; want %q, %t", name, reader, h.refused, h.missing, refused, missing)
			}
			if h.body != c.body || h.bodyLine != c.line {
				t.Errorf("%s, %s: body %q on line %d, want %q on line %d", name, reader, h.body, h.bodyLine, c.body, c.line)
			}
			if diff := cmp.Diff(c.codes, codesAt(h), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s: diagnostics (-want +got):\n%s", name, reader, diff)
			}
			if len(h.repairs) > 0 {
				t.Errorf("%s, %s: repairs %v", name, reader, h.repairs)
			}
		}
	}
}

func TestQuotedHead(t *testing.T) {
	for name, c := range map[string]struct {
		lines   string
		want    any // nil where the file is refused
		repairs []Repair
	}{
		"colon": {"name: a\ndescription: Use when: asked\n", map[string]any{"name": "a", "description": "Use when: asked"},
			[]Repair{{"SKILL.md", "description", "Use when: asked"}}},
		"quotes inside": {"name: a\ndescription: It's \"so\": yes\n", map[string]any{"name": "a", "description": `It's "so": yes`},
			[]Repair{{"SKILL.md", "description", `It's "so": yes`}}},
		"reserved": {"name: @a\ndescription: `b` and %c\nversion: %1\n", map[string]any{"name": "@a", "description": "`b` and %c", "version": "%1"},
			[]Repair{{"SKILL.md", "name", "@a"}, {"SKILL.md", "description", "`b` and %c"}, {"SKILL.md", "version", "%1"}}},
		"alias":           {"name: *a\n", map[string]any{"name": "*a"}, []Repair{{"SKILL.md", "name", "*a"}}},
		"bracket":         {"description: [WIP] do it\n", map[string]any{"description": "[WIP] do it"}, []Repair{{"SKILL.md", "description", "[WIP] do it"}}},
		"text behind":     {"description: \"a\" or b\n", map[string]any{"description": `"a" or b`}, []Repair{{"SKILL.md", "description", `"a" or b`}}},
		"data is kept":    {"description: a: b\nmetadata: {\"x\": {\"y\": [1]}}\ntags: [c, d]\n", map[string]any{"description": "a: b", "metadata": map[string]any{"x": map[string]any{"y": []any{"1"}}}, "tags": []any{"c", "d"}}, []Repair{{"SKILL.md", "description", "a: b"}}},
		"open bracket":    {"name: [invalid\n", nil, nil},
		"open quote":      {"name: a\ndescription: \"it\n", nil, nil},
		"broken metadata": {"name: a\nmetadata: {\"x\": {\n", nil, nil},
		"broken requires": {"name: a\nrequires: x: y\n", nil, nil},
		"valid":           {"name: a\ndescription: \"b: c\"\n", map[string]any{"name": "a", "description": "b: c"}, nil},
		"nested":          {"a:\n  b: c: d\n", nil, nil},
		"no help":         {"description: a: b\ntags: [c\nd: e\n", nil, nil},
		"twice":           {"name: a\nname: b: c\n", nil, nil},
		"block":           {"description: |\n  a: b: c\nname: d: e\n", map[string]any{"description": "a: b: c\n", "name": "d: e"}, []Repair{{"SKILL.md", "name", "d: e"}}},
	} {
		h := readAs(t, readQuotedHead, "---\n"+c.lines+"---\nb")
		if diff := cmp.Diff(c.want, plain(h.fields)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if (h.refused == "") != (c.want != nil) || h.missing {
			t.Errorf("%s: refused %q, missing %t", name, h.refused, h.missing)
		}
		if diff := cmp.Diff(c.repairs, h.repairs); diff != "" {
			t.Errorf("%s: repairs (-want +got):\n%s", name, diff)
		}
		if got := len(codesAt(h)[skill.FrontmatterRepaired]); got != len(c.repairs) {
			t.Errorf("%s: %d repairs are reported", name, got)
		}
		if c.want != nil {
			if strict := readAs(t, readStrictHead, "---\n"+c.lines+"---\nb"); (strict.refused == "") != (len(c.repairs) == 0) {
				t.Errorf("%s: the strict reader says %q", name, strict.refused)
			}
		}
	}
	h := readAs(t, readQuotedHead, "---\nname: a\n\ndescription: Use when: asked\n---\nb")
	if diff := cmp.Diff(map[skill.Code][]int{skill.FrontmatterRepaired: {4}}, codesAt(h)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What restricts a skill and was lost with its frontmatter is not nothing.
func TestForgivingHeadTellsWhatWasLost(t *testing.T) {
	h := readAs(t, readForgivingHead, "---\nname: a: b\ndisable-model-invocation: true\nDisallowed_Tools: Bash\nversion: 1\n---\nb")
	want := []lostKey{{"disable-model-invocation", 3}, {"Disallowed_Tools", 4}}
	if diff := cmp.Diff(want, h.unreadable, cmp.AllowUnexported(lostKey{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if h = readAs(t, readForgivingHead, "---\nname: a: b\n---\nos: linux"); len(h.unreadable) > 0 {
		t.Errorf("unreadable %v", h.unreadable)
	}
}

func TestStrictHeadKeepsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		text   string
		line   int
	}{
		"bytes": {Limits{FrontmatterBytes: 16, Depth: 9, Nodes: 99}, "---\nname: a\nversion: 1\n---\nb", 2},
		"nodes": {Limits{FrontmatterBytes: 99, Depth: 9, Nodes: 3}, "---\nname: a\ntags: [b, c]\n---\nb", 3},
		"depth": {Limits{FrontmatterBytes: 99, Depth: 2, Nodes: 99}, "---\nname: a\ntags:\n- [b]\n---\nb", 4},
	} {
		for reader, read := range map[string]headReader{"strict": readStrictHead, "quoted": readQuotedHead, "forgiving": readForgivingHead} {
			h := read(&tree.Store{}, "SKILL.md", []byte(c.text), c.limits)
			checkHead(t, h)
			if diff := cmp.Diff(map[skill.Code][]int{skill.FrontmatterTooDeep: {c.line}}, codesAt(h)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, reader, diff)
			}
			if refused := reader != "forgiving"; (h.refused != "") != refused || (h.fields == nil) != refused || h.missing || h.body != "b" {
				t.Errorf("%s, %s: refused %q, missing %t, fields %v, body %q", name, reader, h.refused, h.missing, plain(h.fields), h.body)
			}
		}
	}
}

// An error that quotes the file stays short.
func TestStrictHeadWordsStayShort(t *testing.T) {
	h := readAs(t, readStrictHead, "---\nname: *"+strings.Repeat("x", 5000)+"\n---\n")
	if n := len(h.refused); n == 0 || n > 2*saidChars {
		t.Errorf("refused in %d bytes", n)
	}
	for _, d := range h.diagnostics {
		if len(d.Message) > 2*saidChars {
			t.Errorf("a message of %d bytes", len(d.Message))
		}
	}
}

func FuzzStrictHead(f *testing.F) {
	fuzzHeads(f, func(t *testing.T, data []byte) {
		for _, read := range []headReader{readStrictHead, readQuotedHead, readForgivingHead} {
			checkBounded(t, read, data, smallLimits)
		}
		strict := checkBounded(t, readStrictHead, data, testLimits)
		quoted := checkBounded(t, readQuotedHead, data, testLimits)
		forgiving := checkBounded(t, readForgivingHead, data, testLimits)
		if (strict.fields == nil) != (strict.refused != "") || (quoted.fields == nil) != (quoted.refused != "") || forgiving.refused != "" {
			t.Errorf("refused %q, %q and %q", strict.refused, quoted.refused, forgiving.refused)
		}
		if strict.body != quoted.body || strict.body != forgiving.body || strict.bodyLine != quoted.bodyLine || strict.bodyLine != forgiving.bodyLine {
			t.Errorf("bodies differ: %q, %q, %q", strict.body, quoted.body, forgiving.body)
		}
		// What is valid is read the same by all, and what is valid after quoting
		// is valid.
		if strict.fields != nil && (!sameNodes(strict.fields, quoted.fields) || !sameNodes(strict.fields, forgiving.fields) || len(quoted.repairs) > 0) {
			t.Error("the readers differ on valid YAML")
		}
		if strict.missing != (forgiving.fields == nil) {
			t.Errorf("missing %t, but %v", strict.missing, plain(forgiving.fields))
		}
		if strict.fields == nil && quoted.fields != nil && len(quoted.repairs) == 0 {
			t.Error("quoted what was not reported")
		}
	})
}
