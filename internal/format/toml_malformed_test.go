package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// malformedTOML are texts that are no TOML, and the line to mend.
var malformedTOML = map[string]struct {
	text string
	line int
}{
	"no value":                            {"name =", 1},
	"no equals sign":                      {"name 'x'", 1},
	"bare value":                          {"name = x", 1},
	"YAML":                                {"name: x\n", 1},
	"JSON":                                {`{"name": "x"}`, 1},
	"Markdown":                            {"# Title\n\nProse.\n", 3},
	"frontmatter":                         {"---\nname: x\n---\n", 1},
	"unclosed string":                     {"name = \"x\n", 1},
	"unclosed literal":                    {"name = 'x\n", 1},
	"unclosed long string":                {"a = 1\nb = \"\"\"x\n", 2},
	"unclosed long literal":               {"a = 1\nb = '''x\n", 2},
	"unclosed list":                       {"a = [1, 2\n", 1},
	"unclosed inline table":               {"a = {b = 1\n", 1},
	"unclosed header":                     {"[skill\nname = 'x'", 1},
	"half a header":                       {"[[tools]\nname = 'x'", 1},
	"empty header":                        {"[]\n", 1},
	"empty part of a header":              {"[a..b]\n", 1},
	"text behind a header":                {"[skill] name = 'x'", 1},
	"text behind a value":                 {"name = 'x' 'y'", 1},
	"two on a line":                       {"a = 1 b = 2", 1},
	"key twice":                           {"name = 'x'\nname = 'y'", 2},
	"table twice":                         {"[skill]\na=1\n[skill]\nb=2", 3},
	"table after key":                     {"skill = 1\n[skill]\na=1", 2},
	"list of tables after a table":        {"[tools]\na=1\n[[tools]]\nb=1", 3},
	"table after list of tables":          {"[[tools]]\na=1\n[tools]\nb=1", 3},
	"dotted key into a value":             {"a = 1\na.b = 2", 2},
	"inline table extended":               {"a = {b = 1}\n[a]\nc = 1", 2},
	"static list extended":                {"tools = []\n[[tools]]\na=1", 2},
	"bad escape":                          {`name = "\q"`, 1},
	"bad Unicode escape":                  {`name = "\uD800"`, 1},
	"short Unicode escape":                {`name = "\u12"`, 1},
	"line break in a string":              {"name = \"a\nb\"", 1},
	"control character":                   {"name = \"a\x01b\"", 1},
	"NUL":                                 {"name = \"a\x00b\"", 1},
	"not UTF-8":                           {"name = \"a\xffb\"", 1},
	"UTF-16":                              {"\xff\xfen\x00=\x001\x00", 1},
	"bad number":                          {"a = 01", 1},
	"bad underscores":                     {"a = 1__0", 1},
	"bad date":                            {"a = 2025-13-01", 1},
	"bad boolean":                         {"a = True", 1},
	"key without a name":                  {"= 1", 1},
	"key of a long string":                {"\"\"\"a\"\"\" = 1", 1},
	"comma at the end of an inline table": {"a = {b = 1,,}", 1},
	"list without commas":                 {"a = [1 2]", 1},
	"double comma":                        {"a = [1,,2]", 1},
	"single backslash path":               {`command = "C:\tools\x"`, 1},
	"a lone bracket":                      {"name = 'x'\n]", 2},
	"conflict markers":                    {"<<<<<<< HEAD\nname = 'a'\n=======\n", 1},
}

func TestMalformedTOML(t *testing.T) {
	if len(malformedTOML) < 40 {
		t.Errorf("only %d cases", len(malformedTOML))
	}
	for name, c := range malformedTOML {
		for _, file := range []string{"SKILL.toml", "manifest.toml"} {
			t.Run(name+" in "+file, func(t *testing.T) {
				res := newParser(t).Parse("folder", files(file, c.text, "SKILL.md", markdown("name: folder", "description: d")))
				if !res.Usable || res.Skill.Format != "SKILL.md" || res.Skill.Name != "folder" || len(res.Skill.Manifests) != 1 {
					t.Errorf("the next manifest is not used: %+v", res.Skill)
				}
				var lines []int
				for _, d := range res.Diagnostics {
					if d.Code == skill.TOMLInvalid && d.File == file {
						lines = append(lines, d.Line)
					}
				}
				if diff := cmp.Diff([]int{c.line}, lines); diff != "" {
					t.Errorf("lines: %s\n%v", diff, res.Diagnostics)
				}
			})
		}
	}
}

// A broken file that may hold requirements gates the skill.
func TestBrokenTOMLDoesNotOpenGates(t *testing.T) {
	for broken, want := range map[string][2]bool{ // unreadable, model disabled
		"name = \n[requires]\nbins = ['x']\n":               {true, false},
		"name = \nos = ['linux']\n":                         {true, false},
		"name = \n[metadata.openclaw]\n":                    {true, false},
		"name = \nx = { requires = {} }\n":                  {true, false},
		"name = \n\"requires\" = {}\n":                      {true, false},
		"name = \nREQUIRES = {}\n":                          {true, false},
		"name = \nopenclaw = {}\n":                          {true, false},
		"name = \npermissions = ['x']\n":                    {true, false},
		"name = \ndisallowed_tools = 'x'\n":                 {true, false},
		"name = \ndisable-model-invocation = true":          {false, true},
		"name = \ndisable_model_invocation = true":          {false, true},
		"name = \ndescription = 'runs on mac os or linux'":  {false, false},
		"name = \ndescription = 'what it requires, if any'": {false, false},
		"name = \nmacos = 1\nrequires_nothing = 1":          {false, false},
		"name = \xff": {true, false},
		"name = \x00": {true, false},
	} {
		res := newParser(t).Parse("folder", files("SKILL.toml", broken, "SKILL.md", markdown("name: folder", "description: d")))
		if got := [2]bool{res.Skill.Requires.Unreadable, res.Skill.Invocation.ModelDisabled}; got != want {
			t.Errorf("%q: %v, want %v", broken, got, want)
		}
		if want[0] {
			wantDiagnostic(t, res, skill.MetadataUnreadable, "SKILL.toml:1:", "may state requirements")
		}
	}
}

func TestTOMLBeyondLimits(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.Limits.Nodes = 20 })
	res := p.Parse("folder", files("SKILL.toml", "a = ["+strings.Repeat("1,", 50)+"]\nrequires = 1", "SKILL.md", "Do it."))
	wantDiagnostic(t, res, skill.FrontmatterTooDeep, "SKILL.toml")
	if !res.Usable || !res.Skill.Requires.Unreadable {
		t.Errorf("usable %v, unreadable %v", res.Usable, res.Skill.Requires.Unreadable)
	}
}

func TestTooLargeManifestGates(t *testing.T) {
	p := newParser(t, func(r *Rules) { r.Limits.FileBytes = 100 })
	res := p.Parse("folder", files("SKILL.toml", strings.Repeat("#", 101), "SKILL.md", "Do it."))
	wantDiagnostic(t, res, skill.FileTooLarge, "101 bytes", "limit is 100")
	if !res.Usable || !res.Skill.Requires.Unreadable {
		t.Errorf("usable %v, unreadable %v", res.Usable, res.Skill.Requires.Unreadable)
	}
}
