package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/tool"
)

// printPlan shows what a call would do: one line for each thing that it touches.
func (f *factory) printPlan(p tool.Plan, hosts []string, anywhere bool, to io.Writer) {
	reach := strings.Join(hosts, ", ")
	switch {
	case anywhere && reach != "":
		reach = "any public one, and " + reach
	case anywhere:
		reach = "any public one"
	case reach == "":
		reach = "none"
	}
	rows := [][2]string{{"command", p.Command}, {"request", p.Request}, {"folder", f.short(p.Dir)}}
	if p.Command == "" && p.Request == "" {
		rows = append(rows, [2]string{"about", p.Subject})
	}
	for _, path := range p.Write {
		rows = append(rows, [2]string{"may write", f.short(path)})
	}
	rows = append(rows, [2]string{"variables", strings.Join(p.Env, ", ")})
	if p.Command != "" || p.Request != "" {
		rows = append(rows, [2]string{"hosts", reach})
	}
	if p.Sandbox != nil {
		rows = append(rows, [2]string{"layer", p.Sandbox.Layer}, [2]string{"files", p.Sandbox.Files},
			[2]string{"network", p.Sandbox.Network}, [2]string{"processes", p.Sandbox.Processes}, [2]string{"weak", strings.Join(p.Sandbox.Weak, ", ")})
	}
	for _, row := range rows {
		if row[1] != "" {
			fmt.Fprintf(to, "  %-11s %s\n", row[0], strings.ReplaceAll(term.Exact(row[1]), "\n", "\n              "))
		}
	}
}
