//go:build !unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

func plainAttr() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

func exitOf(state *os.ProcessState) (exit int, signal string) { return state.ExitCode(), "" }

func runnable(info fs.FileInfo) bool { return info.Mode().IsRegular() }
