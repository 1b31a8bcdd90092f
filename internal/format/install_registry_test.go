package format

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/json5"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// installFields is an install spec in the words of the goldens. The id is left
// out where it only repeats kind and index.
func installFields(spec skill.InstallSpec, index int) map[string]any {
	fields := map[string]any{"kind": spec.Kind}
	put := func(key string, value any, has bool) {
		if has {
			fields[key] = value
		}
	}
	list := func(words []string) (out []any) {
		for _, word := range words {
			out = append(out, word)
		}
		return out
	}
	key := map[string]string{"brew": "formula", "go": "module"}[spec.Kind]
	if key == "" {
		key = "package"
	}
	put(key, spec.Package, spec.Package != "")
	put("id", spec.ID, spec.ID != spec.Kind+"-"+strconv.Itoa(index))
	put("label", spec.Label.Raw(), !spec.Label.IsZero())
	put("bins", list(spec.Bins), len(spec.Bins) > 0)
	put("os", list(spec.OS), len(spec.OS) > 0)
	put("url", spec.URL, spec.URL != "")
	put("sha256", spec.SHA256, spec.SHA256 != "")
	put("archive", spec.Archive, spec.Archive != "")
	put("extract", spec.Extract, spec.Extract)
	put("stripComponents", float64(spec.StripComponents), spec.StripComponents != 0)
	put("targetDir", spec.TargetDir, spec.TargetDir != "")
	return fields
}

func jsonTree(t testing.TB, text []byte) *tree.Node {
	t.Helper()
	n, err := json5.Parse(text, 1, tree.Limits{Depth: 32, Nodes: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRegistryInstallGolden(t *testing.T) {
	var cases []struct {
		Input  json.RawMessage
		Output map[string]any
	}
	readGolden(t, "openclaw/install-spec-cases.json", &cases)
	for i, tt := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			var got map[string]any
			if spec, ok := registryInstall(jsonTree(t, tt.Input), i); ok {
				got = installFields(spec, i)
			}
			if diff := cmp.Diff(tt.Output, got); diff != "" {
				t.Errorf("%s\n%s", bytes.TrimSpace(tt.Input), diff)
			}
		})
	}
}

func TestRegistryInstall(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"kind in any case, with blanks", `{kind: ' Brew ', formula: 'x'}`, `{"kind":"brew","formula":"x"}`},
		{"type stands in for kind", `{type: 'UV', package: 'x'}`, `{"kind":"uv","package":"x"}`},
		{"type stands in for a kind that is no text", `{kind: 1, type: 'go', module: 'a.b/c'}`, `{"kind":"go","module":"a.b/c"}`},
		{"a kind that is text is not replaced", `{kind: '', type: 'go', module: 'a.b/c'}`, `null`},
		{"other names of a kind are none", `{kind: 'npm', package: 'x'}`, `null`},
		{"formula before cask", `{kind: 'brew', formula: 'a', cask: 'b'}`, `{"kind":"brew","formula":"a"}`},
		{"cask for a formula that is none", `{kind: 'brew', formula: '--x', cask: 'b'}`, `{"kind":"brew","formula":"b"}`},
		{"brew takes no package", `{kind: 'brew', package: 'a'}`, `null`},
		{"go takes no package", `{kind: 'go', package: 'a.b/c'}`, `null`},
		{"go module in two versions", `{kind: 'go', module: 'a.b/c@v1@v2'}`, `null`},
		{"node range", `{kind: 'node', package: 'a@^1.0.0'}`, `null`},
		{"node with build metadata", `{kind: 'node', package: 'a@1.0.0+b.1'}`, `{"kind":"node","package":"a@1.0.0+b.1"}`},
		{"node without a version behind @", `{kind: 'node', package: 'a@'}`, `null`},
		{"node in capitals", `{kind: 'node', package: 'A'}`, `null`},
		{"node repository", `{kind: 'node', package: 'user/repo'}`, `null`},
		{"node option", `{kind: 'node', package: '--registry=x'}`, `null`},
		{"node scope alone", `{kind: 'node', package: '@scope'}`, `null`},
		{"uv with a path", `{kind: 'uv', package: './x'}`, `null`},
		{"uv address", `{kind: 'uv', package: 'x @ https://e.com'}`, `null`},
		{"uv versions", `{kind: 'uv', package: 'a[b,c]>=1,<2'}`, `{"kind":"uv","package":"a[b,c]>=1,<2"}`},
		{"address in lower case with a path", `{kind: 'download', url: 'HTTPS://E.com:443'}`, `{"kind":"download","url":"https://e.com/"}`},
		{"address without dots", `{kind: 'download', url: 'http://e.com:8080/a/../b?q=1#f'}`, `{"kind":"download","url":"http://e.com:8080/b?q=1#f"}`},
		{"address without host", `{kind: 'download', url: 'https://'}`, `null`},
		{"an address beside a package", `{kind: 'brew', formula: 'a', url: 'https://e.com/x'}`, `{"kind":"brew","formula":"a","url":"https://e.com/x"}`},
		{"a bad address beside a package", `{kind: 'brew', formula: 'a', url: 'file:///x'}`, `{"kind":"brew","formula":"a"}`},
		{"a checksum counts for downloads only", `{kind: 'brew', formula: 'a', sha256: 'zz'}`, `{"kind":"brew","formula":"a"}`},
		{"a checksum that is null", `{kind: 'download', url: 'https://e.com/x', sha256: null}`, `null`},
		{"a checksum with blanks", `{kind: 'download', url: 'https://e.com/x', sha256: ' ` + strings.Repeat("aB", 32) + ` '}`,
			`{"kind":"download","url":"https://e.com/x","sha256":"` + strings.Repeat("ab", 32) + `"}`},
		{"words of any scalar", `{kind: 'uv', package: 'a', bins: ['x', 1.0, true, ' '], os: 'linux,,darwin '}`,
			`{"kind":"uv","package":"a","bins":["x","1","true"],"os":["linux","darwin"]}`},
		{"no words", `{kind: 'uv', package: 'a', bins: 5, os: {a: 1}}`, `{"kind":"uv","package":"a"}`},
		{"id and label of another type", `{kind: 'uv', package: 'a', id: 5, label: ['x']}`, `{"kind":"uv","package":"a"}`},
		{"components that nobody can strip", `{kind: 'uv', package: 'a', stripComponents: -1}`, `{"kind":"uv","package":"a"}`},
		{"a list", `[]`, `null`},
		{"nothing", `null`, `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want, got map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if spec, ok := registryInstall(jsonTree(t, []byte(tt.in)), 3); ok {
				got = installFields(spec, 3)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever an entry says, what comes out can be handed to a program as an
// argument.
func FuzzRegistryInstall(f *testing.F) {
	for _, seed := range []string{
		`{kind: 'brew', formula: 'user/tap/x'}`, `{kind: 'node', package: '@scope/pkg@1.2.3'}`,
		`{type: 'go', module: 'example.com/x@v1', bins: 'a, b'}`, `{kind: 'uv', package: 'a[b]==1'}`,
		`{kind: 'download', url: 'https://e.com/x', sha256: 'aa', extract: true, stripComponents: 1e3}`, `[1, 'x']`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := json5.Parse([]byte(text), 1, tree.Limits{Depth: 32, Nodes: 1000})
		if err != nil {
			return
		}
		spec, ok := registryInstall(n, 0)
		if !ok {
			return
		}
		if spec.ID == "" || spec.StripComponents < 0 {
			t.Errorf("id %q, components %d", spec.ID, spec.StripComponents)
		}
		if strings.HasPrefix(spec.Package, "-") || strings.ContainsAny(spec.Package, " \t\n\\;|&$`'\"") || strings.Contains(spec.Package, "://") {
			t.Errorf("package %q", spec.Package)
		}
		if (spec.Package == "") != (spec.Kind == "download") || spec.Kind == "download" && spec.URL == "" {
			t.Errorf("%s without what it needs: %q, %q", spec.Kind, spec.Package, spec.URL)
		}
		if spec.URL != "" && webAddress(spec.URL) != spec.URL {
			t.Errorf("address %q becomes %q", spec.URL, webAddress(spec.URL))
		}
	})
}
