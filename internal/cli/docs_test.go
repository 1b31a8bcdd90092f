package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite docs/commands.md")

// The page of all commands is made from what they say of themselves.
func TestCommandsPage(t *testing.T) {
	const file = "../../docs/commands.md"
	root := newRoot(newFactory(Env{}))
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString("# Commands\n\nThis page is generated from the program's own help (`make docs`).\n\n" +
		"`knack skill …` and `knack skills …` are accepted everywhere. Exit codes: 0 done, 1 the answer is no,\n" +
		"2 the command line makes no sense, 130 interrupted. Without a terminal there is no colour and no\n" +
		"progress, and tables are tab-separated without headers.\n\nFlags of every command:\n\n")
	writeFlags(&b, root.PersistentFlags())
	for _, c := range root.Commands() {
		writeCommand(&b, c, 2)
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("docs/commands.md is out of date; make docs rewrites it\n%s", diff)
	}
}

func writeCommand(b *strings.Builder, c *cobra.Command, level int) {
	if !c.IsAvailableCommand() || c.Name() == "help" || c.Parent().Name() == "completion" {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", level), c.CommandPath())
	fmt.Fprintf(b, "    %s\n\n", c.UseLine())
	text := c.Long
	if text == "" || c.Name() == "completion" {
		text = c.Short + "."
	}
	fmt.Fprintf(b, "%s\n", strings.TrimSpace(text))
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso: %s.\n", strings.Join(c.Aliases, ", "))
	}
	if c.Name() == "completion" {
		var shells []string
		for _, shell := range c.Commands() {
			shells = append(shells, shell.Name())
		}
		fmt.Fprintf(b, "\nShells: %s. `knack completion bash --help` says how to load it.\n", strings.Join(shells, ", "))
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
	}
	if c.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteString("\n")
		writeFlags(b, c.LocalNonPersistentFlags())
	}
	for _, sub := range c.Commands() {
		writeCommand(b, sub, level+1)
	}
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Name != "help" {
			fmt.Fprintf(b, "- `%s`: %s\n", name, f.Usage)
		}
	})
}
