package edit

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/tree"
)

func FuzzYAMLField(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: |\n  x\n", "a: b: c\n", "a: {\n}\n", "- a\n", "a: 'x # y' # z", " a: 1\r\n b: 2", "a:\n- x\n# c\n- y"} {
		f.Add([]byte(seed), "a", "x: y")
	}
	f.Fuzz(func(t *testing.T, doc []byte, key, value string) {
		before := bytes.Clone(doc)
		out, err := YAMLField(doc, key, value)
		if !bytes.Equal(before, doc) {
			t.Fatal("the document given was changed")
		}
		if err != nil {
			return
		}
		if n, err := tree.YAML(out, 1, limits); err == nil && n.Get(validText(key)) != nil && n.Get(validText(key)).Text != validText(value) {
			t.Fatalf("set %q to %q: got %s", key, value, n.Source())
		}
		if again, err := YAMLField(out, key, value); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("set twice: %q, then %q: %v", out, again, err)
		}
	})
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"a = 1\n", "[a]\nb = {c = 1}\n", "a.b = 1 # x\n[[c]]\n", "\r\n[a.b]\r\n", "a = {\n b = 1, # c\n}"} {
		f.Add([]byte(seed), "a.b", "[1]")
	}
	f.Fuzz(func(t *testing.T, doc []byte, path, value string) {
		keys := strings.Split(path, ".")
		out, err := TOML(doc, keys, value)
		if errors.Is(err, errChanged) {
			t.Fatalf("%q: set %q to %q: %v", doc, path, value, err)
		}
		if err == nil {
			if again, err := TOML(out, keys, value); err != nil || !bytes.Equal(again, out) {
				t.Fatalf("set twice: %q, then %q: %v", out, again, err)
			}
		}
		if _, err := DeleteTOML(doc, keys); errors.Is(err, errChanged) {
			t.Fatalf("%q: delete %q: %v", doc, path, err)
		}
	})
}
