package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func environmentProbes() []Probe {
	probes := []Probe{
		{Name: "variables", Title: "finds variables of the agent in its environment", attack: func(p *place) error {
			for _, variable := range syscall.Environ() {
				name, _, _ := strings.Cut(variable, "=")
				if slices.Contains(p.Variables, name) {
					return nil
				}
			}
			return errors.New("its environment has none of them")
		}, offered: func(s *stage) error {
			if len(s.Variables) == 0 {
				return errors.New("there are no variables to find")
			}
			return nil
		}},
		{Name: "open-file", Title: "reads a file that the agent has open", attack: func(p *place) error {
			for fd := 3; fd < 1024; fd++ {
				if id, err := identityOfFile(fd); err == nil && id == p.OpenFile {
					return fileHasToken(fd, p.Token)
				}
			}
			return unix.EBADF
		}},
		{Name: "open-anything", Title: "has more open than its streams", attack: func(*place) error {
			for fd := 3; fd < 1024; fd++ {
				// What this process opens itself is closed on exec; what it
				// was started with cannot be.
				if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
					return nil
				}
			}
			return unix.EBADF
		}},
		{Name: "open-folder", Title: "reads the home through a folder that the agent has open", attack: func(p *place) error {
			for fd := 3; fd < 1024; fd++ {
				if id, err := identityOfFile(fd); err == nil && id == p.OpenDir {
					return openatToken(fd, ".ssh/id_ed25519", p.Token)
				}
			}
			return unix.EBADF
		}},
		{Name: "proc-self-fd", Title: "opens again what the agent has open", attack: func(p *place) error {
			links, err := filepath.Glob("/proc/self/fd/*")
			for _, link := range links {
				if id, err := identityOf(link); err == nil && id == p.OpenFile {
					return holdsToken(link, p.Token)
				}
			}
			return errors.Join(err, unix.EBADF)
		}},
	}
	for i := range probes {
		probes[i].Threatens = Environment
	}
	return probes
}

func resourceProbes() []Probe {
	probes := []Probe{
		{Name: "raise-limits", Title: "raises its own limits", attack: func(p *place) error {
			want := uint64(p.Bounds.FileSize) + over
			return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: want, Max: want})
		}},
		{Name: "open-files", Title: "opens more files than it may", attack: func(p *place) error {
			var files []*os.File
			defer func() {
				for _, f := range files {
					f.Close()
				}
			}()
			for range p.Bounds.Files + 1 {
				f, err := os.Open(p.Work)
				if err != nil {
					return fmt.Errorf("after %d: %w", len(files), err)
				}
				files = append(files, f)
			}
			return nil
		}},
		{Name: "file-size", Title: "writes a file larger than it may", attack: func(p *place) error {
			path := filepath.Join(p.Work, "large")
			defer os.RemoveAll(path)
			return fillFile(path, p.Bounds.FileSize+over)
		}},
		{Name: "tmp-size", Title: "writes more into tmp than it may", attack: func(p *place) error {
			dir, err := os.MkdirTemp(tmpDir(), "fill-")
			if err != nil {
				return fmt.Errorf("%w: %w", errUntried, err)
			}
			defer os.RemoveAll(dir)
			const piece = 4 << 20 // below what a single file may have
			for written := int64(0); written < p.Bounds.Tmp+over; written += piece {
				if err := fillFile(filepath.Join(dir, fmt.Sprint(written)), piece); err != nil {
					return fmt.Errorf("after %d MiB: %w", written>>20, err)
				}
			}
			return nil
		}},
		{Name: "memory", Title: "takes more memory than it may", attack: func(p *place) error {
			// Addresses are taken and not used: that is what is bounded, and
			// costs the machine nothing where it is not.
			const piece = 16 << 20
			for taken := int64(0); taken < p.Bounds.Memory+over; taken += piece {
				if _, err := unix.Mmap(-1, 0, piece, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON); err != nil {
					return fmt.Errorf("after %d MiB: %w", taken>>20, err)
				}
			}
			return nil
		}},
		{Name: "processes", Title: "starts more processes than it may", attack: multiplies},
	}
	for i := range probes {
		probes[i].Threatens = Resources
	}
	return probes
}

// tmpDir is where a process inside keeps what is to go.
func tmpDir() string {
	if dir, ok := syscall.Getenv("TMPDIR"); ok {
		return dir
	}
	return "/tmp"
}

// fillFile writes zeroes.
func fillFile(path string, size int64) error {
	signal.Ignore(unix.SIGXFSZ) // then a bound is an error of writing
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	defer f.Close()
	for piece := make([]byte, 1<<20); size > 0; size -= int64(len(piece)) {
		if _, err := f.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// multiplies starts 64 processes that wait, and ends them.
func multiplies(p *place) error {
	const wanted = 64
	ctx, cancel := context.WithCancel(context.Background())
	var running []*exec.Cmd
	defer func() {
		cancel()
		for _, cmd := range running {
			_ = cmd.Wait() // it was ended
		}
	}()
	for len(running) < wanted {
		cmd := exec.CommandContext(ctx, "/bin/sleep", "5")
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("after %d: %w", len(running), err)
		}
		running = append(running, cmd)
	}
	return nil
}
