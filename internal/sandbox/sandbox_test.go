package sandbox

import (
	"bytes"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if code, stage := Child(os.Args); stage {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestRuns(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range []Layer{Namespaces, Limits} {
		b := New(Options{Program: exe, Layer: layer})
		var out bytes.Buffer
		ws := t.TempDir()
		res, err := b.Run(t.Context(), Spec{Argv: []string{"sh", "-c", "echo hello >x; cat x; exit 3"},
			Env: []string{"PATH=/usr/bin:/bin"}, Dir: ws, Write: []string{ws}, Stdout: &out, Stderr: &out})
		if err != nil || res.Exit != 3 || out.String() != "hello\n" {
			t.Errorf("%s: %+v %v\n%s", layer, res, err, out.String())
		}
	}
}
