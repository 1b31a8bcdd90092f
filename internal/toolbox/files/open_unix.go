//go:build !windows

package files

import "syscall"

// nonBlocking lets a pipe be opened without a writer. It means nothing to
// regular files.
const nonBlocking = syscall.O_NONBLOCK
