package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/sandbox/probe"
	"github.com/knackhq/knack/internal/term"
)

func newDoctorSandbox(f *factory) *cobra.Command {
	var asJSON bool
	var layer string
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Try out what contains the programs of skills here",
		Long: `Start every layer of containment, and attack the strongest that works from the
inside: read your keys, write outside of the workspace, reach the network, signal
and inspect other processes, use up the machine. Everything that is attacked is
planted for the occasion, and nothing of yours is touched. What the layer promises
and does not keep makes the exit code 1.`,
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctorSandbox(cmd.Context(), f, layer, asJSON) },
	}
	cmd.Flags().StringVar(&layer, "layer", "", "attack this layer instead of the strongest: namespaces, bubblewrap, landlock or limits")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// containment is `doctor sandbox --json`.
type containment struct {
	OK     bool            `json:"ok"`
	Layers []knack.Layer   `json:"layers"`
	Report sandbox.Report  `json:"report"`
	Probes []probe.Finding `json:"probes"`
	// Broken are the promises of the layer that an attack got around.
	Broken []string `json:"broken"`
}

func runDoctorSandbox(ctx context.Context, f *factory, layer string, asJSON bool) error {
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	out := containment{Layers: f.toolbox(engine, false).Layers(ctx), Broken: []string{}}
	dir, err := os.MkdirTemp("", "knack-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	box := sandbox.New(sandbox.Options{Program: f.env.Program, Layer: sandbox.Layer(layer), Path: f.getenv("PATH")})
	done := f.working("attacking the sandbox")
	out.Probes, err = probe.Run(ctx, box, probe.Options{
		Program: f.env.Program, Dir: dir, Environ: f.env.Environ,
		Reported: func(r sandbox.Report) { out.Report = r },
	})
	done()
	if err != nil {
		return &hintedError{err: err, hint: "the layers that work are " + working(out.Layers)}
	}
	for _, broken := range probe.Check(out.Report, out.Probes) {
		out.Broken = append(out.Broken, broken.Error())
	}
	out.OK = len(out.Broken) == 0
	if asJSON {
		err = f.printJSON(out)
	} else {
		f.printContainment(out)
	}
	if !out.OK {
		err = errors.Join(err, errNo)
	}
	return err
}

func working(layers []knack.Layer) string {
	names := ""
	for _, l := range layers {
		if l.Works {
			if names != "" {
				names += ", "
			}
			names += l.Name
		}
	}
	return names
}

func (f *factory) printContainment(c containment) {
	out := f.stdout()
	layers := term.Table{Headers: []string{"LAYER", "HERE", "CONTAINS FILES AND NETWORK", "WHY"}}
	for _, l := range c.Layers {
		layers.Rows = append(layers.Rows, []string{l.Name, yesNo(l.Works, "works", "does not work"), yesNo(l.Contains, "yes", "no"), l.Why})
	}
	out.Table(layers)
	fmt.Fprintf(f.env.Stdout, "\nattacked: %s\n", term.Clean(string(c.Report.Layer)))
	for _, row := range [...][2]string{{"files", c.Report.Files}, {"network", c.Report.Network}, {"processes", c.Report.Processes}} {
		fmt.Fprintf(f.env.Stdout, "  %-10s %s\n", row[0], term.Clean(row[1]))
	}
	for _, weak := range c.Report.Weak {
		fmt.Fprintf(f.env.Stdout, "  %-10s %s\n", out.Warn("weak"), term.Clean(weak))
	}
	fmt.Fprintln(f.env.Stdout)
	probes := term.Table{Headers: []string{"ATTACK", "THREATENS", "OUTCOME", "DETAIL"}}
	counts := map[probe.Outcome]int{}
	for _, p := range c.Probes {
		counts[p.Outcome]++
		outcome := string(p.Outcome)
		if p.Outcome == probe.Succeeded {
			outcome = out.Bad(outcome)
		}
		probes.Rows = append(probes.Rows, []string{p.Probe.Title, p.Probe.Threatens, outcome, p.Detail})
	}
	out.Table(probes)
	fmt.Fprintf(f.env.Stdout, "\n%d attacks: %d blocked, %d succeeded, %d could not be tried here\n",
		len(c.Probes), counts[probe.Blocked], counts[probe.Succeeded], counts[probe.Untried])
	for _, broken := range c.Broken {
		fmt.Fprintf(f.env.Stdout, "%s: %s\n", out.Bad("a promise is broken"), term.Clean(broken))
	}
}

func yesNo(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
