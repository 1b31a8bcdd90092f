// Package docs checks that the generated pages are what the code says.
package docs

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/config"
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

func TestConfigurationPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Settings

Knack reads, the later winning:

1. its defaults, and with ` + "`--host`" + ` those of that system;
2. with ` + "`--host`" + ` the configuration of that system, from where it keeps it;
3. ` + "`config.toml`" + ` in its home (` + "`$KNACK_HOME`" + `, else ` + "`~/.knack`" + `);
4. ` + "`.knack/config.toml`" + ` in the workspace;
5. the variables ` + "`KNACK_HOST`, `KNACK_AGENT` and `KNACK_LOG`" + `, and those of the host;
6. flags.

` + "`knack config list`" + ` shows every value with the file and line it came from; ` + "`get`, `set` and `unset`" + `
work on one key. Comments and order of the file stay as they are. With ` + "`--write-host`" + ` they work on the
host's own file, in its own spelling. A key under ` + "`[skills]`" + ` that Knack
does not know is a warning with a suggestion. Keys outside it that are not in this table are yours:
skills ask about them with ` + "`requires.config`" + `, for example ` + "`browser.enabled`" + `.

A workspace's file may have come with somebody else's repository. It may take away and add roots
inside the workspace; it cannot supply secrets, choose the host, or switch on what you switched off.

This table is generated (` + "`make docs`" + `).

| key | type | default | in a workspace | what it does |
|---|---|---|---|---|
`)
	for _, k := range config.Keys() {
		local, value := "no", "–"
		if k.Workspace {
			local = "yes"
		}
		if k.Default != "" {
			value = "`" + k.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Key, k.Type, value, local, k.Means)
	}
	b.WriteString(`
A directory in a list may start with ` + "`~`" + `; a relative one is relative to the file's directory, in a
workspace's file to the workspace. Names of entries count in any letter case. ` + "`allowBundled`, `apiKey`" + `
and ` + "`load.extraDirs`" + ` are read as ` + "`allow_bundled`, `api_key` and `extra_roots`" + `, and so are the other
systems' spellings of all keys.

Some of these settings speak of things a host does when it runs an agent: ` + "`mode`, `max_active`, `load.watch`, `install`, `tool_timeout_seconds`" + ` and the like. They are read, shown and kept for whoever embeds the library.
`)
	same(t, "configuration.md", b.String())
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
