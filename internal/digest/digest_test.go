package digest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func bytesOf(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The folder holds a program "a" of the bytes "hi\n", an empty file "b/c.md"
// and a link "z" to "a". The bytes are written out from the package comment;
// the digests of the contents and of the whole come from sha256sum.
func TestGolden(t *testing.T) {
	stream := bytesOf(t, `
		6b6e61636b2d747265652d310a
		66 0000000000000001 61           01 0000000000000003 98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4
		66 0000000000000006 622f632e6d64 00 0000000000000000 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
		6c 0000000000000001 7a           00 0000000000000001 ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb`)
	const want = "sha256:fd00d85fe7211814dac38c75f59ab64972bc4e3bfe9767775f1b08c6721db5bd"
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(stream)); got != want {
		t.Fatalf("the bytes written out give %s", got)
	}
	fsys := fstest.MapFS{
		"skill/a":           {Data: []byte("hi\n"), Mode: 0o755},
		"skill/b/c.md":      {Mode: 0o644},
		"skill/z":           {Data: []byte("a"), Mode: fs.ModeSymlink | 0o777},
		"skill/.git/config": {Data: []byte("left out")},
		"other":             {Data: []byte("not in the folder")},
	}
	got, files, err := TreeFS(t.Context(), fsys, "skill")
	if err != nil || got != want {
		t.Errorf("TreeFS: got %s, error %v", got, err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, fmt.Sprintf("%s %t %t %d", f.Path, f.Link, f.Executable, f.Size))
	}
	if diff := cmp.Diff([]string{"a false true 3", "b/c.md false false 0", "z true false 1"}, paths); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS == "windows" {
		return // no executable bit
	}
	dir := write(t, fsys)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if got, _, err := Tree(t.Context(), root, "skill"); err != nil || got != want {
		t.Errorf("Tree: got %s, error %v", got, err)
	}
	if _, _, err := Tree(t.Context(), root, "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: got error %v", err)
	}
}

// write copies a file system to a directory, in the order of a map.
func write(t *testing.T, fsys fstest.MapFS) string {
	t.Helper()
	dir := t.TempDir()
	for name, file := range fsys {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if file.Mode.Type() == fs.ModeSymlink {
			err = errors.Join(err, os.Symlink(string(file.Data), path))
		} else {
			err = errors.Join(err, os.WriteFile(path, file.Data, file.Mode.Perm()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func treeOf(t *testing.T, dir string) string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	digest, _, err := Tree(t.Context(), root, ".")
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// A folder as data: what the digest must tell apart.
type record struct {
	Kind    string
	Content string
}

var folders = rapid.MapOfN(
	rapid.StringMatching(`[ab\-.](/[ab]){0,2}`).Filter(func(p string) bool { return fs.ValidPath(p) && p != "." }),
	rapid.Custom(func(t *rapid.T) record {
		return record{rapid.SampledFrom([]string{"file", "program", "link"}).Draw(t, "kind"), rapid.StringMatching(`[ab]{0,3}`).Draw(t, "content")}
	}), 0, 6)

// toFS makes a file system of a folder; false if a file is in another's way.
func toFS(folder map[string]record) (fstest.MapFS, bool) {
	fsys := fstest.MapFS{}
	for name, r := range folder {
		for other := range folder {
			if strings.HasPrefix(other, name+"/") {
				return nil, false
			}
		}
		mode := map[string]fs.FileMode{"file": 0o644, "program": 0o755, "link": fs.ModeSymlink | 0o777}[r.Kind]
		fsys[name] = &fstest.MapFile{Data: []byte(r.Content), Mode: mode}
	}
	return fsys, true
}

// Two folders have the same digest if and only if they are the same.
func TestDigestIsOneToOne(t *testing.T) {
	seen := map[string]map[string]record{}
	rapid.Check(t, func(t *rapid.T) {
		folder := folders.Draw(t, "folder")
		fsys, ok := toFS(folder)
		if !ok {
			return
		}
		digest, files, err := TreeFS(context.Background(), fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[digest]; ok && !maps.Equal(folder, other) {
			t.Fatalf("%v and %v have one digest", folder, other)
		}
		seen[digest] = folder
		for key, other := range seen {
			if key != digest && maps.Equal(folder, other) {
				t.Fatalf("%v has two digests", folder)
			}
		}
		if len(files) != len(folder) || !slices.IsSortedFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
			t.Fatalf("files %v", files)
		}
	})
	if len(seen) < 20 {
		t.Errorf("only %d folders", len(seen))
	}
}

func TestEveryChangeShows(t *testing.T) {
	start := func() fstest.MapFS {
		return fstest.MapFS{
			"SKILL.md":       {Data: []byte("# skill\n"), Mode: 0o644},
			"scripts/run.sh": {Data: []byte("echo\n"), Mode: 0o755},
			"scripts/data":   {Data: bytes.Repeat([]byte("x"), 200_000), Mode: 0o644},
			"link":           {Data: []byte("scripts/data"), Mode: fs.ModeSymlink | 0o777},
		}
	}
	want := treeOf(t, write(t, start()))
	if again := treeOf(t, write(t, start())); again != want {
		t.Errorf("the same folder again: %s, then %s", want, again)
	}
	changes := map[string]func(fsys fstest.MapFS){
		"a byte":             func(fsys fstest.MapFS) { fsys["scripts/data"].Data[150_000] = 'y' },
		"a byte less":        func(fsys fstest.MapFS) { fsys["SKILL.md"].Data = []byte("# skill") },
		"a byte more":        func(fsys fstest.MapFS) { fsys["SKILL.md"].Data = []byte("# skill\n\n") },
		"a file less":        func(fsys fstest.MapFS) { delete(fsys, "scripts/data") },
		"an empty file":      func(fsys fstest.MapFS) { fsys["new"] = &fstest.MapFile{Mode: 0o644} },
		"a hidden file":      func(fsys fstest.MapFS) { fsys[".x"] = &fstest.MapFile{Mode: 0o644} },
		"a .git deeper down": func(fsys fstest.MapFS) { fsys["b/.git/HEAD"] = &fstest.MapFile{Mode: 0o644} },
		"a file .git":        func(fsys fstest.MapFS) { fsys[".git"] = &fstest.MapFile{Mode: 0o644} },
		"a link's aim":       func(fsys fstest.MapFS) { fsys["link"].Data = []byte("SKILL.md") },
		"link to file":       func(fsys fstest.MapFS) { fsys["link"].Mode = 0o644 },
		"another name":       func(fsys fstest.MapFS) { fsys["skill.md"] = fsys["SKILL.md"]; delete(fsys, "SKILL.md") },
		"another folder":     func(fsys fstest.MapFS) { fsys["bin/run.sh"] = fsys["scripts/run.sh"]; delete(fsys, "scripts/run.sh") },
	}
	if runtime.GOOS != "windows" {
		changes["executable"] = func(fsys fstest.MapFS) { fsys["SKILL.md"].Mode = 0o755 }
		changes["not executable"] = func(fsys fstest.MapFS) { fsys["scripts/run.sh"].Mode = 0o644 }
	}
	seen := map[string]string{want: "nothing"}
	for name, change := range changes {
		fsys := start()
		change(fsys)
		got := treeOf(t, write(t, fsys))
		if other, ok := seen[got]; ok {
			t.Errorf("%s gives the digest of %s", name, other)
		}
		seen[got] = name
	}
	for name, change := range map[string]func(dir string) error{
		"a time":             func(dir string) error { return os.Chtimes(filepath.Join(dir, "SKILL.md"), epoch, epoch) },
		"other permissions":  func(dir string) error { return os.Chmod(filepath.Join(dir, "SKILL.md"), 0o600) },
		"an empty directory": func(dir string) error { return os.Mkdir(filepath.Join(dir, "empty"), 0o700) },
		"git":                func(dir string) error { return os.Mkdir(filepath.Join(dir, ".git"), 0o700) },
	} {
		dir := write(t, start())
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		if got := treeOf(t, dir); got != want {
			t.Errorf("%s changes the digest", name)
		}
	}
}
