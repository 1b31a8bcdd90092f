package sandbox

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// killAll kills what the stage has started, directly or not. In a process
// namespace that is everything else there is, and the kernel does it at once.
func killAll(private bool) {
	if private {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	descendants("self", func(pid int) { _ = unix.Kill(pid, unix.SIGKILL) })
}

// countAll counts what the stage has started.
func countAll(private bool) int {
	if private {
		return allProcesses()
	}
	return descendants("self", func(int) {})
}

// descendants counts the processes below one, and visits each. It is not cheap:
// what is looked at in /proc the kernel has to forget again when a process ends.
func descendants(of string, visit func(pid int)) int {
	count := 0
	waiting := []string{of}
	for len(waiting) > 0 {
		last := len(waiting) - 1
		parent := waiting[last]
		waiting = waiting[:last]
		tasks, _ := filepath.Glob("/proc/" + parent + "/task/*/children")
		for _, file := range tasks {
			data, _ := os.ReadFile(file)
			for _, child := range strings.Fields(string(data)) {
				if pid, err := strconv.Atoi(child); err == nil {
					count++
					waiting = append(waiting, child)
					visit(pid)
				}
			}
		}
	}
	return count
}

// allProcesses are those that this process namespace has besides the stage.
func allProcesses() int {
	entries, _ := os.ReadDir("/proc")
	count := -1
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			count++
		}
	}
	return count
}

// deafen makes the stage ignore the signals that the program could send it. Of
// the parent's wish to end it learns by the socket.
func deafen() {
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2,
		unix.SIGALRM, unix.SIGVTALRM, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGABRT)
}
