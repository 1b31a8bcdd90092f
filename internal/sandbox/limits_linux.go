package sandbox

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// plainWeak is what limits without a stage do not keep.
var plainWeak = []string{
	"processes that leave their group are not ended",
	tmpUnbounded,
	"memory and processes are bounded for each process and user, not for all together",
}

// boundProcess bounds a process that has just been started.
func boundProcess(pid int, b Bounds) {
	for _, l := range resourceLimits(b, threadsOf(os.Geteuid())) {
		_ = unix.Prlimit(pid, l.limit, &unix.Rlimit{Cur: l.value, Max: l.value}, nil)
	}
}

// threadsOf counts what the kernel counts when it bounds processes: the
// threads of a user. Root's are not bounded that way, and not counted.
func threadsOf(uid int) int {
	if uid == 0 {
		return 0
	}
	entries, _ := os.ReadDir("/proc")
	count := 0
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		var stat unix.Stat_t
		if unix.Stat("/proc/"+e.Name(), &stat) != nil || int(stat.Uid) != uid {
			continue
		}
		// The name of the program, in parentheses, may have anything in it; the
		// number of threads is the 18th field after it.
		data, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:]); len(fields) > 17 {
			n, _ := strconv.Atoi(string(fields[17]))
			count += n
		}
	}
	return count
}
