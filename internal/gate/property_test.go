package gate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// some draws a few words of a vocabulary that linux() partly answers for.
func some(words ...string) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(words), 0, 3)
}

func requirements() *rapid.Generator[skill.Requirements] {
	return rapid.Custom(func(t *rapid.T) skill.Requirements {
		return skill.Requirements{
			OS:         some("linux", "macos", "").Draw(t, "os"),
			Bins:       some("git", "gh", "").Draw(t, "bins"),
			AnyBins:    some("git", "rg").Draw(t, "anyBins"),
			Env:        some("TOKEN", "KEY", "BLANK").Draw(t, "env"),
			Config:     some("browser.enabled", "x", "~/.valerc", "/y").Draw(t, "config"),
			PrimaryEnv: rapid.SampledFrom([]string{"", "KEY"}).Draw(t, "primaryEnv"),
			Always:     rapid.Bool().Draw(t, "always"),
			Unreadable: rapid.Bool().Draw(t, "unreadable"),
		}
	})
}

// A skill that asks for more is never let in because of it.
func TestRequirementsOnlyShut(t *testing.T) {
	c := checker(t, native)
	rapid.Check(t, func(t *rapid.T) {
		less := requirements().Draw(t, "requirements")
		given := Supplied{APIKey: rapid.Bool().Draw(t, "apiKey")}
		more := less
		word := rapid.String().Draw(t, "word")
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			more.Bins = append(slices.Clone(less.Bins), word)
		case 1:
			more.Env = append(slices.Clone(less.Env), word)
		case 2:
			more.Config = append(slices.Clone(less.Config), word)
		case 3:
			more.Unreadable = true
		case 4: // the first of alternatives shuts, the others open
			if len(less.OS) == 0 {
				more.OS = []string{word}
			}
		case 5:
			if len(less.AnyBins) == 0 {
				more.AnyBins = []string{word}
			}
		}
		before := c.Check(&skill.Skill{Name: "s", Requires: less}, given, linux())
		after := c.Check(&skill.Skill{Name: "s", Requires: more}, given, linux())
		if len(before) > 0 && len(after) == 0 {
			t.Fatalf("%+v is gated, %+v is not", less, more)
		}
		if more.Unreadable && (len(after) == 0 || after[0].Code != skill.ReasonUnknown) {
			t.Fatalf("unreadable requirements passed: %+v", after)
		}
		order := []skill.Code{skill.ReasonUnknown, skill.ReasonOS, skill.ReasonBin, skill.ReasonAnyBin, skill.ReasonEnv, skill.ReasonConfig}
		if !slices.IsSortedFunc(after, func(a, b skill.Reason) int {
			return slices.Index(order, a.Code) - slices.Index(order, b.Code)
		}) {
			t.Fatalf("reasons out of order: %+v", after)
		}
	})
}

// Whatever else the rules say, a system that is not this one in any spelling
// gets in by the exact name only, and always: true opens nothing where it is
// ignored that it does not open elsewhere.
func TestStricterRulesOnlyShut(t *testing.T) {
	systems := []string{"linux", "macos", "darwin", "Linux", "windows", "win32", "WIN32", " linux", "lin", ""}
	rapid.Check(t, func(t *rapid.T) {
		rules := native
		rules.Config = rapid.SampledFrom([]string{"auto", "file", "key"}).Draw(t, "config")
		rules.Env = rapid.SampledFrom([][]string{{"process"}, {"config"}, {"process", "config"}, nil}).Draw(t, "sources")
		rules.EnvBlank = rapid.Bool().Draw(t, "blank")
		rules.OSAliases = rapid.MapOf(rapid.SampledFrom(systems), rapid.SampledFrom(systems)).Draw(t, "aliases")
		rules.OSNames = rapid.MapOf(rapid.SampledFrom([]string{"linux", "darwin", "windows"}), rapid.SampledFrom(systems)).Draw(t, "names")
		rules.Says = rapid.MapOf(rapid.SampledFrom([]string{"os", "bins", "env"}), rapid.SampledFrom([]string{"{name}", "x", ""})).Draw(t, "says")
		env := linux()
		env.OS = rapid.SampledFrom([]string{"linux", "darwin", "windows"}).Draw(t, "goos")
		s := skill.Skill{Name: "s", Requires: requirements().Draw(t, "requirements")}
		s.Requires.OS = some(systems...).Draw(t, "listed")
		given := Supplied{APIKey: rapid.Bool().Draw(t, "apiKey")}
		check := func(os, always string) []skill.Reason {
			rules.OS, rules.Always = os, always
			c, err := New(rules)
			if err != nil {
				t.Fatal(err)
			}
			return c.Check(&s, given, env)
		}
		refused := func(reasons []skill.Reason) bool {
			return slices.ContainsFunc(reasons, func(r skill.Reason) bool { return r.Code == skill.ReasonOS })
		}
		here, named := rules.OSNames[env.OS]
		if !named {
			here = env.OS
		}
		always := rapid.SampledFrom([]string{"bypass", "ignore"}).Draw(t, "always")
		folded, exact, anyCase := check("folded", "bypass"), check("exact", always), check("any-case", always)
		listed := slices.Contains(s.Requires.OS, here)
		if refused(folded) && !refused(exact) && !listed {
			t.Fatalf("%q on %s, called %q: refused folded, admitted exact", s.Requires.OS, env.OS, here)
		}
		if len(s.Requires.OS) > 0 && refused(exact) == listed {
			t.Fatalf("%q on %s, called %q: exact gives %v", s.Requires.OS, env.OS, here, exact)
		}
		if !refused(exact) && refused(anyCase) {
			t.Fatalf("%q on %s, called %q: admitted exact, refused in any case", s.Requires.OS, env.OS, here)
		}
		os := rapid.SampledFrom([]string{"folded", "exact", "any-case"}).Draw(t, "os")
		bypass, ignore := check(os, "bypass"), check(os, "ignore")
		if len(ignore) == 0 && len(bypass) > 0 {
			t.Fatalf("%+v: ignoring always admits what it does not bypass: %v", s.Requires, bypass)
		}
		if !s.Requires.Always && len(ignore) != len(bypass) {
			t.Fatalf("%+v: %d reasons with bypass, %d with ignore", s.Requires, len(bypass), len(ignore))
		}
	})
}

// Whatever a skill calls its packages, programs, keys and variables, what is
// shown as a command consists of harmless words, and nothing steers a terminal,
// whether Knack words the message or the host.
func TestHintsAreSafeToPaste(t *testing.T) {
	harmless := regexp.MustCompile(`^(brew install|npm install -g|go install|uv tool install|download) [A-Za-z0-9@][A-Za-z0-9@._/+:%~=-]*$`)
	spoken := native
	spoken.Says = map[string]string{"bins": "no {name}", "env": "no {name}", "config": "no {name}"}
	checkers := []*Checker{checker(t, native), checker(t, spoken)}
	text := rapid.OneOf(
		rapid.StringMatching(`[-a-z0-9@./ ;|$()'"\n\\]{0,12}`),
		rapid.StringMatching(`https://[a-z@:/;|$]{1,9}`),
		rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		spec := skill.InstallSpec{
			Kind:    rapid.SampledFrom([]string{"brew", "node", "npm", "go", "uv", "download", "pip"}).Draw(t, "kind"),
			Package: text.Draw(t, "package"), URL: text.Draw(t, "url"), Bins: []string{"gh"},
		}
		s := skill.Skill{
			Name: text.Draw(t, "name"), Installers: []skill.InstallSpec{spec},
			Requires: skill.Requirements{Bins: []string{"gh"}, Env: []string{text.Draw(t, "env")}, Config: []string{text.Draw(t, "config")}},
		}
		for _, r := range rapid.SampledFrom(checkers).Draw(t, "checker").Check(&s, Supplied{}, linux()) {
			switch {
			case strings.ContainsFunc(r.Message+r.Hint, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }):
				t.Fatalf("control character in %+q", r)
			case r.Code == skill.ReasonBin && r.Hint != "install gh and make sure it is on your PATH" && !harmless.MatchString(r.Hint):
				t.Fatalf("not safe to paste: %q", r.Hint)
			case strings.Contains(r.Hint, "knack config set ") && !oneWord(r.Hint):
				t.Fatalf("the key is more than one word of a shell: %q", r.Hint)
			}
		}
	})
}

// oneWord reports whether the key of a "knack config set KEY VALUE" hint ends
// where the shell thinks it ends: outside of single quotes there is nothing
// but harmless characters and escaped single quotes.
func oneWord(hint string) bool {
	_, key, _ := strings.Cut(hint, "knack config set ")
	key = strings.TrimSuffix(strings.TrimSuffix(key, " true"), " VALUE")
	key = strings.TrimPrefix(key, "-- ") // what follows is no option
	quoted := false
	for i := 0; i < len(key); i++ {
		switch {
		case key[i] == '\'':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(key[i:], `\'`):
			i++
		case !regexp.MustCompile(`[A-Za-z0-9._-]`).MatchString(key[i : i+1]):
			return false
		}
	}
	return !quoted
}
