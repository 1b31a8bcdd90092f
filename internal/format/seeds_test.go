package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

// The examples that the five systems' own documents give, each with all that it
// says. What the documents promise must find its place.

func TestDocumentedSkillTOML(t *testing.T) {
	res := newParser(t).Parse("deploy-checker", files("SKILL.toml", `name = "deploy-checker"
description = "Validates deployment readiness before release."

# Optional metadata
version = "0.1.0"
author = "Your Name"
tags = ["devops", "release"]

[[tools]]
name = "run_checks"
description = "Run the pre-deploy validator script"
kind = "shell"
command = "./scripts/pre-deploy.sh"

[[tools]]
name = "check_url"
description = "Check that a URL returns 200"
kind = "http"
method = "GET"
url = "https://my-app.example.com/health"

[[prompts]]
content = """
- Always run pre-deploy checks before approving a release
- If checks pass, summarize the deployment plan in 3 bullets
"""

[[install_recipes]]
kind = "brew"
package = "jq"

[[install_recipes]]
kind = "npm"
package = "wrangler"

[[match]]
pattern = "deploy"
`))
	want := skill.Skill{
		Name: "deploy-checker", Slug: "deploy-checker", Version: "0.1.0", Author: "Your Name",
		Description: skill.NewText("Validates deployment readiness before release."),
		Tags:        []string{"devops", "release"},
		Tools: []skill.ToolDecl{
			{Name: "run_checks", Kind: "shell", Command: "./scripts/pre-deploy.sh",
				Description: skill.NewText("Run the pre-deploy validator script")},
			{Name: "check_url", Kind: "http", Method: "GET", URL: "https://my-app.example.com/health",
				Description: skill.NewText("Check that a URL returns 200")},
		},
		Prompts: []skill.Text{skill.NewText("- Always run pre-deploy checks before approving a release\n" +
			"- If checks pass, summarize the deployment plan in 3 bullets\n")},
		Recipes: []skill.InstallSpec{
			{ID: "brew-0", Kind: "brew", Package: "jq"},
			{ID: "node-1", Kind: "node", Package: "wrangler"},
		},
		Extra: []skill.Field{{Key: "match", Value: skill.NewText(`[{"pattern": "deploy"}]`), File: "SKILL.toml", Line: 36}},
	}
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res, skill.KeyIgnored)
	if res.Skill.Tokens == 0 {
		t.Error("its prompt costs no tokens")
	}
}

func TestDocumentedManifestTOML(t *testing.T) {
	manifest := `[skill]
name = "auto-coder"
version = "0.3.0"
author = "your-name"
description = "Autonomous code generation agent. Reads context, writes code, runs tests."
category = "coding"
tags = ["Official", "Featured"]
license = "MIT"
permissions = ["file_read", "file_write", "shell_exec"]
triggers = ["write code", "implement feature", "make code changes"]
`
	head := `---
name: auto-coder
description: "Autonomous code generation agent..."
version: 0.3.0
tags: [coding, official]
permissions: [file_read, file_write, shell_exec]
triggers: [write code, implement feature]
---

# Auto Coder

You are an autonomous coding agent.
`
	want := skill.Skill{
		Name: "auto-coder", Slug: "auto-coder", Version: "0.3.0", Author: "your-name", Category: "coding", License: "MIT",
		Description: skill.NewText("Autonomous code generation agent. Reads context, writes code, runs tests."),
		Tags:        []string{"Official", "Featured"},
		Permissions: []string{"file_read", "file_write", "shell_exec"},
		Triggers:    []string{"write code", "implement feature", "make code changes"},
	}
	res := newParser(t).Parse("auto-coder", files("manifest.toml", manifest, "SKILL.md", head))
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res, skill.ManifestConflict)
	wantDiagnostic(t, res, skill.ManifestConflict, "description", "manifest.toml:5 says")

	// The frontmatter alone says the same in its own words.
	res = newParser(t).Parse("auto-coder", files("SKILL.md", head))
	want.Author, want.Category, want.License = "", "", ""
	want.Description = skill.NewText("Autonomous code generation agent...")
	want.Tags, want.Triggers = []string{"coding", "official"}, []string{"write code", "implement feature"}
	if diff := cmp.Diff(want, res.Skill, ignoreOrigin); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCodes(t, res)

	// Tools in it are deprecated: said, and not loaded.
	res = newParser(t).Parse("auto-coder", files("manifest.toml", manifest+"\n[[tools]]\nname = 'x'\nkind = 'shell'\ncommand = 'ls'\n"))
	wantDiagnostic(t, res, skill.ToolsDeprecated, "manifest.toml:12", "[[tools]]", "deprecated and ignored", "permissions")
	if len(res.Skill.Tools) != 0 {
		t.Errorf("tools = %v", res.Skill.Tools)
	}
}

func TestDocumentedActivation(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want skill.Skill
	}{
		"writing-assistant": {`---
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
      bins: ["vale"]              # Required binaries
      env: ["VALE_CONFIG"]        # Required env vars
      config: ["/etc/vale.ini"]   # Required files
---

# Skill Prompt

You are a professional writing assistant.
`, skill.Skill{
			Version: "1.0.0", Description: skill.NewText("Professional writing and editing"),
			Activation: skill.Activation{
				Keywords: []string{"write", "edit", "proofread"}, Tags: []string{"writing", "editing"},
				Patterns: []string{`(?i)\b(write|draft)\b.*\b(email|letter)\b`}, MaxContextTokens: 2000,
			},
			Requires: skill.Requirements{Bins: []string{"vale"}, Env: []string{"VALE_CONFIG"}, Config: []string{"/etc/vale.ini"}},
		}},
		"deployment-helper": {`---
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

## Tools

Use ` + "`Bash`" + ` to run kubectl/helm commands when needed.
`, skill.Skill{
			Version: "1.2.0", Description: skill.NewText("Deployment planning and execution"),
			Activation: skill.Activation{
				Keywords: []string{"deploy", "release", "ship"}, Tags: []string{"devops", "deployment"},
				Patterns:         []string{`(?i)\bdeploy\b.*\b(production|staging)\b`, `(?i)\brelease\b.*\bv?\d+`},
				MaxContextTokens: 3000,
			},
			Requires: skill.Requirements{Bins: []string{"kubectl", "helm"}, Env: []string{"KUBECONFIG"}},
		}},
		"my-skill": {"---\nname: my-skill\ndescription: A simple skill\nactivation:\n  keywords: [\"help\", \"assist\"]\n---\n\nYou are a helpful assistant.\n",
			skill.Skill{Description: skill.NewText("A simple skill"), Activation: skill.Activation{Keywords: []string{"help", "assist"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			res := newParser(t).Parse(name, files("SKILL.md", c.text))
			c.want.Name, c.want.Slug = name, name
			if diff := cmp.Diff(c.want, res.Skill, ignoreOrigin); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			wantCodes(t, res)
		})
	}
}
