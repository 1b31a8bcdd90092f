package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// programFile is the descriptor by which a process gets the program of its
	// stage, and starts it. At a path there could be another program by then: one
	// put there by a contained one that may write there.
	programFile = control + 1
	// selfPath is the program of this process, whatever has become of its file.
	selfPath = "/proc/self/exe"
)

// programPath is what a stage is started from.
var programPath = fmt.Sprintf("/proc/self/fd/%d", programFile)

// openProgram opens a program for good. If it is the one that runs here, or was
// when that started, it is that and not what has been put in its place since.
func openProgram(path string) (*os.File, error) {
	if path == "" {
		return nil, errNoProgram
	}
	self, err := os.Stat(selfPath)
	if err != nil {
		return nil, err
	}
	started, err := os.Readlink(selfPath)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err == nil && os.SameFile(info, self) || filepath.Clean(path) == strings.TrimSuffix(started, deleted) {
		path = selfPath
	}
	return os.OpenFile(path, unix.O_PATH, 0)
}

// deleted is what the kernel adds to the name of a file that has none any more.
const deleted = " (deleted)"

// keepProgram keeps a program that lies below what may be written: by changing
// it in place, which not every kernel refuses while it runs, one would change all
// stages that come.
func keepProgram(spec Spec, program *os.File) (Spec, error) {
	info, err := program.Stat()
	if err != nil {
		return spec, err
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", program.Fd()))
	if err != nil {
		return spec, err
	}
	keep := slices.Clone(spec.Keep)
	for _, base := range spec.Write {
		real, err := filepath.EvalSymlinks(base)
		if err != nil || innermost(path, []string{real}) == "" {
			continue
		}
		at := filepath.Join(base, strings.TrimPrefix(path, real))
		// What somebody outside has put there instead is not ours to keep.
		if there, err := os.Lstat(at); err == nil && os.SameFile(there, info) {
			keep = append(keep, at)
		}
	}
	spec.Keep = keep
	return spec, nil
}
