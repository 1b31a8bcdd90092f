//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// peak is the largest resident set of a process that ended, in bytes. Darwin
// counts in bytes, the others in KiB.
func peak(state *os.ProcessState) int64 {
	ru, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(ru.Maxrss) //nolint:unconvert // an int32 on some systems
	}
	return int64(ru.Maxrss) << 10 //nolint:unconvert // an int32 on some systems
}

// cpuTime is the time this process has kept processors busy so far.
func cpuTime() time.Duration {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}
