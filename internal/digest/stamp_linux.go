package digest

import (
	"io/fs"
	"syscall"
	"time"
)

// whatElse is when a file's data or metadata changed last, and its number, if
// that is known.
func whatElse(info fs.FileInfo) (changed time.Time, inode uint64, known bool) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix()), st.Ino, true
	}
	return time.Time{}, 0, false
}
