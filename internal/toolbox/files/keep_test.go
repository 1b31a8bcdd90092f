package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where a link of something kept leads is kept as well, though nothing is there
// yet: whoever makes it makes what is kept.
func TestKeepBehindLinksToNothing(t *testing.T) {
	r := newRoom(t, "config", "skills", "config/skills", "chain", "around", "absolute", "circle", "file.toml")
	r.link("conf", "config")
	r.link("vendor/s", "skills")
	r.link("chain2", "chain")
	r.link("deep/../chained", "chain2")
	r.link("none/../sub/../rounded", "around")
	r.link(r.path("abs"), "absolute")
	r.link("circle2", "circle")
	r.link("circle", "circle2")
	r.link("made.toml", "file.toml")
	for _, path := range []string{
		"config/x.toml", "conf", "conf/x.toml", "CONF/x.toml", "conf/skills/s/SKILL.md", "vendor", "vendor/s", "vendor/s/pwn/SKILL.md", "Vendor/S/x",
		"chain/x", "chain2/x", "chained/x", "rounded/x", "absolute/x", "abs/x", "file.toml", "made.toml", r.ws + "/conf/x",
	} {
		if res := r.call("file_write", args{"path": path, "content": "owned"}); !res.Failed {
			t.Errorf("%s: %q", path, res.Text)
		}
	}
	for _, path := range []string{"conf", "vendor", "chained", "rounded", "abs", "made.toml"} {
		if _, err := os.Lstat(r.path(path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
	for _, path := range []string{"confer", "vendor/other", "deep/x", "sub/x", "absent/x"} {
		r.ok("file_write", args{"path": path, "content": "fine"})
	}
}

func TestLeadsTo(t *testing.T) {
	r := newRoom(t)
	r.put("dir/file", "x")
	r.link("dir", "link")
	r.link("../none/a", "dir/up")
	r.link("x/../../y", "dir/odd")
	r.link("circle", "circle")
	r.link(r.outside, "out")
	for path, want := range map[string]string{
		".": ".", "dir/file": "dir/file", "link": "dir", "link/none": "dir/none", "dir/up/b": "none/a/b", "link/odd": "y",
		"circle/x": "circle/x", "out/new": "../outside/new", "dir/file/x": "dir/file/x",
	} {
		if got := leadsTo(r.path(path)); got != r.path(want) {
			t.Errorf("%s leads to %s", path, got)
		}
	}
	// Links to links double the way with each, and are given up on.
	for i := range 60 {
		r.link(strings.Repeat("l"+string(rune('A'+i+1))+"/", 2), "l"+string(rune('A'+i)))
	}
	if got := leadsTo(r.path("lA")); got != r.path("lA") {
		t.Error(got)
	}
	if got := leadsTo(filepath.FromSlash("/")); got != filepath.FromSlash("/") {
		t.Error(got)
	}
}
