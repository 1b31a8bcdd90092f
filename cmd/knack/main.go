// Command knack finds, checks, explains and runs skills for AI agents.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/knackhq/knack/internal/cli"
)

// version is set when a release is linked; see the Makefile.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, _ := os.Getwd()
	code := cli.Main(ctx, cli.Env{
		Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Now: time.Now, Version: version,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}
