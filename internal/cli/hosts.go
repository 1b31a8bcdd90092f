package cli

import (
	"cmp"
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
	out := f.stdout()
	fmt.Fprintln(f.env.Stdout, "\n"+wrap(out, "Skill systems here; --host NAME behaves as one of them:", 0))
	table := term.Table{Headers: []string{"HOST", "SKILLS", "READY", "WHERE"}, Wrap: true}
	for _, h := range hosts {
		row := []string{h.Host, fmt.Sprint(h.Total), fmt.Sprint(h.Skills[skill.Ready]), f.short(h.Home), f.short(h.Config)}
		if h.Problem != "" {
			row[4] = h.Problem
		}
		if h.Home == "" { // its profile cannot be read
			row[1], row[2] = "-", "-"
		}
		if out.TTY() { // a screen has room for one path, and the file lies in its home
			row = append(row[:3], cmp.Or(row[4], row[3]))
		}
		for i := range row {
			row[i] = term.Clean(row[i])
		}
		table.Rows = append(table.Rows, row)
	}
	out.Table(table)
}
