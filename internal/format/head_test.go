package format

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/tree"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// gateHead is a head with a gate, and room for anything in front of it and
// behind it.
func gateHead(before, line, after, metadata string) []byte {
	return []byte("---\nname: x\ndescription: " + before + "\n" + line + "\n" + metadata + "\nversion: " + after + "\n---\nBody.\n")
}

// gateForms are ways to write the same requirement.
var gateForms = [...]string{
	`metadata: {"openclaw":{"requires":{"bins":["needed"]}}}`,
	`metadata: {openclaw: {requires: {bins: [needed]}}}`,
	"metadata:\n  openclaw:\n    requires:\n      bins:\n        - needed",
	"metadata: {\n  'openclaw': {requires:{bins:[\"needed\"]}}\n}",
	`requires: {"bins":["needed"]}`,
	"requires:\n  bins: [needed]",
}

// hasNeeded reports whether the gate of gateForms was read, or is known to be
// unknown.
func hasNeeded(h head) bool {
	bins, _ := h.fields.Lookup("metadata", "openclaw", "requires", "bins").Strings()
	direct, _ := h.fields.Lookup("requires", "bins").Strings()
	return slices.ContainsFunc(h.unreadable, func(lost lostKey) bool { return isStructured(lost.key) }) || slices.Contains(append(bins, direct...), "needed")
}

func FuzzHead(f *testing.F) {
	for _, c := range malformedCases(f) {
		f.Add(c.data, "text", "", "1", byte(0))
	}
	for i, odd := range []string{`"`, "'", "{", "[", "|", ">-", "&a", "*a", "!x", "a: b", "@", "?", "- x", "\t", "\u0085---\u0085", "`", "%", "#", "\\["} {
		f.Add([]byte(nil), odd, "foo: "+odd, odd, byte(i))
	}
	// YAML counts other lines here than there are, and ends the document early.
	f.Add([]byte(nil), "--\u0085", "foo: \u0085---\u0085", "x", byte(2))
	f.Fuzz(func(t *testing.T, data []byte, before, line, after string, form byte) {
		checkHead(t, readYAMLHead(&tree.Store{}, "SKILL.md", data, testLimits))

		// Whatever stands in the lines around a gate, on lines that do not end
		// the frontmatter, the gate is read or reported as unreadable.
		oneLine := strings.NewReplacer("\n", "", "\r", "", "\x00", "")
		before, line, after = oneLine.Replace(before), oneLine.Replace(line), oneLine.Replace(after)
		if closes(line) || isConflict(line) {
			return
		}
		doc := gateHead(before, line, after, gateForms[int(form)%len(gateForms)])
		h := readYAMLHead(&tree.Store{}, "SKILL.md", doc, testLimits)
		checkHead(t, h)
		if !hasNeeded(h) {
			t.Errorf("lost the gate of\n%s\nread %s", doc, h.fields.Source())
		}
	})
}

// checkHead holds what is true of every head.
func checkHead(t *testing.T, h head) {
	t.Helper()
	if !utf8.ValidString(h.body) || strings.ContainsAny(h.body, "\x00\r") {
		t.Errorf("body is not clean: %q", h.body)
	}
	if h.bodyLine < 1 {
		t.Errorf("body starts on line %d", h.bodyLine)
	}
	for _, d := range h.diagnostics {
		if d.Code == "" || d.Line < 0 || d.Message == "" || d.File != "SKILL.md" || !utf8.ValidString(d.Message+d.Hint) {
			t.Errorf("diagnostic %+v", d)
		}
		if !slices.ContainsFunc(skill.Codes(), func(c skill.CodeInfo) bool { return c.Code == d.Code }) {
			t.Errorf("no such code: %s", d.Code)
		}
	}
	if len(h.diagnostics) > (maxAlike+1)*len(skill.Codes()) {
		t.Errorf("%d diagnostics", len(h.diagnostics))
	}
	if h.fields != nil && len(h.repairs) > len(h.fields.Map)+len(h.fields.Dup)+2*len(h.fields.Map) {
		t.Errorf("%d repairs of %d keys", len(h.repairs), len(h.fields.Map))
	}
}

// TestGateKept tries every odd start of a value in front of every form of a
// gate.
func TestGateKept(t *testing.T) {
	for _, form := range gateForms {
		for c := rune(1); c < 0x100; c++ {
			if c == '\n' || c == '\r' {
				continue
			}
			for _, odd := range []string{string(c), string(c) + " a", string(c) + "a: b", "a" + string(c) + " ", " " + string(c)} {
				for _, doc := range [][]byte{gateHead(odd, "", "1", form), gateHead("a", odd, "1", form), gateHead("a", "k: "+odd, odd, form)} {
					if h := readYAMLHead(&tree.Store{}, "SKILL.md", doc, testLimits); !hasNeeded(h) {
						t.Errorf("lost the gate of\n%s\nread %s", doc, h.fields.Source())
					}
				}
			}
		}
	}
}

// TestRestrictionsKept: what restricts a skill besides its requirements.
func TestRestrictionsKept(t *testing.T) {
	parser, err := New(baseRules())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ head, want string }{
		{"disable-model-invocation: true", "model"},
		{"disable-model-invocation: \"true", "model"},
		{"disable-model-invocation:true", "model"},
		{" disable-model-invocation: true", "model"},
		{"disable\\-model\\-invocation: true", "model"},
		{"<<<<<<< a\ndisable-model-invocation: false\n=======\ndisable-model-invocation: true\n>>>>>>> b", "model"},
		{"disable-model-invocation: true\ndisable-model-invocation: false", "model"},
		{"disable-model-invocation\nx: y: z", "model"},
		{"os: [linux", "unknown"},
		{"os: linux\nos: darwin", "unknown"},
		{"permissions:\n  - Read\n<<<<<<< a\n  - Bash\n=======\n>>>>>>> b", "unknown"},
		{"permissions: [Read] [Bash]", "unknown"},
		{"permissions: Read\nstray words", "unknown"},
		{"disallowed-tools: {Bash", "unknown"},
		{"allowed-tools: [Read] [Bash]", ""},
	} {
		result := parser.Parse("folder", []Source{{File: "SKILL.md", Data: []byte("---\nname: x\n" + c.head + "\n---\nBody.\n")}})
		got := ""
		switch {
		case result.Skill.Requires.Unreadable:
			got = "unknown"
		case result.Skill.Invocation.ModelDisabled:
			got = "model"
		}
		if got != c.want {
			t.Errorf("%s\nrestricts %q, want %q: %v", c.head, got, c.want, result.Diagnostics)
		}
	}
}

// TestKeysKnown: what package format reads, the head recognises.
func TestKeysKnown(t *testing.T) {
	for _, rule := range fieldRules {
		for _, name := range rule.names {
			if !rule.tomlOnly && !isKnown(name) {
				t.Errorf("%s is not among the known keys", name)
			}
			if rule.gate != isGate(name) {
				t.Errorf("%s: gate is %v here and %v there", name, isGate(name), rule.gate)
			}
		}
	}
}

// TestHeadBounded reads files of a mebibyte that would take hours if any pass
// over them were repeated for each line. The limits are as wide as the files.
func TestHeadBounded(t *testing.T) {
	const size = 1 << 20
	limits := Limits{FrontmatterBytes: size, Depth: 32, Nodes: 2 * size}
	fill := func(start, unit string) []byte {
		return append([]byte(start), bytes.Repeat([]byte(unit), size/len(unit))...)
	}
	var keys, conflict strings.Builder
	for n := 0; keys.Len() < size; n++ {
		fmt.Fprintf(&keys, "k%d: a: b\n", n)
		fmt.Fprintf(&conflict, "k%d: {a\n", n)
	}
	for name, data := range map[string][]byte{
		"many keys":          []byte("---\n" + keys.String() + "---\n"),
		"many conflicts":     []byte("---\n<<<<<<< a\n" + conflict.String() + ">>>>>>> b\n---\n"),
		"anchors":            append(fill("---\n", "k: &a b\n"), "l: *a\n---\n"...),
		"rules":              fill("", "---\n"),
		"rules behind":       fill("text\n", "---\n"),
		"blank lines":        fill("---\nname: x\n", "\n"),
		"keys":               fill("---\n", "key:\n"),
		"bad keys":           fill("---\n", "key: a: b\n"),
		"bad keys closed":    append(fill("---\n", "k: @\n"), "---\n"...),
		"stray lines":        append(fill("---\nname: x: y\n", "stray\n"), "---\n"...),
		"conflicts":          append(fill("---\nname: x: y\n", "<<<<<<< a\n=======\n>>>>>>> b\n"), "---\n"...),
		"slipped":            append(fill("---\nname: x: y\n", " name: x\n"), "---\n"...),
		"continued":          append(fill("---\ndescription: x: y\n", " more\n"), "---\n"...),
		"prose continued":    append(fill("---\ndescription: x: y\n", "more\n"), "---\n"...),
		"brackets":           fill("---\nmetadata: ", "["),
		"braces":             append(fill("---\nmetadata: ", "{\"a\":"), "\n---\n"...),
		"flow never ends":    append(fill("---\nmetadata: {\n", "a: b,\n"), "---\n"...),
		"quotes":             append(fill("---\ndescription: ", "\""), "\n---\n"...),
		"backslashes":        append(fill("---\nmetadata: {", "\\["), "\n---\n"...),
		"comments":           fill("", "<!-- -->\n"),
		"comments, one line": bytes.Repeat([]byte("<!---->"), 4<<20), // 28 MiB; in the square of it, minutes
		"open comments":      fill("", "<!--\n"),
		"code fences":        fill("x\n", "```yaml\n---\n"),
		"headings":           append(fill("---\nname: x: y\n", "# h\n"), "---\n"...),
		"duplicates":         append(fill("---\n", "a: 1\nb: 2\n"), "---\n"...),
		"colons":             append(fill("---\n", ":"), "\n---\n"...),
		"colons and words":   append(fill("---\n", "a:b"), "\n---\n"...),
		"tabs":               append(fill("---\nmetadata:\n", "\ta:\n"), "---\n"...),
		"carriage returns":   fill("---", "\r"),
		"nul":                fill("---\n", "\x00"),
		"invalid":            fill("---\n", "\xff\n"),
		"controls":           fill("---\n", "a: \x01\n"),
	} {
		t.Run(name, func(t *testing.T) {
			checkHead(t, readYAMLHead(&tree.Store{}, "SKILL.md", data, limits))
			checkHead(t, readYAMLHead(&tree.Store{}, "SKILL.md", data, testLimits))
		})
	}
}

// TestBodyLine counts lines in every case: the body must start where it says.
func TestBodyLine(t *testing.T) {
	for _, c := range malformedCases(t) {
		r := headRead{}
		lines := strings.SplitAfter(string(r.cleanText(c.data)), "\n")
		h := readYAMLHead(&tree.Store{}, "SKILL.md", c.data, testLimits)
		first, _, _ := strings.Cut(h.body, "\n")
		got := ""
		if h.bodyLine <= len(lines) {
			got = strings.TrimSuffix(lines[h.bodyLine-1], "\n")
		}
		if first != got {
			t.Errorf("%s: body starts with %q, line %d is %q", c.name, first, h.bodyLine, got)
		}
	}
}

// TestNoFinalNewline: a file may end anywhere.
func TestNoFinalNewline(t *testing.T) {
	whole := "---\nname: x\ndescription: y\n---\nBody."
	for end := range len(whole) + 1 {
		h := readYAMLHead(&tree.Store{}, "SKILL.md", []byte(whole[:end]), testLimits)
		checkHead(t, h)
		name, _ := h.fields.Get("name").Scalar()
		if want := end >= len("---\nname: x"); want != (name == "x") {
			t.Errorf("%q: name is %q", whole[:end], name)
		}
		if want := whole[min(end, len("---\nname: x\ndescription: y\n---\n")):end]; end > len("---\nname: x\ndescription: y\n--") && h.body != want {
			t.Errorf("%q: body is %q, want %q", whole[:end], h.body, want)
		}
	}
}

// TestHeadTooLarge: a head beyond the limit keeps its name, and its
// requirements are unknown.
func TestHeadTooLarge(t *testing.T) {
	limits := testLimits
	limits.FrontmatterBytes = 100
	long := "---\nname: \"big\"\ndescription: Text: more.\nnotes: " + strings.Repeat("x", 100) + "\n---\nBody.\n"
	h := readYAMLHead(&tree.Store{}, "SKILL.md", []byte(long), limits)
	name, _ := h.fields.Get("name").Scalar()
	description, _ := h.fields.Get("description").Scalar()
	got := []string{name, description, h.body, fmt.Sprint(h.unreadable), string(h.diagnostics[0].Code)}
	want := []string{"big", "Text: more.", "Body.\n", "[{metadata 2}]", "frontmatter-too-complex"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCorpus compares scanner and YAML on the files of the folder that
// KNACK_CORPUS names.
func TestCorpus(t *testing.T) {
	root := os.Getenv("KNACK_CORPUS")
	if root == "" {
		t.Skip("KNACK_CORPUS names no folder of skills")
	}
	files, _ := filepath.Glob(filepath.Join(root, "*", "[Ss][Kk][Ii][Ll][Ll].md"))
	read := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkHead(t, readYAMLHead(&tree.Store{}, "SKILL.md", data, testLimits))
		text := string((&headRead{}).cleanText(data))
		if s, ok := findHead(text); ok && agree(t, stripControls(text[s.start:s.end])) {
			read++
		}
	}
	t.Logf("%d of %d heads are read by the scanner", read, len(files))
}

func BenchmarkHead(b *testing.B) {
	head := "---\nname: typical\ndescription: A skill of the usual size, with the usual keys and one line of metadata.\n" +
		"homepage: https://example.com/typical\n" +
		`metadata: {"openclaw":{"emoji":"🦞","requires":{"bins":["curl","jq"],"env":["API_KEY"]},"primaryEnv":"API_KEY",` +
		`"install":[{"id":"brew","kind":"brew","formula":"jq","bins":["jq"],"label":"Install jq (brew)"}]}}` + "\n---\n\n# Typical\n\n"
	data := []byte(head + strings.Repeat("Some text about what to do.\n", (4096-len(head))/28))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		readYAMLHead(&tree.Store{}, "SKILL.md", data, testLimits)
	}
}

// TestGateKeptInJunk puts a gate between lines of every kind: as long as none
// of them ends the frontmatter by a rule or hides the gate in a code block, the
// gate is read or reported as unreadable.
func TestGateKeptInJunk(t *testing.T) {
	lines := []string{
		"", "", "# Title", "Some prose here.", "more prose: with a colon", "- item", "  indented", "\ttabbed", "name: x",
		"description: Use when: it rains", "description: \"open", "description: |", "  block text", "foo: {", "foo: [a", "}", "]",
		"foo: bar", "tags:", "license: 'MIT", "version: 1\"", "## Section", "> quote", "| a | b |", "* star", "foo:", "  bar: baz",
		"  name: nested", "\"quoted\": x", "author: @me", "x: &a b", "y: *a", "<!-- html -->", "1. one", "a", "...x", "metadata",
	}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 8)
		doc := "---\nname: x\n" + strings.Join(some.Draw(t, "before"), "\n") + "\n" +
			rapid.SampledFrom(gateForms[:]).Draw(t, "gate") + "\n" + strings.Join(some.Draw(t, "after"), "\n") + "\n"
		if rapid.Bool().Draw(t, "closed") {
			doc += "---\n"
		}
		doc += "\n# Body\n\nText.\n"
		if h := readYAMLHead(&tree.Store{}, "SKILL.md", []byte(doc), testLimits); !hasNeeded(h) {
			t.Fatalf("lost the gate of\n%s\nread %s", doc, h.fields.Source())
		}
	})
}
