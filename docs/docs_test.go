// Package docs checks that the generated pages are what the code says.
package docs

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

var update = flag.Bool("update", false, "rewrite the generated pages")

func TestDiagnosticsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Diagnostics and reasons

Every diagnostic and every reason has a code that does not change between
releases; scripts may match on it. This page is generated from the code
(` + "`make docs`" + `).

| code | severity | what it means |
|---|---|---|
`)
	for _, c := range skill.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, c.Severity, c.Means)
	}
	same(t, "diagnostics.md", b.String())
}

func same(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date; make docs rewrites it\n%s", file, diff)
	}
}
