package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// What a contained program puts into the PATH of its caller is never started
// outside, by no layer, and not by asking for the layers.
func TestPlantedBwrap(t *testing.T) {
	dir := t.TempDir()
	bin, mark := filepath.Join(dir, ".venv", "bin"), filepath.Join(dir, "started")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$*\" >>" + mark + "\necho bubblewrap 0.11.0\n"
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bin, bin + ":/usr/bin", bin + "/../bin:/bin", "/usr/bin/../.." + bin} {
		for _, layer := range append([]Layer{""}, layers[:]...) {
			b := New(Options{Program: program, Layer: layer, Path: path})
			spec, _ := shell(t, "true")
			spec.Write = append(spec.Write, dir)
			_, _ = b.Run(t.Context(), spec) // a layer may not work here
			b.Layers(t.Context())
			if data, err := os.ReadFile(mark); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("%s, layer %q: started with %s", path, layer, data)
			}
		}
	}
}

// A layer that is not needed is not tried.
func TestWeakerLayersAreNotTried(t *testing.T) {
	b := newBox(t, "")
	spec, _ := shell(t, "true")
	_, result := output(t, b, spec)
	used := slices.Index(layers[:], result.Report.Layer)
	for i := range layers {
		if tried := b.tries[i].status.Layer != ""; tried != (i <= used) {
			t.Errorf("%s is used; %s was tried: %v", layers[used], layers[i], tried)
		}
	}
}

// Who may write where bwrap is, is not contained by it.
func TestBwrapBelowTheWorkspace(t *testing.T) {
	b := newBox(t, Bubblewrap)
	file, err := b.machine().bwrap()
	if err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(file), link); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{filepath.Dir(file), filepath.Dir(filepath.Dir(file)), link} {
		if err := (&plan{}).bubblewrap(file, Spec{Write: []string{base}}); err == nil {
			t.Errorf("%s can be written", base)
		}
	}
}

func TestOwnedByRoot(t *testing.T) {
	const dir, file, link = unix.S_IFDIR, unix.S_IFREG, unix.S_IFLNK
	disk := map[string]entry{
		"/": {0, dir | 0o755, ""}, "/usr": {0, dir | 0o755, ""}, "/usr/bin": {0, dir | 0o755, ""}, "/bin": {0, link | 0o777, "usr/bin"},
		"/usr/bin/good": {0, file | 0o755, ""}, "/usr/bin/grouped": {0, file | 0o775, ""}, "/usr/bin/theirs": {1000, file | 0o755, ""},
		"/usr/bin/up": {0, link | 0o777, "../bin/./good"}, "/usr/bin/loop": {0, link | 0o777, "loop"}, "/usr/bin/out": {0, link | 0o777, "/tmp/x/good"},
		"/usr/bin/home": {0, link | 0o777, "/home/u/good"}, "/usr/bin/far": {0, link | 0o777, "/opt/a/good"},
		"/tmp": {0, dir | 0o1777, ""}, "/tmp/x": {0, dir | 0o755, ""}, "/tmp/x/good": {0, file | 0o755, ""},
		"/home": {0, dir | 0o755, ""}, "/home/u": {1000, dir | 0o755, ""}, "/home/u/good": {0, file | 0o755, ""},
		"/opt": {0, dir | 0o755, ""}, "/opt/a": {0, dir | 0o755, ""}, "/opt/a/good": {0, link | 0o777, "/usr/bin/good"},
		"/opt/their": {1000, link | 0o777, "/usr/bin/good"},
	}
	look := func(path string) (entry, error) {
		e, ok := disk[path]
		if !ok {
			return e, unix.ENOENT
		}
		return e, nil
	}
	for path, want := range map[string]string{
		"/usr/bin/good": "/usr/bin/good", "/bin/good": "/usr/bin/good", "/bin/up": "/usr/bin/good", "/bin/far": "/usr/bin/good", "//bin/../bin//good": "/usr/bin/good",
		"/usr/bin/grouped": "", "/usr/bin/theirs": "", "/usr/bin/loop": "", "/bin/out": "", "/bin/home": "", "/tmp/x/good": "", "/home/u/good": "",
		"/opt/their": "", "/usr/bin/none": "",
	} {
		if got, err := ownedByRoot(path, look); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if got, err := ownedByRoot("/bin/sh", lookAt); err != nil || !filepath.IsAbs(got) {
		t.Errorf("/bin/sh: %q, %v", got, err)
	}
	if got, err := ownedByRoot(t.TempDir(), lookAt); err == nil {
		t.Errorf("a tmp is root's: %q", got)
	}
}
