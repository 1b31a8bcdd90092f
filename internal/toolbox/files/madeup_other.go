//go:build !linux

package files

import "os"

// madeUp is false: the kernel has no files of its own here that look like
// regular ones.
func madeUp(*os.File) bool { return false }
