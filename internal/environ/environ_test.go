package environ

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLookup(t *testing.T) {
	environ := []string{"PATH=/first", "Path=/mixed", "A=1=2", "EMPTY=", "ODD", "", "=", "=C:=C:\\here", "GONE=x", "PATH=/last", "GONE="}
	for _, c := range []struct {
		name, goos, want string
		set              bool
	}{
		{"PATH", "linux", "/last", true},
		{"Path", "linux", "/mixed", true},
		{"path", "linux", "", false},
		{"path", "darwin", "", false},
		{"path", "windows", "/last", true},
		{"A", "linux", "1=2", true},
		{"A=1", "linux", "", false},
		{"EMPTY", "linux", "", true},
		{"GONE", "linux", "", true},
		{"ODD", "linux", "", false},
		{"", "linux", "", false},
		{"", "windows", "", false},
		{"=c:", "windows", `C:\here`, true},
		{"NONE", "linux", "", false},
	} {
		got, set := Lookup(environ, c.name, c.goos)
		if got != c.want || set != c.set {
			t.Errorf("Lookup(%q) on %s = %q, %v", c.name, c.goos, got, set)
		}
		if got := Index(environ, c.goos)(c.name); got != c.want {
			t.Errorf("Index()(%q) on %s = %q", c.name, c.goos, got)
		}
	}
}

func TestIndexKeepsWhatItSaw(t *testing.T) {
	environ := []string{"A=1"}
	get := Index(environ, "linux")
	environ[0] = "A=2"
	if got := get("A"); got != "1" {
		t.Errorf("A = %q", got)
	}
}

// What is appended overrides, and the two ways to look never disagree.
func TestAppendedValuesOverride(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		environ := rapid.SliceOf(rapid.StringMatching(`[aAbB=]{0,5}`)).Draw(t, "environ")
		name := rapid.StringMatching(`[aAbB]{1,2}`).Draw(t, "name")
		goos := rapid.SampledFrom([]string{"linux", "windows"}).Draw(t, "goos")
		value, _ := Lookup(environ, name, goos)
		if got := Index(environ, goos)(name); got != value {
			t.Fatalf("Lookup says %q, Index %q", value, got)
		}
		if got, ok := Lookup(append(slices.Clone(environ), name+"=new"), name, goos); got != "new" || !ok {
			t.Fatalf("not overridden: %q, %v", got, ok)
		}
	})
}
