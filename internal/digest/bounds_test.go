package digest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

var epoch = time.Unix(0, 0)

func TestBounds(t *testing.T) {
	fsys := fstest.MapFS{"a/b": {Data: []byte("1234")}, "a/c": {Data: []byte("5678")}}
	for _, tt := range []struct {
		name string
		opts []Option
		want error
	}{
		{"enough", []Option{MaxFiles(3), MaxBytes(8)}, nil},
		{"a file too many", []Option{MaxFiles(2)}, ErrTooLarge},
		{"a byte too many", []Option{MaxBytes(7)}, ErrTooLarge},
	} {
		if _, _, err := TreeFS(t.Context(), fsys, ".", tt.opts...); !errors.Is(err, tt.want) {
			t.Errorf("%s: got error %v", tt.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := TreeFS(ctx, fsys, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got error %v", err)
	}
	if _, _, err := TreeFS(t.Context(), fsys, "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: got error %v", err)
	}
	if _, _, err := TreeFS(t.Context(), fstest.MapFS{"p": {Mode: fs.ModeNamedPipe}}, "."); !errors.Is(err, ErrSpecial) {
		t.Errorf("a pipe: got error %v", err)
	}
}

// A file that is not what it was when it was found has no digest.
func TestChangesWhileReading(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"grown":  func(path string) error { return os.WriteFile(path, []byte("longer than it was"), 0o600) },
		"shrunk": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte("same"), 0o600), os.Rename(path+"2", path))
		},
		"linked":   func(path string) error { return errors.Join(os.Remove(path), os.Symlink("other", path)) },
		"a folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600)
			os.WriteFile(filepath.Join(dir, "other"), []byte("text"), 0o600)
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			w := walker{ctx: t.Context(), from: rootFolder{root}, bounds: bounds{files: 10, bytes: 100}, buffer: make([]byte, 100)}
			info, err := root.Lstat("file")
			if err != nil {
				t.Fatal(err)
			}
			if err := change(filepath.Join(dir, "file")); err != nil {
				t.Skip(err)
			}
			if _, err := w.read(entry{path: "file", info: info}); !errors.Is(err, ErrChanged) {
				t.Errorf("got error %v", err)
			}
		})
	}
}

// Links are neither followed nor able to lead out of the folder.
func TestLinksLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "skill"), 0o700)
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "secret"), []byte("1"), 0o600),
		os.Symlink("../secret", filepath.Join(dir, "skill", "out")),
		os.Symlink(".", filepath.Join(dir, "skill", "loop")),
		os.Symlink("nothing", filepath.Join(dir, "skill", "dangling")),
	); err != nil {
		t.Skip(err)
	}
	before := treeOf(t, filepath.Join(dir, "skill"))
	os.WriteFile(filepath.Join(dir, "secret"), []byte("2"), 0o600)
	if after := treeOf(t, filepath.Join(dir, "skill")); after != before {
		t.Error("the digest depends on what is outside")
	}
	// A file system that cannot read links must not follow them unseen.
	if _, _, err := TreeFS(t.Context(), struct{ fs.FS }{os.DirFS(filepath.Join(dir, "skill"))}, "."); err == nil {
		t.Error("links were followed")
	}
}
