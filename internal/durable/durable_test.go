package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// content lists a directory with what its files hold.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var errStop = errors.New("stopped by the test")

// Before each step the target holds the old or the new content, which is what
// a crash would leave. A failure of the step leaves that and nothing else.
func TestEveryStepMayFail(t *testing.T) {
	steps := []string{"mkdir", "sync directory", "create", "write", "chmod", "sync", "close", "rename"}
	for _, exists := range []bool{true, false} {
		for _, durable := range []bool{true, false} {
			seen := map[string]bool{}
			for _, fail := range append(steps, "none") {
				dir := t.TempDir()
				path := filepath.Join(dir, "sub", "deep", "file")
				before := map[string]string{}
				if exists {
					before["sub/deep/file"] = "old"
					os.MkdirAll(filepath.Dir(path), 0o700)
					os.WriteFile(path, []byte("old"), 0o600)
				}
				after := map[string]string{"sub/deep/file": "new content"}
				w := writer{sync: durable, before: func(step, temp string) error {
					seen[step] = true
					now := content(t, dir)
					if temp != "" {
						name, _ := filepath.Rel(dir, temp)
						delete(now, filepath.ToSlash(name))
					}
					if !cmp.Equal(now, before) && !cmp.Equal(now, after) {
						t.Errorf("before %s: %v", step, now)
					}
					if step != fail {
						return nil
					}
					if step == "write" { // a disk that fills up takes a part
						os.WriteFile(temp, []byte("new co"), 0o600)
					}
					return errStop
				}}
				err := w.write(path, []byte("new content"), 0o600)
				now := content(t, dir)
				reached := fail == "none" || seen[fail]
				switch {
				case fail == "none" && err != nil, reached && fail != "none" && !errors.Is(err, errStop):
					t.Errorf("%s failed: got error %v", fail, err)
				case err == nil && !cmp.Equal(now, after):
					t.Errorf("written, but %v", now)
				case err != nil && fail == "sync directory" && (cmp.Equal(now, after) || cmp.Equal(now, before)):
				case err != nil && !cmp.Equal(now, before):
					t.Errorf("%s failed, and left %v", fail, now)
				}
			}
			for _, step := range steps {
				skipped := exists && step == "mkdir" || !durable && strings.Contains(step, "sync")
				if seen[step] == skipped {
					t.Errorf("existing %t, durable %t: step %q taken: %t", exists, durable, step, !skipped)
				}
			}
		}
	}
}

func TestErrorsOfTheSystemLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "target", "full"), 0o700)
	os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600)
	for _, path := range []string{
		filepath.Join(dir, "target"),                           // a directory
		filepath.Join(dir, "file", "below"),                    // below a file
		filepath.Join(dir, strings.Repeat("n", 5000)),          // no such name
		filepath.Join(dir, "nul\x00"),                          // nor that
		filepath.Join(dir, strings.Repeat("d", 5000), "below"), // nor that directory
	} {
		if err := WriteFile(path, []byte("new"), 0o600); err == nil || !strings.HasPrefix(err.Error(), "write ") {
			t.Errorf("%.40q: got error %v", path, err)
		}
	}
	if diff := cmp.Diff(map[string]string{"file": "x"}, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := t.TempDir()
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	for _, kept := range []fs.FileMode{0o600, 0o644, 0o755, 0o666, 0o400} {
		path := filepath.Join(dir, "kept")
		os.Remove(path)
		os.WriteFile(path, []byte("old"), 0o600)
		os.Chmod(path, kept) // past the umask
		if err := WriteFile(path, []byte("new"), 0o611); err != nil || mode(path) != kept {
			t.Errorf("mode %o became %o, error %v", kept, mode(path), err)
		}
	}
	path := filepath.Join(dir, "a", "b", "new")
	if err := WriteFile(path, nil, 0o700); err != nil || mode(path) != 0o700 {
		t.Errorf("a new file has mode %o, error %v", mode(path), err)
	}
	if got := mode(filepath.Join(dir, "a")); got != 0o700 {
		t.Errorf("a new directory has mode %o", got)
	}
	if err := WriteCache(filepath.Join(dir, "cache"), nil); err != nil || mode(filepath.Join(dir, "cache")) != 0o600 {
		t.Errorf("a cache has mode %o, error %v", mode(filepath.Join(dir, "cache")), err)
	}
}

func TestLinksStay(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "dotfiles"), 0o700)
	os.WriteFile(filepath.Join(dir, "dotfiles", "config"), []byte("old"), 0o600)
	link := filepath.Join(dir, "config")
	if err := os.Symlink(filepath.Join("dotfiles", "config"), link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != filepath.Join("dotfiles", "config") {
		t.Errorf("the link became %q, %v", target, err)
	}
	if got := content(t, dir)["dotfiles/config"]; got != "new" {
		t.Errorf("behind the link is %q", got)
	}
	os.Remove(filepath.Join(dir, "dotfiles", "config"))
	if err := WriteFile(link, []byte("new"), 0o600); err == nil || !strings.Contains(err.Error(), "link to nothing") {
		t.Errorf("dangling link: got error %v", err)
	}
}

// Readers beside many writers see only whole contents.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	contents := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 50_000), {}}
	if err := WriteFile(path, contents[0], 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, c := range contents {
		writers.Go(func() {
			for range 20 {
				if err := WriteCache(path, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		got, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(contents, func(c []byte) bool { return bytes.Equal(c, got) }) {
			t.Fatalf("%d bytes, error %v", len(got), err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// What a link in a cache's place points to stays as it is.
func TestWriteCacheReplacesLinks(t *testing.T) {
	dir := t.TempDir()
	victim, cache := filepath.Join(dir, "victim"), filepath.Join(dir, "cache")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, cache); err != nil {
		t.Skip(err)
	}
	if err := WriteCache(cache, []byte("new")); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(victim)
	if err != nil || string(kept) != "precious" {
		t.Errorf("the target holds %q, %v", kept, err)
	}
	if got, err := os.ReadFile(cache); err != nil || string(got) != "new" {
		t.Errorf("the cache holds %q, %v", got, err)
	}
}
