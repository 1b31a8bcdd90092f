//go:build unix && !linux

package catalog

import "os"

// asNobody runs do unless permissions do not apply to the user.
func (f *fixture) asNobody(do func()) {
	if os.Geteuid() == 0 {
		f.Skip("permissions do not apply to root")
	}
	do()
}

// device would make a device; only Linux does here.
func (f *fixture) device(string) bool { return false }
