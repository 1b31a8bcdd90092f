//go:build unix

package catalog

import (
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/knackhq/knack/skill"
)

func TestPipesSocketsAndDevices(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.mkdir("skills/pipe/deep")
		f.mkdir("skills/group")
		for _, path := range []string{"skills/pipe/SKILL.md", "skills/group/pipe", "skills/SKILL.md"} {
			if err := unix.Mkfifo(f.path(path), 0o600); err != nil {
				f.Fatal(err)
			}
		}
		f.write("skills/fine/SKILL.md", "")
		f.mkdir("skills/socket")
		if l, err := net.Listen("unix", f.path("skills/socket/SKILL.md")); err == nil {
			defer l.Close()
		} else {
			f.Fatal(err)
		}
		want := []string{
			"ready fine skills/fine",
			"invalid pipe skills/pipe [invalid] {file-not-regular skills/pipe/SKILL.md}",
			"invalid skills skills [invalid] {file-not-regular skills/SKILL.md}",
			"invalid socket skills/socket [invalid] {file-not-regular skills/socket/SKILL.md}",
		}
		if f.device("skills/device/SKILL.md") {
			want = append([]string{"invalid device skills/device [invalid] {file-not-regular skills/device/SKILL.md}"}, want...)
		}
		done := make(chan *Snapshot, 1)
		go func() { done <- f.load() }()
		select {
		case s := <-done:
			f.want(s, want...)
		case <-time.After(30 * time.Second):
			f.Fatal("a pipe was opened and waited for")
		}
	})
}

// A file that becomes a pipe after it was listed must not be waited for.
func TestSwappedForAPipe(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		c := f.catalog()
		open := c.openTree
		c.openTree = func(path string) (tree, error) {
			t, err := open(path)
			return listedTree{t, func(path string) {
				if path == "a" {
					_ = os.Remove(f.path("skills/a/SKILL.md"))
					if err := unix.Mkfifo(f.path("skills/a/SKILL.md"), 0o600); err != nil {
						f.Error(err)
					}
				}
			}}, err
		}
		f.want(f.loadFrom(c), "invalid a skills/a [invalid] {file-not-regular skills/a/SKILL.md}")
	})
}

func TestUnreadable(t *testing.T) {
	everywhere(t, func(f *fixture) {
		for _, path := range []string{"skills/fine/SKILL.md", "skills/closed/SKILL.md", "skills/file/SKILL.md", "skills/part/SKILL.md", "skills/part/SKILL.toml"} {
			f.write(path, "")
			f.chmod(path, 0o644)
		}
		f.chmod("skills/closed", 0)
		f.chmod("skills/file/SKILL.md", 0)
		f.chmod("skills/part/SKILL.md", 0)
		f.write("root/SKILL.md", "")
		f.chmod("root", 0)
		f.opt.Roots = append(f.opt.Roots, Root{Path: f.path("root"), Depth: 1})
		f.mkdir("cache")
		f.chmod("cache", 0o777)
		f.chmod("..", 0o755)
		f.opt.Index = f.path("cache/index")
		c := f.catalog()
		c.workers = 1 // all in this thread
		for range 2 {
			f.asNobody(func() {
				f.want(f.loadFrom(c),
					"invalid file skills/file [invalid] {file-unreadable skills/file/SKILL.md}",
					"ready fine skills/fine",
					"ready part skills/part {file-unreadable skills/part/SKILL.md}",
					"! root-unreadable root",
					"! directory-unreadable skills/closed",
				)
			})
		}
		f.chmod("skills/closed", 0o755)
		f.chmod("skills/file/SKILL.md", 0o644)
		f.chmod("skills/part/SKILL.md", 0o644)
		f.chmod("root", 0o755)
		f.chmod("root/SKILL.md", 0o644)
		f.asNobody(func() {
			f.want(f.loadFrom(c), "ready closed skills/closed", "ready file skills/file", "ready fine skills/fine", "ready part skills/part", "ready root root")
		})
	})
}

func (f *fixture) chmod(rel string, mode os.FileMode) {
	f.Helper()
	if err := os.Chmod(f.path(rel), mode); err != nil {
		f.Fatal(err)
	}
}

// A manifest whose content the system cannot deliver.
func TestReadError(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file that is regular and cannot be read")
	}
	tr, err := openTree("/proc/self")
	if err != nil {
		t.Skip(err)
	}
	defer tr.close()
	dir, err := tr.open(".", &buffers{})
	if err != nil {
		t.Skip(err)
	}
	defer dir.close()
	if _, _, err := dir.read("mem", 1<<20, nil); err == nil { // address 0 is never mapped
		t.Error("no error")
	}
	data, _, err := dir.read("status", 1<<20, nil) // says it is empty, and is not
	if err != nil || len(data) == 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, _, err := dir.read("status", 10, nil); err != errTooLarge {
		t.Errorf("read beyond the limit: %v", err)
	}
}

func TestSpecialFilesInASkill(t *testing.T) {
	everywhere(t, func(f *fixture) {
		f.write("skills/a/SKILL.md", "")
		f.mkdir("skills/a/deep")
		if err := unix.Mkfifo(f.path("skills/a/deep/pipe"), 0o600); err != nil {
			f.Fatal(err)
		}
		want := "ready a skills/a {special-file skills/a/deep/pipe}"
		deep, err := f.catalog().Survey(f.Context(), f.load())
		if err != nil {
			f.Fatal(err)
		}
		f.want(deep, want)
		full := f.open("a")
		f.want(&Snapshot{Entries: []*skill.Entry{full}}, want)
		if full.Digest != "" {
			f.Errorf("digest %q of a pipe", full.Digest)
		}
	})
}

func TestOpenWhatCannotBeRead(t *testing.T) {
	everywhere(t, func(f *fixture) {
		for _, path := range []string{"skills/a/SKILL.md", "skills/a/secret", "skills/a/closed/x"} {
			f.write(path, "")
			f.chmod(path, 0o644)
		}
		f.chmod("skills/a/secret", 0)
		f.chmod("skills/a/closed", 0)
		f.chmod("..", 0o755)
		f.asNobody(func() {
			full := f.open("a")
			f.want(&Snapshot{Entries: []*skill.Entry{full}},
				"ready a skills/a {file-unreadable skills/a} {directory-unreadable skills/a/closed}")
			if full.Digest != "" || len(full.Resources) != 1 {
				f.Errorf("digest %q, resources %v", full.Digest, full.Resources)
			}
		})
		f.chmod("skills/a/closed", 0o755)
	})
}
