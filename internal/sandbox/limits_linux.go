package sandbox

import "golang.org/x/sys/unix"

// plainWeak is what limits without a stage do not keep.
var plainWeak = []string{
	"processes that leave their group are not ended",
	"the size of its tmp is not bounded",
	"memory and processes are bounded for each process and user, not for all together",
}

// boundProcess bounds a process that has just been started.
func boundProcess(pid int, b Bounds) {
	for _, l := range resourceLimits(b) {
		_ = unix.Prlimit(pid, l.limit, &unix.Rlimit{Cur: l.value, Max: l.value}, nil)
	}
}
