//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

func plainAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killGroup kills a process and all that stayed in its group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// exitOf tells how a process ended.
func exitOf(state *os.ProcessState) (exit int, signal string) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, status.Signal().String()
	}
	return state.ExitCode(), ""
}

func runnable(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }
