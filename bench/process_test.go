package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary stand in for the program where it starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "-child" {
		if err := run(context.Background(), options{child: os.Args[2]}, os.Args[3:]); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestParseInitTrace(t *testing.T) {
	got := parseInitTrace([]byte(`init internal/bytealg @0.008 ms, 0.004 ms clock, 0 bytes, 0 allocs
init dear @0.5 ms, 0.25 ms clock, 2048 bytes, 7 allocs
init dearer @0.9 ms, 1.5 ms clock, 16 bytes, 1 allocs
something else
`))
	want := &initResult{Total: 1.754, Count: 3, Packages: []initPackage{
		{"dearer", 1.5, 16, 1}, {"dear", 0.25, 2048, 7},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		o    options
		want []string
	}{
		{options{scale: true}, parts[:]},
		{options{}, []string{"load", "reload", "list", "init", "hostile", "start"}},
		{options{scale: true, only: "scale,load"}, []string{"load", "scale"}},
	} {
		wanted, err := c.o.wanted()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, part := range parts {
			if wanted(part) {
				got = append(got, part)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.o, diff)
		}
	}
	if _, err := (options{only: "lod"}).wanted(); err == nil {
		t.Error("an unknown part is accepted")
	}
}

func TestHostileNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range hostileCases() {
		if seen[c.name] {
			t.Errorf("two cases are called %q", c.name)
		}
		seen[c.name] = true
	}
}

// A child process loads a folder and the figures come back through the launcher.
func TestHostileRound(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := hostileCases()[0].build(filepath.Join(root, "plain")); err != nil {
		t.Fatal(err)
	}
	var f hostileFigure
	if err := f.round(self, root); err != nil {
		t.Fatal(err)
	}
	if f.Failed != "" || f.Found != 1 || len(f.Status) != 1 || f.Status[0] != "ready" {
		t.Errorf("found %d %q, failed %q; want one ready skill", f.Found, f.Status, f.Failed)
	}
	if f.Time <= 0 || f.Load <= 0 || f.Load > f.Time {
		t.Errorf("time %v, load %v; want a load within the life of the process", f.Time, f.Load)
	}
}

func TestLaunchReportsFailure(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	u, stderr, err := measured(os.Environ(), self, "-child", "launch", filepath.Join(t.TempDir(), "no-such-program"))
	if err != nil {
		t.Fatal(err)
	}
	if u.Exit != 1 || len(stderr) == 0 {
		t.Errorf("exit %d, %q; want the failure of the launched launcher", u.Exit, stderr)
	}
}
