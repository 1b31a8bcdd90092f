package format

import (
	"fmt"
	"strings"
	"testing"

	"github.com/knackhq/knack/skill"
)

// req is the requirement that each case of these tests shows to a person.
const req = `{"bins": ["no-such-bin"]}`

// isGated reports whether a skill waits for the program, or for a person who
// mends what cannot be read.
func isGated(res Result) bool {
	return res.Skill.Requires.Unreadable || strings.Contains(strings.Join(res.Skill.Requires.Bins, " "), "no-such-bin")
}

// A requirement that a person sees in the file is never lost, however it is
// misspelled or misplaced.
func TestNoRequirementIsLost(t *testing.T) {
	for _, lines := range []string{
		// A second document.
		"--- # more\nopenclaw: {requires: REQ}",
		"... # more\nmetadata: {openclaw: {requires: REQ}}",
		"metadata: |\n  {\"author\": \"x\"}\n  ---\n  openclaw: {requires: REQ}",
		"metadata: |\n  author: x\n  ...\n  openclaw: {requires: REQ}",
		// A namespace at the top level, not written as YAML writes keys.
		`openclaw:{"requires": REQ}`,
		"openclaw\u00a0: {requires: REQ}",
		"**openclaw:** {requires: REQ}",
		"- openclaw: {requires: REQ}",
		"---\nopenclaw: {requires: REQ}",
		"---\n---\nname: x\nclawdis: {requires: REQ}",
		strings.Repeat("x: {\n", 200) + "moltbot: {requires: REQ",
		// Where requirements are not read.
		"“requires”: REQ",
		"metadata: {openclaw: {“requires”: {bins: [no-such-bin]}}}",
		"metadata:\n  openclaw:\n    requ\ufffdires: REQ",
		"metadata:\n  openclaw:\n    requires\u00a0: REQ",
		"metadata:\n  openclaw:\n    req\u200buires: REQ",
		"metadata:\n  open\u00adclaw:\n    requires: REQ",
		"metadata:\n  openclaw:\n    openclaw:\n      requires: REQ",
		"metadata: {\"clawdhub\": {\"requires\": REQ}, \"openclaw\": {\"requires\": {\"bins\": [\"sh\"]}}}",
		"metadata: '{\"clawdhub\": {\"requires\": REQ}, \"openclaw\": {\"requires\": {\"bins\": [\"sh\"]}}}'",
		"other: '{\"requires\": REQ}'",
		"requires.bins: [no-such-bin]",
		"metadata.openclaw.requires.bins: no-such-bin",
		"metadata: {openclaw.requires: REQ}",
		"metadata: {openclaw: {requries: REQ}}",
		"metadata: {openclaw: {requires: {binz: [no-such-bin]}}}",
		"metadata: {openclaw: {requires: {requirs: REQ}}}",
		"bins: [no-such-bin]",
		"skill: {requires: REQ}",
		"emoji: {requires: REQ}",
		"tags: [one, {requires: REQ}]",
		"author: {name: Ann, requires: REQ}",
		"compatibility: {requires: REQ}",
		"other: {a: {requires: REQ}}\nother: {b: c}",
		// Said twice.
		"metadata: {author: x}\nMetadata: {requires: REQ}",
		"metadata: {author: x}\nMetadata: {bins: [no-such-bin]}",
		"metadata: '{\"requires\": REQ, \"requires\": {}}'",
		"metadata: '{\"openclaw\": {\"require\": REQ, \"require\": {}}}'",
		"metadata: '{\"openclaw\": {\"requires\": {\"bins\": [{\"name\": \"no-such-bin\", \"required\": true, \"required\": false}]}}}'",
		"metadata: '{\"OpenClaw\": {\"requires\": REQ}, \"OpenClaw\": {}}'",
		// Glued together.
		"metadata: \"{openclaw: {requires: {env: [HOME], bins:no-such-bin}}}\"",
		// On a line of its own for who sees it.
		"summary: d\vmetadata: {openclaw: {requires: REQ}}",
		"summary: d\fmetadata: {openclaw: {requires: REQ}}",
		// A broken key with a typing error.
		"requirs: {bins: [no-such-bin}",
		"metdata: {openclaw: {requires: REQ}",
	} {
		lines = strings.ReplaceAll(lines, "REQ", req)
		text := "---\nname: x\ndescription: d\n" + lines + "\n---\n# Body\n"
		res := newParser(t).Parse("x", files("SKILL.md", text))
		if !isGated(res) {
			t.Errorf("%.200s\nis ready: %v", lines, res.Diagnostics)
		}
		wantReason(t, lines, res)
	}
}

// What only sounds like a requirement gates nothing.
func TestWhatIsNoRequirement(t *testing.T) {
	for _, lines := range []string{
		"requirements: [python, jq]",
		"dependencies: {python: '3.10', bins: {}}",
		"compatibility: requires jq and bins",
		"inputs: {type: object, required: [city], properties: {bins: {type: number}}}",
		"other: {requires: true, bins: 5}",
		"other: {install: [{kind: brew, formula: jq, bins: [jq]}]}",
		"other: the text requires {bins}",
		"needs: &n {bins: [sh]}\nmetadata: {openclaw: {requires: *n}}",
	} {
		res := newParser(t).Parse("x", files("SKILL.md", "---\nname: x\ndescription: d\n"+lines+"\n---\n# Body\n"))
		if res.Skill.Requires.Unreadable {
			t.Errorf("%s\nis gated: %v", lines, res.Diagnostics)
		}
	}
}

// always passes gates, so all that speak of it must agree.
func TestAlwaysNeedsAgreement(t *testing.T) {
	for lines, want := range map[string]bool{
		"always: true":                                        true,
		"always: true\nAlways: true":                          true,
		"always: true\nAlways: false":                         false,
		"always: false\nalways: true":                         false,
		"always: true\nmetadata: {always: false}":             false,
		"metadata: {openclaw: {always: true, Always: false}}": false,
		"metadata: {openclaw: {Always: false, always: true}}": false,
		"metadata: {openclaw: {always: true, Always: true}}":  true,
	} {
		res := newParser(t).Parse("x", files("SKILL.md", "---\nname: x\ndescription: d\n"+lines+"\n---\n# Body\n"))
		if res.Skill.Requires.Always != want {
			t.Errorf("%s\nalways = %t: %v", lines, !want, res.Diagnostics)
		}
	}
	res := newParser(t).Parse("x", files("SKILL.md", `---
name: x
description: d
metadata: '{"openclaw": {"always": false, "requires": {"bins": ["no-such-bin"]}, "always": true}}'
---
# Body`))
	if !res.Skill.Requires.Unreadable {
		t.Errorf("always is taken as read: %v", res.Diagnostics)
	}
}

func TestEverySystemIsNoGate(t *testing.T) {
	for lines, want := range map[string]string{
		"os: all": "", "os: [Any]": "", "os: ['*']": "", "metadata: {openclaw: {os: ['*']}}": "", "os: [linux, any]": "linux any",
		"os: all\nmetadata: {openclaw: {os: [linux]}}": "linux",
	} {
		res := parseMarkdown(t, strings.Split(lines, "\n")...)
		if got := strings.Join(res.Skill.Requires.OS, " "); got != want || res.Skill.Requires.Unreadable {
			t.Errorf("%s: os %q, want %q", lines, got, want)
		}
	}
}

func TestPermissionsJoin(t *testing.T) {
	res := parseMarkdown(t, "permissions: [a, b]", "Permissions: [b, c]")
	if got := strings.Join(res.Skill.Permissions, " "); got != "a b c" {
		t.Errorf("permissions are %q", got)
	}
	res = newParser(t).Parse("x", files("SKILL.toml", "name = 'x'\npermissions = ['a']\n", "SKILL.md", markdown("permissions: [b]")))
	if got := strings.Join(res.Skill.Permissions, " "); got != "a" {
		t.Errorf("permissions are %q, SKILL.toml says a", got)
	}
}

// Lists of several places together have the limit of one.
func TestJoinedListsAreBounded(t *testing.T) {
	var lines strings.Builder
	for _, name := range []string{"openclaw", "clawdbot", "moltbot"} {
		lines.WriteString(name + ": {requires: {bins: [")
		for i := range maxRequirements {
			fmt.Fprintf(&lines, "%s-%d, ", name, i)
		}
		lines.WriteString("]}}\n")
	}
	res := newParser(t).Parse("x", files("SKILL.md", "---\nname: x\ndescription: d\n"+lines.String()+"---\n# Body"))
	if q := res.Skill.Requires; !q.Unreadable || len(q.Bins) != maxRequirements {
		t.Errorf("%d programs, unreadable: %t", len(q.Bins), q.Unreadable)
	}
}

// wantReason holds that who gates a skill for what cannot be read says so.
func wantReason(t *testing.T, lines string, res Result) {
	t.Helper()
	if !res.Skill.Requires.Unreadable {
		return
	}
	for _, d := range res.Diagnostics {
		if d.Line > 0 && d.Hint != "" && (d.Code == skill.MetadataUnreadable || d.Code == skill.FrontmatterInvalid) {
			return
		}
	}
	t.Errorf("%.200s\nis gated without a reason: %v", lines, res.Diagnostics)
}

// A gate that is misspelled counts also where nobody looks any more.
func TestGateBehindManyUnknownKeys(t *testing.T) {
	var lines strings.Builder
	for i := range 2 * maxRemarks {
		lines.WriteString("key" + strings.Repeat("q", i%40) + strings.Repeat("z", i/40) + ": 1\n")
	}
	res := newParser(t).Parse("x", files("SKILL.md", "---\nname: x\ndescription: d\n"+lines.String()+"requirs: "+req+"\n---\n# Body"))
	if !isGated(res) {
		t.Error("it is ready")
	}
}

// Without a frontmatter, data that should stand in one is not prose.
func TestNoRequirementOutsideIsLost(t *testing.T) {
	const head = "name: x\ndescription: d\nmetadata: {openclaw: {requires: REQ}}\n"
	for _, text := range []string{
		"metadata: {openclaw: {requires: REQ}}\n# Body\n",
		"# Title\n\nmetadata: {openclaw: {requires: REQ}}\n\nText.\n",
		"# Title\n\nopenclaw:\n  requires:\n    bins: [no-such-bin]\n\nText.\n",
		"# Title\n\n> requires: REQ\n",
		"# Title\n\n- **requires:** REQ\n",
		"# Title\n\nrequires:\nREQ\n",
		"—\n" + head + "—\n# Body\n",
		"***\n" + head + "***\n# Body\n",
		"___\n" + head + "___\n# Body\n",
		"===\n" + head + "===\n# Body\n",
		"- - -\n" + head + "- - -\n# Body\n",
		"---yaml\n" + head + "---\n# Body\n",
		"---\u00a0\n" + head + "---\u00a0\n# Body\n",
		"  ---\n  " + strings.ReplaceAll(head, "\n", "\n  ") + "---\n# Body\n",
		"> ---\n> " + strings.ReplaceAll(head, "\n", "\n> ") + "---\n# Body\n",
	} {
		text = strings.ReplaceAll(text, "REQ", req)
		res := newParser(t).Parse("folder", files("SKILL.md", text))
		if !isGated(res) {
			t.Errorf("%s\nis ready: %v", text, res.Diagnostics)
		}
		if fenced := strings.Contains(text, "name: x"); fenced && (res.Skill.Name != "x" || strings.TrimSpace(res.Skill.Body.Raw()) != "# Body") {
			t.Errorf("%s\nname %q, body %q", text, res.Skill.Name, res.Skill.Body.Raw())
		}
		wantReason(t, text, res)
	}
	for _, text := range []string{
		"# Title\n\nmetadata: is written as JSON\n\nrequires: a browser\n",
		"# Title\n\n```yaml\nmetadata: {openclaw: {requires: {bins: [x]}}}\n```\n",
		"***\n\nname: a rule, not a frontmatter\n",
		"# Title\n\n- requires:\n  - a browser\n",
	} {
		if res := newParser(t).Parse("folder", files("SKILL.md", text)); res.Skill.Requires.Unreadable {
			t.Errorf("%s\nis gated: %v", text, res.Diagnostics)
		}
	}
}

func TestNamespaceOutsideTheFrontmatter(t *testing.T) {
	for _, text := range []string{
		"---\nname: x\ndescription: d\n\nopenclaw: {requires: REQ}\n\n# Body\n\nText here.\n",
		"---\nname: x\ndescription: d\n---\nopenclaw: {requires: REQ}\n# Body\n",
		"---\n- openclaw: {requires: REQ}\n---\n# Body\n",
	} {
		text = strings.ReplaceAll(text, "REQ", req)
		if res := newParser(t).Parse("x", files("SKILL.md", text)); !isGated(res) {
			t.Errorf("%s\nis ready: %v", text, res.Diagnostics)
		}
	}
}

// What a TOML manifest requires counts in whichever table it ended up.
func TestNoRequirementOfTOMLIsLost(t *testing.T) {
	for _, file := range []string{"SKILL.toml", "manifest.toml"} {
		for _, text := range []string{
			"[Skill]\nname = 'x'\n[Skill.requires]\nbins = ['no-such-bin']\n",
			"[[skill]]\nname = 'x'\n[skill.requires]\nbins = ['no-such-bin']\n",
			"[[skill]]\nos = ['no-such-bin']\n",
			"[skill]\nname = 'x'\n[SKILL]\nrequires = {bins = ['no-such-bin']}\n",
			"[skill]\nname = 'x'\n[[prompts]]\ncontent = 'x'\nrequires = {bins = ['no-such-bin']}\n",
			"[skill]\nname = 'x'\n[[tools]]\nname = 'x'\nrequires = {bins = ['no-such-bin']}\n",
			"[skill]\nname = 'x'\n[activation]\nkeywords = ['word']\nrequires = {bins = ['no-such-bin']}\n",
			"[skill]\nname = 'x'\n[requirs]\nbins = ['no-such-bin'\n",
			"[Skill\nrequirs = {bins = ['no-such-bin']}\n",
			"[metdata.openclaw\n",
		} {
			res := newParser(t).Parse("x", files(file, text, "SKILL.md", "---\nname: x\ndescription: d\n---\n# Body\n"))
			if !isGated(res) {
				t.Errorf("%s:\n%s\nis ready: %v", file, text, res.Diagnostics)
			}
			wantReason(t, text, res)
		}
	}
}
