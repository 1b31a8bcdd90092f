package catalog

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// asNobody runs do in a thread to which permissions apply, even for root.
func (f *fixture) asNobody(do func()) {
	f.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	_ = unix.Setfsuid(nobody) // it reports the old one, not success
	defer func() { _ = unix.Setfsuid(0) }()
	if _, err := os.ReadFile("/etc/shadow"); err == nil {
		f.Skip("permissions do not apply here")
	}
	do()
}

// device makes a device that never ends, if the user may.
func (f *fixture) device(rel string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	f.mkdir("skills/device")
	return unix.Mknod(f.path(rel), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) == nil // /dev/zero
}
