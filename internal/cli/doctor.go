package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
	"github.com/knackhq/knack/skill"
)

func newDoctor(f *factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that Knack can work here, and show where it looks",
		Long: `Check Knack's home, configuration, roots, index and skills, and say what to do
about what is wrong. It also finds the other skill systems on this machine, and
says how many skills Knack sees as each of them. The exit code is 1 if something
needs mending.`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), f, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newDoctorSandbox(f))
	return cmd
}

// check is one thing the doctor looked at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

type diagnosis struct {
	OK     bool        `json:"ok"`
	Checks []check     `json:"checks"`
	Roots  []rootCount `json:"roots"`
	// Hosts are the other skill systems on this machine.
	Hosts       []knack.Installation `json:"hosts"`
	Diagnostics []skill.Diagnostic   `json:"diagnostics"`
}

type rootCount struct {
	knack.RootInfo
	Skills int `json:"skills"`
}

func runDoctor(ctx context.Context, f *factory, asJSON bool) error {
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	hosts, err := engine.Installations(ctx)
	if err != nil {
		return err
	}
	d := diagnosis{Roots: countRoots(engine, snap), Hosts: nonNil(hosts), Diagnostics: nonNil(snap.Diagnostics())}
	d.Checks = []check{
		{Name: "version", OK: true, Detail: f.version()},
		{Name: "host", OK: true, Detail: engine.Host()},
		f.checkWorkspace(),
		f.checkHome(), f.checkConfig(engine), f.checkPath(), f.checkIndex(engine, snap), checkSkills(snap),
		f.checkModel(ctx, engine), f.checkContainment(ctx, engine),
	}
	d.OK = true
	for _, c := range d.Checks {
		d.OK = d.OK && c.OK
	}
	for _, x := range d.Diagnostics {
		d.OK = d.OK && x.Severity != skill.Error
	}
	if asJSON {
		err = f.printJSON(d)
	} else {
		f.printDiagnosis(d)
	}
	if err == nil && !d.OK {
		return errNo
	}
	return err
}

func countRoots(engine *knack.Engine, snap *knack.Snapshot) []rootCount {
	var out []rootCount
	for _, r := range engine.Roots() {
		row := rootCount{RootInfo: r}
		for _, e := range snap.Entries() {
			if e.Root == r.Path {
				row.Skills++
			}
		}
		out = append(out, row)
	}
	return out
}

func (f *factory) checkWorkspace() check {
	c := check{Name: "workspace", OK: true, Detail: f.short(f.workspace())}
	if c.Detail == "" {
		c.Detail = "none: this is your home directory"
	}
	return c
}

func (f *factory) checkHome() check {
	home := f.home()
	c := check{Name: "home", OK: true, Detail: f.short(home)}
	if home == "" {
		return check{Name: "home", Detail: "there is none: HOME is not set", Hint: "set HOME or KNACK_HOME, or pass --home DIR"}
	}
	st, err := os.Stat(home)
	switch {
	case os.IsNotExist(err):
		c.Detail += " (not there yet; made when needed)"
	case err != nil:
		return check{Name: "home", Detail: err.Error(), Hint: "mend its permissions"}
	case !st.IsDir():
		return check{Name: "home", Detail: f.short(home) + " is not a directory", Hint: "move it away, or pass --home DIR"}
	}
	return c
}

func (f *factory) checkConfig(engine *knack.Engine) check {
	c := check{Name: "configuration", OK: true, Detail: "defaults"}
	var files []string
	for _, of := range [...]knack.Target{knack.User, knack.Workspace, knack.HostsOwn} {
		if file := engine.ConfigFile(of); file != "" {
			if _, err := os.Stat(file); err == nil {
				files = append(files, f.short(file))
			}
		}
	}
	if len(files) > 0 {
		c.Detail = strings.Join(files, ", ")
	}
	for _, d := range engine.Diagnostics() {
		c.OK = c.OK && d.Severity != skill.Error
	}
	if n := len(engine.Diagnostics()); n > 0 {
		c.Detail += fmt.Sprintf(" (%s below)", plural(n, "problem"))
	}
	return c
}

// checkPath finds what makes gates lie: a PATH without usable directories.
func (f *factory) checkPath() check {
	var usable int
	for _, dir := range filepath.SplitList(f.getenv("PATH")) {
		if st, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && st.IsDir() {
			usable++
		}
	}
	if usable == 0 {
		return check{Name: "PATH", Detail: "no absolute directory on it exists, so no program will be found", Hint: "set PATH"}
	}
	return check{Name: "PATH", OK: true, Detail: plural(usable, "usable element")}
}

func (f *factory) checkIndex(engine *knack.Engine, snap *knack.Snapshot) check {
	c := check{Name: "index", OK: true, Detail: "none is kept"}
	file := engine.Index()
	if file == "" {
		return c
	}
	c.Detail = fmt.Sprintf("%s (%d reused, %d read)", f.short(file), snap.Reused(), snap.Parsed())
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		c.OK = false
		c.Detail = f.short(file) + " cannot be written, so every command reads every skill anew"
		c.Hint = "make " + f.short(filepath.Dir(file)) + " a directory that you can write to"
	}
	return c
}

func checkSkills(snap *knack.Snapshot) check {
	count := map[skill.Status]int{}
	for _, e := range snap.Entries() {
		count[e.Status]++
	}
	var parts []string
	for _, s := range statuses {
		parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
	}
	c := check{Name: "skills", OK: true, Detail: strings.Join(parts, ", ")}
	if count[skill.Invalid] > 0 {
		c.Hint = "knack list --status invalid"
	}
	return c
}

func (f *factory) printDiagnosis(d diagnosis) {
	out := f.stdout()
	for _, c := range d.Checks {
		mark := out.Good(out.Glyph(term.Check))
		if !c.OK {
			mark = out.Bad(out.Glyph(term.Cross))
		}
		fmt.Fprintf(f.env.Stdout, "%s %-14s %s\n", mark, c.Name, wrap(out, term.Clean(c.Detail), 17))
		if c.Hint != "" {
			fmt.Fprintf(f.env.Stdout, "    %s\n", out.Code(term.Clean(f.pasted(c.Hint))))
		}
	}
	fmt.Fprintln(f.env.Stdout, "\n"+wrap(out, "Skills are looked for in, highest precedence first:", 0))
	table := term.Table{Headers: []string{"SKILLS", "SOURCE", "TRUST", "ROOT"}, Wrap: true}
	for _, r := range d.Roots {
		count := fmt.Sprint(r.Skills)
		if !r.Exists {
			count = "-"
		}
		table.Rows = append(table.Rows, []string{count, r.Class, string(r.Trust), f.short(r.Path)})
	}
	out.Table(table)
	f.printHosts(d.Hosts)
	if len(d.Diagnostics) > 0 {
		fmt.Fprintln(f.env.Stdout)
		f.printDiagnostics(d.Diagnostics)
	}
}
