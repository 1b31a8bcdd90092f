package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/internal/host"
)

// The page of a host is its text in hosts/text with what the profile and the
// list of deviations say filled in.
func TestHostsPage(t *testing.T) {
	for _, name := range host.Names() {
		if name == host.Native {
			continue
		}
		p, err := host.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("hosts", "text", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		page := strings.NewReplacer(
			"{{roots}}", rootsTable(p), "{{config}}", configTable(p), "{{reads}}", readsTable(p),
			"{{limits}}", limitsTable(p), "{{deviations}}", deviationsTable(t, name),
		).Replace(string(text))
		if strings.Contains(page, "{{") {
			t.Errorf("%s has a placeholder that nothing fills", name)
		}
		same(t, filepath.Join("hosts", name+".md"), page+
			"\n---\n\nTables are generated from the profile (`internal/host/hosts/"+name+".toml`) by `make docs`.\n")
	}
}

func rootsTable(p *host.Profile) string {
	var b strings.Builder
	b.WriteString("| | path | source | trust | levels | links |\n|---|---|---|---|---|---|\n")
	for i, r := range p.Roots {
		path := "`" + r.Path + "`"
		if r.If != "" {
			path += ", if `" + r.If + "`"
		}
		if len(r.Unless) > 0 {
			path += ", unless `" + strings.Join(r.Unless, "` or `") + "` is set"
		}
		if r.Reverse {
			path += ", the last first"
		}
		levels := fmt.Sprint(r.Depth)
		if r.NestedDepth > r.Depth {
			levels += fmt.Sprintf(", %d below `%s`", r.NestedDepth, r.Nested)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", i+1, path, r.Class, r.Trust, levels, r.Symlinks)
	}
	for _, place := range slices.Sorted(maps.Keys(p.Places)) {
		fmt.Fprintf(&b, "\n`<%s>` is the first of %s.", place, list(p.Places[place]))
	}
	if len(p.Config.Homes) > 0 {
		fmt.Fprintf(&b, "\n`<state>` is the first of %s.", list(p.Config.Homes))
	}
	return strings.TrimRight(b.String(), "\n")
}

func list(items []string) string { return "`" + strings.Join(items, "`, `") + "`" }

func configTable(p *host.Profile) string {
	var b strings.Builder
	if len(p.Config.Files) > 0 {
		fmt.Fprintf(&b, "Its file is the first of %s. Knack reads these keys of it, and `--write-host` writes them:\n%s.\n", list(p.Config.Files), list(p.Config.Keys))
	} else {
		b.WriteString("It has no file that Knack reads for skills.\n")
	}
	if len(p.Config.Env) > 0 {
		b.WriteString("\n| variable | setting |\n|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(p.Config.Env)) {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", name, p.Config.Env[name])
		}
	}
	if len(p.Config.Defaults) > 0 {
		b.WriteString("\n| setting | default |\n|---|---|\n")
		for _, key := range slices.Sorted(maps.Keys(p.Config.Defaults)) {
			fmt.Fprintf(&b, "| `%s` | `%v` |\n", key, p.Config.Defaults[key])
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func readsTable(p *host.Profile) string {
	var b strings.Builder
	for _, m := range p.Format.Manifests {
		if keys := p.Format.Reads[m]; keys != nil {
			fmt.Fprintf(&b, "- of `%s`: %s\n", m, list(keys))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func limitsTable(p *host.Profile) string {
	var b strings.Builder
	b.WriteString("| limit | value |\n|---|---|\n")
	for _, row := range []struct {
		what  string
		value int
	}{
		{"bytes of a manifest", int(p.Format.Limits.FileBytes)},
		{"folders looked at in a root", p.Discover.MaxCandidates},
		{"skills of a root", p.Discover.MaxLoaded},
		{"skills in all", p.Discover.MaxTotal},
		{"keywords", p.Format.Limits.Keywords},
		{"patterns", p.Format.Limits.Patterns},
		{"tags of an activation block", p.Format.Limits.Tags},
	} {
		if row.value > 0 {
			fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.value)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func deviationsTable(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "hosts", name, "deviations.toml"))
	if os.IsNotExist(err) {
		return "None of the cases that were compared."
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Deviation []struct{ File, Case, What, Rule, Answer string }
	}
	if err := toml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Deviation) == 0 {
		return "None of the cases that were compared."
	}
	var b strings.Builder
	b.WriteString("| case | what Knack does | why |\n|---|---|---|\n")
	for _, d := range doc.Deviation {
		fmt.Fprintf(&b, "| %s, %s | %s | %s |\n", d.File, d.Case, d.What, d.Rule)
	}
	return strings.TrimRight(b.String(), "\n")
}
