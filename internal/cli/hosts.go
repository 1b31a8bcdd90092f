package cli

import (
	"fmt"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

// printHosts shows the other skill systems that the doctor found.
func (f *factory) printHosts(hosts []knack.Installation) {
	if len(hosts) == 0 {
		return
	}
	fmt.Fprintln(f.env.Stdout, "\nOther skill systems here; --host NAME behaves as one of them:")
	table := term.Table{Headers: []string{"HOST", "SKILLS", "READY", "HOME", "CONFIGURATION"}, Wrap: true}
	for _, h := range hosts {
		row := []string{h.Host, fmt.Sprint(h.Total), fmt.Sprint(h.Skills[skill.Ready]), f.short(h.Home), f.short(h.Config)}
		if h.Problem != "" {
			row[4] = h.Problem
		}
		if h.Home == "" { // its profile cannot be read
			row[1], row[2] = "-", "-"
		}
		for i := range row {
			row[i] = term.Clean(row[i])
		}
		table.Rows = append(table.Rows, row)
	}
	f.stdout().Table(table)
}
