package digest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever changes the digest changes the stamp, and nothing else does.
func TestStampFollowsTheDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	stamp := func() string {
		t.Helper()
		s, newest, err := Stamp(t.Context(), root, ".")
		if errors.Is(err, ErrNoStamp) {
			t.Skip(err)
		}
		if err != nil || newest.IsZero() {
			t.Fatal(err, newest)
		}
		return s
	}
	write("a/SKILL.md", "one")
	write("a/b/run.sh", "x")
	first := stamp()
	if again := stamp(); again != first {
		t.Error("the same folder has two stamps")
	}
	seen := map[string]string{first: "nothing"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"content, with the old time", func() {
			old := time.Unix(1, 0)
			write("a/SKILL.md", "two")
			must(os.Chtimes(filepath.Join(dir, "a/SKILL.md"), old, old))
		}},
		{"a mode", func() { must(os.Chmod(filepath.Join(dir, "a/b/run.sh"), 0o755)) }},
		{"a file", func() { write("a/new", "") }},
		{"a rename", func() { must(os.Rename(filepath.Join(dir, "a/b"), filepath.Join(dir, "a/c"))) }},
	} {
		c.change()
		s := stamp()
		if was, ok := seen[s]; ok {
			t.Errorf("%s has the stamp of %s", c.what, was)
		}
		seen[s] = c.what
	}
}
