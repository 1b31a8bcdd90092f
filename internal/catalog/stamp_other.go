//go:build !linux && !darwin

package catalog

import "io/fs"

func stampOf(info fs.FileInfo) stamp {
	return stamp{mtime: info.ModTime().UnixNano(), size: info.Size(), mode: uint32(info.Mode())}
}
