package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestInstallHints(t *testing.T) {
	needsGH := skill.Requirements{Bins: []string{"gh"}}
	fallback := "install gh and make sure it is on your PATH"
	for name, c := range map[string]struct {
		requires   skill.Requirements
		installers []skill.InstallSpec
		recipes    []skill.InstallSpec
		want       string
	}{
		"no installer":    {want: fallback},
		"brew":            {installers: []skill.InstallSpec{{Kind: "brew", Package: "user/tap/gh", Bins: []string{"gh"}}}, want: "brew install user/tap/gh"},
		"node":            {installers: []skill.InstallSpec{{Kind: "node", Package: "@scope/gh@1.2.3", Bins: []string{"gh"}}}, want: "npm install -g @scope/gh@1.2.3"},
		"npm recipe":      {recipes: []skill.InstallSpec{{Kind: "npm", Package: "gh", Bins: []string{"gh"}}}, want: "npm install -g gh"},
		"go":              {installers: []skill.InstallSpec{{Kind: "go", Package: "example.com/cmd/gh", Bins: []string{"gh"}}}, want: "go install example.com/cmd/gh@latest"},
		"go with version": {installers: []skill.InstallSpec{{Kind: "go", Package: "example.com/gh@v1.0.0", Bins: []string{"gh"}}}, want: "go install example.com/gh@v1.0.0"},
		"uv":              {installers: []skill.InstallSpec{{Kind: "UV", Package: "gh", Bins: []string{"gh"}}}, want: "uv tool install gh"},
		"download":        {installers: []skill.InstallSpec{{Kind: "download", URL: "https://example.com/gh@1/gh.tgz", Bins: []string{"gh"}}}, want: "download https://example.com/gh@1/gh.tgz"},
		"unknown kind":    {installers: []skill.InstallSpec{{Kind: "curl", Package: "gh", Bins: []string{"gh"}}}, want: fallback},

		"the program for it is here":  {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh", Bins: []string{"gh"}}, {Kind: "node", Package: "gh-cli", Bins: []string{"gh"}}}, want: "npm install -g gh-cli"},
		"none of the programs is":     {installers: []skill.InstallSpec{{Kind: "uv", Package: "gh", Bins: []string{"gh"}}, {Kind: "brew", Package: "gh", Bins: []string{"gh"}}}, want: "uv tool install gh"},
		"unsafe one is passed over":   {installers: []skill.InstallSpec{{Kind: "node", Package: "gh; rm", Bins: []string{"gh"}}, {Kind: "brew", Package: "gh", Bins: []string{"gh"}}}, want: "brew install gh"},
		"for another system":          {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh", Bins: []string{"gh"}, OS: []string{"macos"}}}, want: fallback},
		"for this system":             {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh", Bins: []string{"gh"}, OS: []string{"Linux"}}}, want: "brew install gh"},
		"brings another program":      {installers: []skill.InstallSpec{{Kind: "brew", Package: "jq", Bins: []string{"jq"}}}, want: fallback},
		"the only one need not say":   {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh"}}, want: "brew install gh"},
		"the only one here":           {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh"}, {Kind: "brew", Package: "x", OS: []string{"darwin"}}}, want: "brew install gh"},
		"of two each has to say":      {installers: []skill.InstallSpec{{Kind: "brew", Package: "gh"}}, recipes: []skill.InstallSpec{{Kind: "brew", Package: "jq"}}, want: fallback},
		"alternatives":                {requires: skill.Requirements{AnyBins: []string{"ag", "rg"}}, installers: []skill.InstallSpec{{Kind: "brew", Package: "ripgrep", Bins: []string{"rg"}}}, want: "brew install ripgrep"},
		"alternatives, no installer":  {requires: skill.Requirements{AnyBins: []string{"ag", "rg"}}, want: "install one of them and make sure it is on your PATH"},
		"alternatives, one to choose": {requires: skill.Requirements{AnyBins: []string{"gh"}}, want: fallback},
	} {
		s := skill.Skill{Requires: c.requires, Installers: c.installers, Recipes: c.recipes}
		if len(s.Requires.AnyBins) == 0 {
			s.Requires = needsGH
		}
		reasons := checker(t, native).Check(&s, Supplied{}, linux())
		if len(reasons) != 1 || reasons[0].Hint != c.want {
			t.Errorf("%s: got %+v, want hint %q", name, reasons, c.want)
		}
	}
}

func TestUnsafePackagesAreNotShown(t *testing.T) {
	for kind, packages := range map[string][]string{
		"brew": {"--HEAD", "-x", "gh --HEAD", "gh;id", "$(id)", "`id`", "gh\nid", "gh|sh", "../gh", "/tmp/gh", "./gh", "a/../../b", "gh'", `"gh"`, "", " ", "gh&", "gh>x", "gh\u202e", "gh*", "~gh"},
		"node": {"file:../x", "git+https://example.com/x", "https://example.com/x.tgz", "npm:x"},
		"uv":   {"git+https://example.com", "x;y", "x==1;python_version"},
		"go":   {"https://example.com/x", "-exec=sh", ""},
	} {
		for _, text := range packages {
			if _, command := installCommand(skill.InstallSpec{Kind: kind, Package: text}); command != "" {
				t.Errorf("%s %q: shown as %q", kind, text, command)
			}
		}
	}
	for _, text := range []string{
		"http://example.com/x", "https://example.com@evil.test/x", "https://user:pw@evil.test/x", "https://example.com/$(id)",
		"https://example.com/a b", "https://example.com/x;id", "https://example.com/x|sh", "file:///etc/passwd", "https:///x", "https://", "",
	} {
		if _, command := installCommand(skill.InstallSpec{Kind: "download", URL: text}); command != "" {
			t.Errorf("download %q: shown as %q", text, command)
		}
	}
}

func TestHints(t *testing.T) {
	windows := linux()
	windows.OS = "windows"
	for name, c := range map[string]struct {
		skill skill.Skill
		env   *Environment
		want  []string
	}{
		"unreadable":    {skill: skill.Skill{Name: "it's", Requires: skill.Requirements{Unreadable: true}}, want: []string{`knack show 'it'\''s' tells which line to mend`}},
		"system":        {skill: skill.Skill{Requires: skill.Requirements{OS: []string{"macos", "win32"}}}, want: []string{"use it on a machine with macOS or Windows"}},
		"variable":      {skill: skill.Skill{Name: "gemini-cli", Requires: skill.Requirements{Env: []string{"KEY"}}}, want: []string{"export KEY=…, or knack config set skills.entries.gemini-cli.env.KEY VALUE"}},
		"primary":       {skill: skill.Skill{Name: "x", Requires: skill.Requirements{Env: []string{"KEY"}, PrimaryEnv: "KEY", SkillKey: "gemini"}}, want: []string{"export KEY=…, or knack config set skills.entries.gemini.api_key VALUE"}},
		"on Windows":    {skill: skill.Skill{Name: "x", Requires: skill.Requirements{Env: []string{"KEY"}}}, env: windows, want: []string{"set KEY=…, or knack config set skills.entries.x.env.KEY VALUE"}},
		"quoted key":    {skill: skill.Skill{Name: "My. Skill", Requires: skill.Requirements{Env: []string{"KEY"}}}, want: []string{`export KEY=…, or knack config set 'skills.entries."My. Skill".env.KEY' VALUE`}},
		"hostile key":   {skill: skill.Skill{Name: "a';id;'\x07", Requires: skill.Requirements{Env: []string{"KEY"}}}, want: []string{`export KEY=…, or knack config set 'skills.entries."a'\'';id;'\''\u0007".env.KEY' VALUE`}},
		"no variable":   {skill: skill.Skill{Name: "x", Requires: skill.Requirements{Env: []string{"KEY=1;id"}}}, want: []string{"no variable can have this name; the skill's author has to mend requires.env"}},
		"configuration": {skill: skill.Skill{Requires: skill.Requirements{Config: []string{".browser..on.", "a $(id)", "~/f\x1b", "~"}}}, want: []string{"knack config set browser.on true", `knack config set '"a $(id)"' true`, "create the file /home/u/f", "create the file /home/u"}},
	} {
		env := c.env
		if env == nil {
			env = linux()
		}
		var got []string
		for _, r := range checker(t, native).Check(&c.skill, Supplied{}, env) {
			got = append(got, r.Hint)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}
