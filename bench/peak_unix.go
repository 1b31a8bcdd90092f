//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the largest resident set of a process that ended, in bytes. Darwin
// counts in bytes, the others in KiB.
func peak(state *os.ProcessState) int64 {
	ru, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(ru.Maxrss)
	}
	return int64(ru.Maxrss) << 10
}
