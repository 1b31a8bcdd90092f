package catalog

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino, size: st.Size, mode: st.Mode, links: uint32(st.Nlink)}
}
