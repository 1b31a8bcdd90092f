package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// programDirs are where bwrap may be. It runs outside of everything, so it must be
// nothing that a contained program could have made: that of a root who works in
// its own folders makes files that are root's. These no program is given.
var programDirs = []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin"}

// findBwrap finds a bwrap that can be relied on: it is where the system has its
// programs, nobody but root can change it or what leads there, and it is of
// version 0.8 or later, which knows all that is asked of it here.
func findBwrap(ctx context.Context, path string) (string, error) {
	why := errors.New("there is no bwrap; install bubblewrap to have it")
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, "bwrap")
		info, err := os.Stat(file)
		if !filepath.IsAbs(dir) || err != nil || !runnable(info) {
			continue
		}
		if !slices.Contains(programDirs, filepath.Clean(dir)) {
			why = fmt.Errorf("%s is not where the system has its programs", file)
			continue
		}
		if file, err = ownedByRoot(file, lookAt); err != nil {
			why = err
			continue
		}
		cmd := exec.CommandContext(ctx, file, "--version")
		cmd.Env = []string{}
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%s --version: %w", file, err)
		}
		var major, minor int
		if _, err := fmt.Sscanf(string(bytes.TrimSpace(out)), "bubblewrap %d.%d", &major, &minor); err != nil || major == 0 && minor < 8 {
			return "", fmt.Errorf("%s is of version %q; 0.8 is needed", file, bytes.TrimSpace(out))
		}
		return file, nil
	}
	return "", why
}

// bubblewrap has bwrap make the private root.
func (p *plan) bubblewrap(bwrap string, spec Spec) error {
	if base := innermost(bwrap, realPaths(spec.Write)); base != "" {
		return fmt.Errorf("%s is below %s, which can be written", bwrap, base)
	}
	places, err := p.privateRoot(spec)
	if err != nil {
		return err
	}
	args := []string{
		bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--as-pid-1", "--hostname", "sandbox", "--cap-drop", "ALL",
		"--uid", strconv.Itoa(p.policy.UID), "--gid", strconv.Itoa(p.policy.GID), "--clearenv",
		"--proc", "/proc", "--remount-ro", "/proc",
		"--perms", "1777", "--size", strconv.FormatInt(spec.Bounds.Tmp, 10), "--tmpfs", privateTmp,
	}
	for _, e := range places {
		switch e.Kind {
		case reserved:
			p.reserved = append(p.reserved, e.Path)
			args = append(args, "--ro-bind-try", e.Path, e.Path)
		case linked:
			p.weak = append(p.weak, replaceable(e.Path)) // bwrap mounts on what it leads to
		case symlink:
			args = append(args, "--symlink", e.Data, e.Path)
		case plainFile:
			p.texts = append(p.texts, e.Data)
			args = append(args, "--ro-bind-data", strconv.Itoa(programFile+len(p.texts)), e.Path)
		default:
			args = append(args, bwrapOptions[e.Kind], e.Path, e.Path)
		}
	}
	p.told = true
	// What bwrap is not told of, it leaves open: also the program's descriptor.
	last := []string{"--info-fd", strconv.Itoa(programFile + len(p.texts) + 1), "--remount-ro", "/", "--", programPath}
	p.path, p.argv = bwrap, slices.Concat(args, last, p.argv[1:])
	p.attr = &syscall.SysProcAttr{Setsid: true}
	if p.policy.Switch {
		// bwrap knows one user, who is the program's then from the beginning.
		p.attr.Credential = &syscall.Credential{Uid: uint32(p.policy.UID), Gid: uint32(p.policy.GID)}
		p.policy.Switch = false
	}
	return nil
}

// openFiles completes the files that the process is started with. What it returns
// besides is to be called once the process is started, or with nil if it is not,
// and tells which process is the stage: bwrap starts it, and says so.
func (p *plan) openFiles(files []*os.File) ([]*os.File, func(*os.Process) (int, error), error) {
	files = append(append(files, p.program), p.files...)
	if !p.told {
		return files, func(started *os.Process) (int, error) {
			if started == nil {
				return 0, nil
			}
			return started.Pid, nil
		}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return append(files, w), func(*os.Process) (int, error) {
		w.Close()
		defer r.Close()
		var info struct {
			Pid int `json:"child-pid"`
		}
		if err := json.NewDecoder(r).Decode(&info); err != nil {
			return 0, fmt.Errorf("bwrap does not tell what it started: %w", err)
		}
		return info.Pid, nil
	}, nil
}

// bwrapOptions are what the kinds of places are called there.
var bwrapOptions = map[placeKind]string{
	readOnly: "--ro-bind", writable: "--bind", device: "--dev-bind", kept: "--ro-bind", pinned: "--bind",
}

// textFile is a file in memory, to be read from the beginning.
func textFile(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "sandbox")
	if _, err := file.WriteString(text); err != nil {
		file.Close()
		return nil, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
