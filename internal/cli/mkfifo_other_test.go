//go:build !unix

package cli

import "github.com/rogpeppe/go-internal/testscript"

func cmdMkfifo(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("there are no pipes here") }
