package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// replaced is the argument that makes this binary, in a workspace, contain a
// program that replaces it.
const replaced = "__replaced"

// replacing tries to put another program where the agent is, and in it.
const replacing = `
printf '#!/bin/sh\ntouch %s\n' "$PWD/sub/started" >sub/evil; chmod 755 sub/evil; cp sub/evil sub/evil2
mv sub/evil2 agent; ln agent sub/hard; cp sub/evil sub/hard; cp sub/evil agent; mv agent agent.old; rm -f agent; cp sub/evil agent
true`

// evil is that program.
func evil(ws string) []byte {
	return []byte("#!/bin/sh\ntouch " + filepath.Join(ws, "sub", "started") + "\n")
}

// settle makes a workspace with this binary in it.
func settle(tb testing.TB) (ws, program string) {
	tb.Helper()
	this, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(this)
	if err != nil {
		tb.Fatal(err)
	}
	ws = tb.TempDir()
	program = filepath.Join(ws, "agent")
	if err := errors.Join(os.Mkdir(filepath.Join(ws, "sub"), 0o755), os.WriteFile(program, data, 0o755)); err != nil {
		tb.Fatal(err)
	}
	return ws, program
}

// inside runs a script in the workspace that a program is in, and makes sure that
// nothing else was started.
func inside(ctx context.Context, b *Box, layer Layer, ws, script string) error {
	var out bytes.Buffer
	result, err := b.Run(ctx, Spec{
		Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: ws, Write: []string{ws},
		Stdout: &out, Stderr: &out, Contained: layer.Contains(),
	})
	if err != nil || result.Exit != 0 || result.Report.Layer != layer {
		return fmt.Errorf("%+v, %w: %s", result, err, out.String())
	}
	b.Layers(ctx)
	if _, err := os.Stat(filepath.Join(ws, "sub", "started")); !errors.Is(err, os.ErrNotExist) {
		return errors.New("what replaced it was started outside")
	}
	return nil
}

// besiege runs a program that attacks that of its own stage, has it replaced from
// outside, where no containment helps, and runs another.
func besiege(ctx context.Context, layer Layer, program string) error {
	ws := filepath.Dir(program)
	before, err := os.Stat(program)
	if err != nil {
		return err
	}
	b := New(Options{Program: program, Layer: layer, Path: "/usr/bin"})
	script := replacing
	if !layer.Contains() {
		script = "true" // it can do anything
	}
	if err := inside(ctx, b, layer, ws, script); err != nil {
		return err
	}
	after, err := os.Stat(program)
	if err != nil {
		return err
	}
	if !os.SameFile(before, after) || after.Size() != before.Size() {
		return errors.New("the program is another")
	}
	if err := errors.Join(os.Rename(program, program+".old"), os.WriteFile(program, evil(ws), 0o755)); err != nil {
		return err
	}
	return inside(ctx, b, layer, ws, "true")
}

// beReplaced is besieged as the program that runs, and replaced once more before
// somebody makes a box of it.
func beReplaced(layer Layer, program string) {
	ctx, ws, other := context.Background(), filepath.Dir(program), program+".new"
	err := besiege(ctx, layer, program)
	if err = errors.Join(err, os.Rename(program+".old", program), os.WriteFile(other, evil(ws), 0o755), os.Rename(other, program)); err == nil {
		err = inside(ctx, New(Options{Program: program, Layer: layer, Path: "/usr/bin"}), layer, ws, "true")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Stages are of the program that was there at first, whatever is at its path.
func TestReplacedProgram(t *testing.T) {
	eachLayer(t, func(t *testing.T, _ *Box, layer Layer) {
		t.Run("another's", func(t *testing.T) {
			_, program := settle(t)
			if err := besiege(t.Context(), layer, program); err != nil {
				t.Error(err)
			}
		})
		t.Run("its own", func(t *testing.T) {
			_, program := settle(t)
			if out, err := exec.CommandContext(t.Context(), program, replaced, string(layer), program).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	})
}

// The program that runs is meant where one of its name is, also when that is
// another by then.
func TestOpenProgram(t *testing.T) {
	this, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Stat(this)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(this, link); err != nil {
		t.Fatal(err)
	}
	for path, same := range map[string]bool{this: true, link: true, "/bin/true": false} {
		file, err := openProgram(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if info, err := file.Stat(); err != nil || os.SameFile(info, self) != same {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	for path, want := range map[string]error{"": errNoProgram, "/no/such/program": os.ErrNotExist} {
		if _, err := openProgram(path); !errors.Is(err, want) {
			t.Errorf("%q: %v", path, err)
		}
	}
}
