// Command knack finds, checks, explains and runs skills for AI agents.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/knackhq/knack/internal/cli"
	"github.com/knackhq/knack/internal/pdf"
	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/sandbox/probe"
)

// version is set when a release is linked; see the Makefile.
var version string

// gcPercent lets the heap grow to five times what is live before it is
// collected. A command lives for milliseconds on a heap of a few megabytes; at
// Go's 100 the collector took a fifth of every load of a large library. The
// peak stays the same: 20 MiB for 1,173 skills.
const gcPercent = 400

func main() {
	// The program is started again to confine what tools run, to try that out, and
	// to read documents of strangers.
	for _, child := range [...]func([]string) (int, bool){sandbox.Child, probe.Child, readPDF} {
		if code, stage := child(os.Args); stage {
			os.Exit(code)
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	dir, _ := os.Getwd()         // empty if it is gone; cli says so
	program, _ := os.Executable()
	code := cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Program: program, Now: time.Now, Version: version,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}

func readPDF(args []string) (int, bool) { return pdf.Child(args, os.Stdin, os.Stdout) }
