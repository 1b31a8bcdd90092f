package knack_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// seedRoots is where each host finds what lies in a workspace.
var seedRoots = map[string]string{
	"openclaw": "skills", "rantaiclaw": "skills", "ironclaw": "skills", "clawseed": ".clawseed/skills",
}

// seedFiles are the files of testdata/seeds.txtar by path.
func seedFiles(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/seeds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	name := ""
	for line := range strings.Lines(string(data)) {
		if head, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(head, " --\n")
			continue
		}
		if name != "" {
			files[name] += line
		}
	}
	return files
}

// Each document's own examples load as the document's system and natively, with
// everything that the example says, gates included.
func TestDocumentedExamplesLoad(t *testing.T) {
	files := seedFiles(t)
	type want struct {
		host, name string
		requires   skill.Requirements
		reasons    []skill.Code // on a machine that has nothing
		check      func(s *skill.Skill) bool
	}
	for _, w := range []want{
		{host: "openclaw", name: "my-skill",
			requires: skill.Requirements{OS: []string{"darwin", "linux"}, Bins: []string{"my-binary"}, AnyBins: []string{"alt-binary-a", "alt-binary-b"},
				Env: []string{"MY_API_KEY"}, Config: []string{"browser.enabled"}, PrimaryEnv: "MY_API_KEY"},
			reasons: []skill.Code{skill.ReasonBin, skill.ReasonAnyBin, skill.ReasonEnv, skill.ReasonConfig},
			check: func(s *skill.Skill) bool {
				return s.Emoji == "🔧" && s.Homepage == "https://example.com" && len(s.Installers) == 2 && !s.Invocation.UserDisabled &&
					s.Dispatch == skill.Dispatch{Kind: "tool", Tool: "exec", ArgMode: "raw"}
			}},
		{host: "openclaw", name: "nano-banana-pro",
			requires: skill.Requirements{Bins: []string{"uv"}, Env: []string{"GEMINI_API_KEY"}, Config: []string{"browser.enabled"}, PrimaryEnv: "GEMINI_API_KEY"},
			reasons:  []skill.Code{skill.ReasonBin, skill.ReasonEnv, skill.ReasonConfig}},
		{host: "openclaw", name: "gemini", requires: skill.Requirements{Bins: []string{"gemini"}}, reasons: []skill.Code{skill.ReasonBin},
			check: func(s *skill.Skill) bool {
				return s.Emoji == "♊️" && len(s.Installers) == 1 && s.Installers[0].ID == "brew"
			}},
		{host: "rantaiclaw", name: "deploy-checker",
			check: func(s *skill.Skill) bool {
				return len(s.Tools) == 2 && len(s.Prompts) == 1 && len(s.Recipes) == 2 && s.Author == "Your Name" && len(s.Tags) == 2 && s.Version == "0.1.0"
			}},
		{host: "clawseed", name: "auto-coder",
			check: func(s *skill.Skill) bool {
				return s.Version == "0.3.0" && s.Author == "your-name" && s.Category == "coding" && s.License == "MIT" &&
					len(s.Permissions) == 3 && len(s.Triggers) == 3 && s.Tags[0] == "Official"
			}},
		{host: "ironclaw", name: "writing-assistant",
			requires: skill.Requirements{Bins: []string{"vale"}, Env: []string{"VALE_CONFIG"}, Config: []string{"/etc/vale.ini"}},
			reasons:  []skill.Code{skill.ReasonBin, skill.ReasonEnv, skill.ReasonConfig},
			check: func(s *skill.Skill) bool {
				return s.Version == "1.0.0" && len(s.Activation.Keywords) == 3 && len(s.Activation.Patterns) == 1 &&
					len(s.Activation.Tags) == 2 && s.Activation.MaxContextTokens == 2000
			}},
		{host: "ironclaw", name: "my-skill", check: func(s *skill.Skill) bool { return len(s.Activation.Keywords) == 2 }},
		{host: "ironclaw", name: "deployment-helper",
			requires: skill.Requirements{Bins: []string{"kubectl", "helm"}, Env: []string{"KUBECONFIG"}},
			reasons:  []skill.Code{skill.ReasonBin, skill.ReasonBin, skill.ReasonEnv},
			check: func(s *skill.Skill) bool {
				return len(s.Activation.Patterns) == 2 && s.Activation.MaxContextTokens == 3000
			}},
		{host: "ironclaw", name: "custom-skill"},
	} {
		for _, host := range []string{w.host, "knack"} {
			t.Run(w.host+"/"+w.name+" as "+host, func(t *testing.T) {
				m := newMachine(t)
				root := seedRoots[w.host]
				if host == "knack" {
					root = "skills"
				}
				for name, text := range files {
					if rest, ok := strings.CutPrefix(name, w.host+"/"+w.name+"/"); ok {
						if strings.HasPrefix(text, "---") && strings.HasSuffix(text, "---\n") {
							text += "\nInstructions.\n" // the document shows the head alone
						}
						m.write(path.Join(root, w.name, rest), text)
					}
				}
				engine := m.open(func(o *knack.Options) {
					o.Host = host
					o.Environ = []string{"PATH=" + filepath.Join(m.home, "nowhere")}
					o.Settings = map[string]string{"browser.enabled": "false"}
				})
				snap, err := engine.Snapshot(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				e, err := snap.Find(w.name)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(w.requires, e.Requires); diff != "" {
					t.Errorf("requirements -want +got:\n%s", diff)
				}
				var reasons []skill.Code
				for _, r := range e.Reasons {
					reasons = append(reasons, r.Code)
				}
				if diff := cmp.Diff(w.reasons, reasons); diff != "" {
					t.Errorf("reasons -want +got:\n%s", diff)
				}
				full, err := engine.Load(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				if w.check != nil && !w.check(&full.Skill) {
					t.Errorf("not all that the example says was read: %+v", full.Skill)
				}
			})
		}
	}
}
