package knack_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/knackhq/knack"
)

const module = "github.com/knackhq/knack"

// arrows says which of our packages each package may import. A package that is
// missing here must be added on purpose: that is the map of the house.
var arrows = map[string][]string{
	"skill":             {},
	"internal/tree":     {},
	"internal/json5":    {"internal/tree"},
	"internal/durable":  {},
	"internal/near":     {},
	"internal/wording":  {},
	"internal/strategy": {},
	"internal/environ":  {},
	"internal/digest":   {},
	"internal/bundled":  {},
	"internal/edit":     {"internal/tree", "internal/json5"},
	"internal/term":     {"skill"},
	"tool":              {},

	"internal/format":   {"skill", "internal/strategy", "internal/tree", "internal/json5", "internal/edit", "internal/near"},
	"internal/gate":     {"skill", "internal/strategy", "internal/edit", "internal/wording", "internal/environ"},
	"internal/config":   {"skill", "internal/tree", "internal/json5", "internal/edit", "internal/durable", "internal/near", "internal/environ"},
	"internal/catalog":  {"skill", "internal/strategy", "internal/wording", "internal/edit", "internal/format", "internal/gate", "internal/durable", "internal/digest", "internal/near"},
	"internal/route":    {"skill", "internal/strategy", "internal/near"},
	"internal/prompt":   {"skill", "internal/strategy", "internal/wording"},
	"internal/hostname": {"internal/wording"},
	"internal/policy":   {"skill", "tool", "internal/strategy", "internal/wording", "internal/hostname"},
	"internal/trust":    {"skill", "internal/policy", "internal/durable", "internal/digest", "internal/wording"},
	"internal/session":  {"skill", "internal/catalog", "internal/strategy", "internal/wording"},
	"internal/host":     {"skill", "internal/format", "internal/gate", "internal/catalog", "internal/session", "internal/config", "internal/policy", "internal/prompt", "internal/route"},

	// What runs, and what it is contained by.
	"internal/sandbox":            {"internal/wording"},
	"internal/sandbox/probe":      {"internal/sandbox", "internal/wording"},
	"internal/egress":             {"internal/hostname", "internal/wording"},
	"internal/toolbox":            {"tool", "internal/policy", "internal/near", "internal/wording"},
	"internal/toolbox/output":     {},
	"internal/toolbox/arguments":  {"internal/near", "internal/wording"},
	"internal/toolbox/files":      {"tool", "internal/toolbox/arguments", "internal/near", "internal/wording"},
	"internal/toolbox/command":    {"tool", "internal/toolbox/arguments", "internal/sandbox", "internal/toolbox/output", "internal/near", "internal/wording"},
	"internal/toolbox/web":        {"tool", "internal/toolbox/arguments", "internal/egress", "internal/hostname", "internal/toolbox/output", "internal/near", "internal/wording"},
	"internal/toolbox/calculator": {"tool", "internal/toolbox/arguments", "internal/wording"},
	// Tools that need more than the library may.
	"internal/memory": {"tool", "internal/toolbox/arguments", "internal/wording"},
	"internal/pdf":    {"tool", "internal/toolbox/arguments", "internal/sandbox", "internal/toolbox/output", "internal/wording"},

	// What uses the library: an agent and its terminal.
	"internal/llm":         {"tool", "internal/wording", "internal/near", "internal/term"},
	"internal/llm/llmtest": {"internal/llm"},
	"internal/agent":       {"", "skill", "tool", "internal/llm", "internal/durable", "internal/wording", "internal/toolbox/arguments", "internal/toolbox/output"},
	"internal/markdown":    {"internal/term"},
	"internal/chat":        {"", "skill", "tool", "internal/agent", "internal/llm", "internal/markdown", "internal/term", "internal/wording", "internal/environ"},

	// Only the library assembles the engine.
	"": {
		"skill", "internal/format", "internal/gate", "internal/catalog", "internal/session",
		"internal/host", "internal/config", "internal/bundled", "internal/durable", "internal/edit", "internal/wording", "internal/environ",
		"internal/policy", "internal/prompt", "internal/trust", "internal/digest", "internal/route", "tool",
		"internal/hostname", "internal/sandbox", "internal/egress", "internal/toolbox", "internal/toolbox/files", "internal/toolbox/command",
		"internal/toolbox/web", "internal/toolbox/calculator", "internal/toolbox/arguments",
	},
	"internal/cli": {
		"", "skill", "tool", "internal/term", "internal/near", "internal/environ", "internal/wording",
		"internal/memory", "internal/pdf", "internal/sandbox", "internal/sandbox/probe", "internal/agent", "internal/chat", "internal/llm", "internal/durable",
	},
	"cmd/knack":          {"internal/cli", "internal/sandbox", "internal/sandbox/probe", "internal/pdf"},
	"bench":              {"", "skill", "internal/route", "internal/sandbox"},
	"acceptance/measure": {},
	"docs":               {"skill"},
}

// modules are what an embedder of the library gets beside the standard library.
var modules = []string{
	"github.com/fsnotify/fsnotify", "github.com/gofrs/flock", "github.com/pelletier/go-toml/v2",
	"go.yaml.in/yaml/v3", "golang.org/x/sys", "golang.org/x/text",
}

// rawCallers may turn untrusted text into a string.
var rawCallers = []string{
	"internal/format", "internal/route", "internal/scan", "internal/prompt", "internal/edit", "internal/term", "skill",
}

// processCalls belong to main: everything below gets them handed in.
var processCalls = []string{
	"os.Exit", "os.Args", "os.Getenv", "os.LookupEnv", "os.Environ", "time.Now",
	"os.Executable", "os.Getwd", "os.Chdir", "os.UserHomeDir", "filepath.Abs",
}

type source struct {
	path string // of the file, slash-separated
	pkg  string // of its package, relative to the module
	ast  *ast.File
	text string
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	fset := token.NewFileSet()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (base[0] == '.' || base == "testdata" || base == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := path.Dir(name)
		if pkg == "." {
			pkg = ""
		}
		out = append(out, source{path: name, pkg: pkg, ast: file, text: string(text)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 30 {
		t.Fatalf("found %d files; is this the module's root?", len(out))
	}
	return out
}

func TestImportsFollowTheMap(t *testing.T) {
	for _, src := range sources(t) {
		allowed, known := arrows[src.pkg]
		if !known {
			t.Errorf("%s: package %q is not on the map", src.path, src.pkg)
			continue
		}
		for _, imp := range src.ast.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours, ok := strings.CutPrefix(name, module)
			if ok && !slices.Contains(allowed, strings.TrimPrefix(ours, "/")) {
				t.Errorf("%s imports %s; the map does not allow it", src.path, name)
			}
		}
	}
}

func TestLibraryDependsOnFewModules(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range strings.Fields(string(out)) {
		if m != module && !slices.Contains(modules, m) {
			t.Errorf("the library depends on %s", m)
		}
	}
}

func TestOnlyEscapersReadUntrustedText(t *testing.T) {
	for _, src := range sources(t) {
		if !slices.Contains(arrows[src.pkg], "skill") {
			continue // it has no text; other libraries have fields named Raw
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			switch {
			case !ok:
			case sel.Sel.Name == "Raw" && !slices.Contains(rawCallers, src.pkg):
				t.Errorf("%s uses Raw; only the packages that escape or index text may", src.path)
			case sel.Sel.Name == "AppendBinary" && src.pkg != "internal/catalog":
				t.Errorf("%s uses AppendBinary; only the index stores text as data", src.path)
			}
			return true
		})
	}
}

func TestProcessIsHandedIn(t *testing.T) {
	for _, src := range sources(t) {
		if src.pkg == "cmd/knack" || src.pkg == "bench" || src.pkg == "acceptance/measure" {
			continue
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(processCalls, x.Name+"."+sel.Sel.Name) {
				// The library's documented default clock is the one exception.
				if src.path != "options.go" || sel.Sel.Name != "Now" {
					t.Errorf("%s uses %s.%s", src.path, x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// Tests are exempt from the length: a table is as long as its cases.
func TestFilesAreShortAndPackagesDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, src := range sources(t) {
		if n := strings.Count(src.text, "\n"); n > 300 {
			t.Errorf("%s has %d lines; 300 are enough for one idea", src.path, n)
		}
		documented[src.pkg] = documented[src.pkg] || src.ast.Doc != nil
		for _, d := range src.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s does work in init", src.path)
			}
		}
		switch path.Base(src.pkg) {
		case "util", "utils", "common", "helpers":
			t.Errorf("%s: name the package for what it does", src.path)
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %q has no package comment", pkg)
		}
	}
}

// Which systems there are is known to their profiles alone.
func TestHostsAreNamedInProfilesOnly(t *testing.T) {
	for _, src := range sources(t) {
		if src.pkg == "internal/host" {
			continue
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range knack.Hosts() {
				// Knack speaks of itself; others are not spoken of at all, and
				// the names that are words of their own may stand in sentences.
				word := name == knack.NativeHost || name == "agents" || name == "claude"
				if text == name || !word && strings.Contains(strings.ToLower(text), name) {
					t.Errorf("%s has %s in it", src.path, lit.Value)
				}
			}
			return true
		})
	}
}

// A code that nothing produces is a promise nobody keeps.
func TestEveryCodeIsUsed(t *testing.T) {
	used := map[string]bool{}
	var declared []string
	for _, src := range sources(t) {
		if src.path == "skill/code.go" {
			for name, obj := range src.ast.Scope.Objects {
				if obj.Kind == ast.Con {
					declared = append(declared, name)
				}
			}
		}
		if src.pkg == "skill" {
			continue
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "skill" {
					used[sel.Sel.Name] = true
				}
			}
			return true
		})
	}
	if len(declared) < 50 {
		t.Fatalf("found %d codes; has skill/code.go moved?", len(declared))
	}
	slices.Sort(declared)
	for _, name := range declared {
		if !used[name] {
			t.Errorf("no package produces skill.%s", name)
		}
	}
}
