package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

// asks reports whether there is a person to ask: both ends are a terminal.
func (f *factory) asks() bool {
	in, ok := f.env.Stdin.(*os.File)
	return ok && term.Detect(in, f.env.Environ).TTY() && f.stderr().TTY()
}

// mostShown is how many skills a question lists.
const mostShown = 10

// askWorkspace asks once whether a workspace that brings skills is to be
// accepted. Without a terminal, or without a place to keep the answer, nothing
// is asked and nothing accepted.
func (f *factory) askWorkspace(ctx context.Context) error {
	if !f.asks() || f.flags.trustWorkspace {
		return nil
	}
	engine, snap, err := f.snapshot(ctx)
	if err != nil {
		return err
	}
	skills := engine.Undecided(snap)
	if len(skills) == 0 || f.home() == "" {
		return nil
	}
	fmt.Fprintf(f.env.Stderr, "%s brings %s:\n", term.Clean(f.short(f.workspace())), plural(len(skills), "skill"))
	for i, e := range skills {
		if i == mostShown {
			fmt.Fprintf(f.env.Stderr, "  and %d more\n", len(skills)-mostShown)
			break
		}
		fmt.Fprintf(f.env.Stderr, "  %s: %s\n", term.Clean(e.Name), term.Truncate(term.Text(e.Description), 60))
	}
	fmt.Fprint(f.env.Stderr, "Trust them as they are now? Without it a model may only read while one is active. [y/N] ")
	line, _ := bufio.NewReader(f.env.Stdin).ReadString('\n')
	return f.answerWorkspace(ctx, engine, strings.ToLower(strings.TrimSpace(line)))
}

func (f *factory) answerWorkspace(ctx context.Context, engine *knack.Engine, answer string) error {
	if answer == "y" || answer == "yes" {
		_, err := engine.AcceptWorkspace(ctx)
		return err
	}
	fmt.Fprintln(f.env.Stderr, "not trusted; knack trust --here does it later")
	return engine.RefuseWorkspace(ctx)
}
