package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A program leaves no file that lends the rights of its owner or group, and has
// all other modes.
func TestModesThatLend(t *testing.T) {
	const script = `
import ctypes, errno, os, stat
libc = ctypes.CDLL(None, use_errno=True)
def call(nr, *args):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(nr), *[ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in args])
    return 0 if got != -1 else ctypes.get_errno()
def refused(what, err):
    if err != errno.EPERM: print(what, errno.errorcode.get(err, "succeeded"))
def works(what, err):
    if err: print(what, errno.errorcode.get(err))
def py(f, *args):
    try: f(*args)
    except OSError as e: return e.errno
    return 0
os.umask(0)
open("f", "w").close(); os.mkdir("d")
fd = os.open("f", os.O_RDWR)
for bits in (0o4000, 0o2000, 0o6000):
    for low in (0o755, 0o600, 0):
        mode = bits | low
        refused("chmod", py(os.chmod, "f", mode)); refused("chmod of a folder", py(os.chmod, "d", mode))
        refused("fchmod", py(os.fchmod, fd, mode)); refused("open", py(os.open, "new", os.O_CREAT | os.O_WRONLY, mode))
        refused("tmpfile", py(os.open, ".", os.O_TMPFILE | os.O_RDWR, mode)); refused("mknod", py(os.mknod, "node", mode | stat.S_IFREG))
        refused("fifo", py(os.mkfifo, "fifo", mode)); refused("fchmodat2", call(452, -100, b"f", mode, 0))
        if os.uname().machine == "x86_64":
            refused("chmod itself", call(90, b"f", mode)); refused("open itself", call(2, b"new", os.O_CREAT | os.O_WRONLY, mode))
            refused("creat", call(85, b"new", mode)); refused("mknod itself", call(133, b"node", mode | stat.S_IFREG, 0))
            refused("high bits", call(90, b"f", mode | 0x7fff0000)); refused("higher bits", call(90, b"f", mode | 1 << 40))
        # A mode that is not looked at may be anything.
        works("open without creating", call(257, -100, b"f", os.O_RDONLY, mode) if os.uname().machine == "x86_64" else 0)
        works("a folder", py(os.mkdir, "d%o" % mode, mode))
for mode in (0o755, 0o777, 0o1777, 0o600, 0):
    if change: works("chmod", py(os.chmod, "f", mode)); works("fchmod", py(os.fchmod, fd, mode))
    works("open", py(os.open, "n%o" % mode, os.O_CREAT | os.O_WRONLY, mode)); works("fifo", py(os.mkfifo, "p%o" % mode, mode))
`
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() {
			t.Skip("nothing is contained")
		}
		for change, contained := range map[string]bool{"True": layer != Landlock, "False": true} {
			spec, ws := shell(t, "")
			spec.Argv, spec.Contained = []string{"python3", "-c", "change = " + change + script}, contained
			if got, result := output(t, b, spec); got != "" || result.Exit != 0 {
				t.Errorf("%+v\n%s", result, got)
			}
			err := filepath.WalkDir(ws, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return nil // a folder that may not be read
				}
				info, err := d.Info()
				if err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
					t.Errorf("%s: %s", path, info.Mode())
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
