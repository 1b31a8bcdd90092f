package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestInstallEntries(t *testing.T) {
	hex := strings.Repeat("aB", 32)
	for entry, want := range map[string]*skill.InstallSpec{
		// Names that a program could take for something else are refused.
		"{kind: brew, formula: jq}":                        {ID: "brew-0", Kind: "brew", Package: "jq"},
		"{kind: brew, formula: user/tap/x}":                {ID: "brew-0", Kind: "brew", Package: "user/tap/x"},
		"{kind: brew, formula: python@3.12}":               {ID: "brew-0", Kind: "brew", Package: "python@3.12"},
		"{kind: brew, cask: foo}":                          {ID: "brew-0", Kind: "brew", Package: "foo"},
		"{kind: brew, package: foo}":                       {ID: "brew-0", Kind: "brew", Package: "foo"},
		"{kind: brew, formula: wget --HEAD}":               nil,
		"{kind: brew, formula: --HEAD}":                    nil,
		"{kind: brew, formula: ../x}":                      nil,
		"{kind: brew, formula: a/../x}":                    nil,
		"{kind: brew, formula: /etc/x}":                    nil,
		"{kind: brew, formula: 'a;b'}":                     nil,
		"{kind: brew, formula: [x]}":                       nil,
		"{kind: brew}":                                     nil,
		"{kind: node, package: '@s/pkg@1.2.3'}":            {ID: "node-0", Kind: "node", Package: "@s/pkg@1.2.3"},
		"{kind: node, package: a@latest}":                  {ID: "node-0", Kind: "node", Package: "a@latest"},
		"{kind: npm, package: a}":                          {ID: "node-0", Kind: "node", Package: "a"},
		"{kind: PNPM, pkg: a}":                             {ID: "node-0", Kind: "node", Package: "a"},
		"{kind: yarn, name: a}":                            {ID: "node-0", Kind: "node", Package: "a"},
		"{kind: bun, package: a}":                          {ID: "node-0", Kind: "node", Package: "a"},
		"{kind: node, package: user/repo}":                 nil,
		"{kind: node, package: 'file:../m'}":               nil,
		"{kind: node, package: 'git+https://x'}":           nil,
		"{kind: node, package: 'https://x/y'}":             nil,
		"{kind: node, package: 'npm:foo'}":                 nil,
		"{kind: node, package: ./m}":                       nil,
		"{kind: node, package: '@s/p/../q'}":               nil,
		"{kind: node, package: '@/p'}":                     nil,
		"{kind: node, package: '@-s/p'}":                   nil,
		"{kind: go, module: example.com/tool/cmd@v1.2.3}":  {ID: "go-0", Kind: "go", Package: "example.com/tool/cmd@v1.2.3"},
		"{kind: go, package: example.com/x}":               {ID: "go-0", Kind: "go", Package: "example.com/x"},
		"{kind: go, module: 'https://e/mod'}":              nil,
		"{kind: go, module: ./cmd}":                        nil,
		"{kind: uv, package: 'uvicorn[standard]==0.31.0'}": {ID: "uv-0", Kind: "uv", Package: "uvicorn[standard]==0.31.0"},
		"{kind: uv, package: 'git+https://x'}":             nil,
		"{kind: uv, package: 'foo;bar'}":                   nil,
		"{kind: uv, package: .}":                           nil,

		"{kind: download, url: 'https://e.com/t.tar.gz'}": {ID: "download-0", Kind: "download", URL: "https://e.com/t.tar.gz"},
		"{kind: download, url: 'file:///x'}":              nil,
		"{kind: download, url: 'ftp://x/y'}":              nil,
		"{kind: download, url: 'http://e.com/a b'}":       nil,
		"{kind: download, url: 'https:///x'}":             nil,
		"{kind: download}":                                nil,
		"{kind: download, url: 'https://e.com/x', sha256: " + hex + "}": {
			ID: "download-0", Kind: "download", URL: "https://e.com/x", SHA256: strings.ToLower(hex)},
		"{kind: download, url: 'https://e.com/x', sha256: zz}":               nil,
		"{kind: download, url: 'https://e.com/x', sha256: 1}":                nil,
		"{kind: download, url: 'https://e.com/x', sha256: [a]}":              nil,
		"{kind: download, url: 'https://e.com/x', sha256: g" + hex[1:] + "}": nil,
		"{kind: download, url: 'https://e.com/x.zip', archive: zip, extract: true, stripComponents: 1, targetDir: bin, bins: 'a, b', os: [linux], id: i, label: L}": {
			ID: "i", Kind: "download", URL: "https://e.com/x.zip", Archive: "zip", Extract: true, StripComponents: 1,
			TargetDir: "bin", Bins: []string{"a", "b"}, OS: []string{"linux"}, Label: skill.NewText("L")},
		"{type: Download, url: 'https://e.com/x', strip_components: 2, target_dir: d}": {
			ID: "download-0", Kind: "download", URL: "https://e.com/x", StripComponents: 2, TargetDir: "d"},
		"{kind: brew, formula: x, url: 'javascript:1'}": nil,
		"{formula: x}":               nil,
		"{kind: 'a b', package: x}":  nil,
		"{kind: [brew], formula: x}": nil,
		"text":                       nil,
		"5":                          nil,
	} {
		t.Run(entry, func(t *testing.T) {
			res := parseMarkdown(t, "metadata: {openclaw: {install: ["+entry+"]}}")
			var wanted []skill.InstallSpec
			if want != nil {
				wanted = append(wanted, *want)
				wantCodes(t, res)
			} else {
				wantCodes(t, res, skill.InstallInvalid)
				wantDiagnostic(t, res, skill.InstallInvalid, "metadata.openclaw.install[0]", "left out")
			}
			if diff := cmp.Diff(wanted, res.Skill.Installers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Kinds that cannot be run are kept with what the author says about them, as
// far as it is harmless.
func TestInstallKindsThatCannotRun(t *testing.T) {
	res := parseMarkdown(t, "metadata: {openclaw: {install: ["+
		"{kind: apt, package: jq, bins: [jq]}, {kind: shell, command: 'curl x | sh', label: L}, "+
		"{kind: cargo, package: '; rm'}, {kind: brew, formula: jq}]}}")
	want := []skill.InstallSpec{
		{ID: "apt-0", Kind: "apt", Package: "jq", Bins: []string{"jq"}},
		{ID: "shell-1", Kind: "shell", Label: skill.NewText("L")},
		{ID: "cargo-2", Kind: "cargo"},
		{ID: "brew-3", Kind: "brew", Package: "jq"},
	}
	if diff := cmp.Diff(want, res.Skill.Installers); diff != "" {
		t.Error(diff)
	}
	wantCodes(t, res, skill.InstallInvalid, skill.InstallInvalid, skill.InstallInvalid)
	wantDiagnostic(t, res, skill.InstallInvalid, "install[1]", `"shell" cannot be run`, "only brew, node, go, uv and download")
	if extra := res.Skill.Extra; len(extra) != 1 || extra[0].Key != "metadata.openclaw.install[1].command" {
		t.Errorf("extra = %v", extra)
	}
}

func TestInstallShapes(t *testing.T) {
	for line, want := range map[string]struct {
		n     int
		codes []skill.Code
	}{
		"metadata: {openclaw: {install: {kind: brew, formula: x}}}": {1, nil},
		"metadata: {openclaw: {install: []}}":                       {0, nil},
		"metadata: {openclaw: {install: npm i -g x}}":               {0, []skill.Code{skill.InstallInvalid}},
		"metadata: {openclaw: {install: [{kind: download, url: 'https://e.com', extract: 'yes', stripComponents: x}]}}": {
			1, []skill.Code{skill.ValueInvalid, skill.ValueInvalid}},
		"install: [{kind: brew, formula: x}]": {1, []skill.Code{skill.KeyMisplaced}},
	} {
		res := parseMarkdown(t, line)
		if got := len(res.Skill.Installers); got != want.n {
			t.Errorf("%s: %d entries", line, got)
		}
		wantCodes(t, res, want.codes...)
	}
}
