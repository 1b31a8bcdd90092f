//go:build !windows

package files

import (
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// What is no regular file is refused without waiting for it.
func TestSpecialFiles(t *testing.T) {
	r := newRoom(t)
	if err := syscall.Mkfifo(r.path("pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", r.path("s"))
	if err == nil {
		defer l.Close()
		r.fails("file_read", args{"path": "s"}, "no regular file")
		r.fails("file_write", args{"path": "s", "content": "x"}, "no regular file")
	}
	r.fails("file_read", args{"path": "pipe"}, "no regular file")
	r.fails("file_read", args{"path": "pipe/x"}, errNotFolder.Error())
	r.fails("file_write", args{"path": "pipe", "content": "x"}, "no regular file")
	r.fails("file_edit", args{"path": "pipe", "old": "x", "new": "y"}, "no regular file")
	r.fails("glob_search", args{"path": "pipe", "pattern": "*"}, "not a folder")
	r.ok("content_search", args{"pattern": "x"})
	// A pipe in the place of a folder that was looked at keeps nobody waiting.
	root, err := os.OpenRoot(r.ws)
	if err != nil {
		t.Fatal(err)
	}
	s := &spot{dirs: []*os.Root{root}}
	defer s.close()
	if err := s.enter("pipe", nil); err == nil {
		t.Error("a pipe was entered")
	}
}

// Where the workspace is everything, the kernel's files still are not read.
func TestKernelFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are none")
	}
	r := newRoom(t)
	r.opt.Workspace = "/"
	for _, path := range []string{"/proc/self/environ", "/proc/self/cmdline", "/dev/zero", "/dev/null"} {
		r.fails("file_read", args{"path": path}, "kernel")
	}
	r.ok("file_read", args{"path": r.skills + "/SKILL.md"})
}

func TestModesAreKept(t *testing.T) {
	r := newRoom(t)
	for _, mode := range []os.FileMode{0o600, 0o755, 0o666} {
		r.put("a", "x\n")
		if err := os.Chmod(r.path("a"), mode); err != nil {
			t.Fatal(err)
		}
		r.ok("file_edit", args{"path": "a", "old": "x", "new": "y"})
		r.ok("file_write", args{"path": "a", "content": "z"})
		if info, err := os.Stat(r.path("a")); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%v became %v, %v", mode, info.Mode(), err)
		}
	}
	if err := os.Chmod(r.path("a"), 0o444); err != nil {
		t.Fatal(err)
	}
	r.fails("file_write", args{"path": "a", "content": "x"}, "its mode is 0444")
	r.fails("file_edit", args{"path": "a", "old": "z", "new": "x"}, "its mode is 0444")
}
