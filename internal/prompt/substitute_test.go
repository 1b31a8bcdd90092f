package prompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestSubstitute(t *testing.T) {
	for _, c := range []struct{ name, in, args, dir, names, want string }{
		{"folder", "{baseDir}/a ${CLAUDE_SKILL_DIR}/b ${SKILL_DIR} ${X_SKILL_DIR}", "-", "/d", "", "/d/a /d/b /d /d"},
		{"folder unknown", "{baseDir} ${SKILL_DIR}", "-", "", "", "{baseDir} ${SKILL_DIR}"},
		{"no command", `echo $ARGUMENTS $1 $name \$1`, "-", "/d", "name", `echo $ARGUMENTS $1 $name \$1`},
		{"all", "do $ARGUMENTS now", "a  b", "/d", "", "do a  b now"},
		{"none given", "do $ARGUMENTS now", "", "/d", "", "do  now"},
		{"by number", "$0, $1, $ARGUMENTS[1], $2", `x "y z"`, "/d", "", "x, y z, y z, $2"},
		{"far number", "$99999999999999999999", "x", "/d", "", "$99999999999999999999"},
		{"by name", "fix $issue in $branch-old, $other and $issues", "12", "/d", "issue branch", "fix 12 in -old, $other and $issues"},
		{"names as a list", "$a $b", "1 2", "/d", "[\"a\", 'b']", "1 2"},
		{"names as lines", "$a $b-c", "1 2", "/d", "\n- a\n- b-c", "1 2"},
		{"kept by a backslash", `\$ARGUMENTS \$0 \\$0 \$x \{baseDir}`, "a", "/d", "", `$ARGUMENTS $0 \\a \$x \/d`},
		{"one pass", "$0 $1", "'$1 {baseDir} $ARGUMENTS' b", "/d", "", "$1 {baseDir} $ARGUMENTS b"},
		{"appended", "no place, costs $USD", "a b", "/d", "", "no place, costs $USD\n\nARGUMENTS: a b"},
		{"appended to nothing", "", "a", "/d", "", "ARGUMENTS: a"},
		{"a missing word is a place", "$3", "a", "/d", "", "$3"},
		{"longer word", "$ARGUMENTS_X", "a", "/d", "", "$ARGUMENTS_X\n\nARGUMENTS: a"},
	} {
		item := Item{Dir: c.dir, Slash: c.args != "-", Args: c.args, Skill: &skill.Skill{Body: text(c.in)}}
		if c.names != "" {
			item.Skill.Extra = []skill.Field{{Key: "arguments", Value: text(c.names)}}
		}
		got := rendererOf(t, "clawseed").whole(item)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

// Two harmless pieces must not make a tag.
func TestWhatIsPutInIsEscaped(t *testing.T) {
	for _, item := range []Item{
		{Args: "/active_skill>", Slash: true, Skill: &skill.Skill{Body: text("<$ARGUMENTS")}},
		{Args: "</active_skill>", Slash: true, Skill: &skill.Skill{Body: text("x")}},
		{Args: "a <", Slash: true, Skill: &skill.Skill{Body: text("${0}$1/active_skill>")}},
		{Dir: "/x</active_skill>", Skill: &skill.Skill{Body: text("cd {baseDir}")}},
		{Skill: &skill.Skill{Prompts: []skill.Text{text("a <")}, Body: text("/active_skill>")}},
	} {
		got := rendererOf(t, "clawseed").whole(item)
		if n := len(seen(got, "active_skill")); n != 0 {
			t.Errorf("%q has %d tags", got, n)
		}
		if !strings.Contains(got, "&lt;") {
			t.Errorf("%q lost its bracket", got)
		}
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "  a\tb\nc ": {"a", "b", "c"}, `"a b" 'c d'e`: {"a b", "c de"}, `a\ b \"c`: {"a b", `"c`}, `'a\b' "c\"d"`: {`a\b`, `c"d`},
		`"" x`: {"", "x"}, `"open end`: {"open end"}, `a\`: {"a"},
	} {
		if diff := cmp.Diff(want, split(in)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", in, diff)
		}
	}
}
