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

// stagePlace is where bwrap shows the program whose stage runs inside.
const stagePlace = "/run/sandbox-stage"

// findBwrap finds a bwrap that can be relied on: nobody but root or its user can
// have changed it, and it is of version 0.8 or later, which knows all that is
// asked of it here.
func findBwrap(ctx context.Context, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, "bwrap")
		if !filepath.IsAbs(file) {
			continue
		}
		info, err := os.Stat(file)
		if err != nil || !runnable(info) {
			continue
		}
		for _, at := range []string{file, dir} {
			var stat unix.Stat_t
			if err := unix.Stat(at, &stat); err != nil {
				return "", fmt.Errorf("%s: %w", at, err)
			}
			if stat.Mode&0o022 != 0 || stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
				return "", fmt.Errorf("%s can be changed by others", at)
			}
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
	return "", errors.New("there is no bwrap; install bubblewrap to have it")
}

// bubblewrap has bwrap make the private root.
func (p *plan) bubblewrap(bwrap string, spec Spec) error {
	places, err := p.privateRoot(spec)
	if err != nil {
		return err
	}
	program := p.argv
	args := []string{
		bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--as-pid-1", "--hostname", "sandbox", "--cap-drop", "ALL",
		"--uid", strconv.Itoa(p.policy.UID), "--gid", strconv.Itoa(p.policy.GID), "--clearenv",
		"--proc", "/proc", "--remount-ro", "/proc",
		"--perms", "1777", "--size", strconv.FormatInt(spec.Bounds.Tmp, 10), "--tmpfs", privateTmp,
		"--ro-bind", program[0], stagePlace,
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
			args = append(args, "--ro-bind-data", strconv.Itoa(control+len(p.texts)), e.Path)
		default:
			args = append(args, bwrapOptions[e.Kind], e.Path, e.Path)
		}
	}
	p.told = true
	last := []string{"--info-fd", strconv.Itoa(control + len(p.texts) + 1), "--remount-ro", "/", "--", stagePlace}
	p.argv = slices.Concat(args, last, program[1:])
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
	files = append(files, p.files...)
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
