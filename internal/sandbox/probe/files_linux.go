package probe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// readsToken reads a bit of an open file and looks for what was planted.
func readsToken(r io.Reader, token string) error {
	data, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if strings.Contains(string(data), token) {
		return nil
	}
	return errors.Join(err, errOther)
}

// holdsToken tells whether a file is a planted one, or a copy.
func holdsToken(path, token string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return readsToken(f, token)
}

// reads is the attack of opening a file by its name.
func reads(path func(*place) string) func(*place) error {
	return func(p *place) error { return holdsToken(path(p), p.Token) }
}

// writable tells whether files can be made in a folder of the outside, by making
// one that has no name and goes when it is closed.
func writable(p *place, dir string) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer unix.Close(fd)
	if id, err := identityOfFile(fd); err != nil || id != p.Dirs[dir] {
		return fmt.Errorf("%s: %w", dir, errors.Join(err, errOther))
	}
	file, err := unix.Openat(fd, ".", unix.O_TMPFILE|unix.O_WRONLY, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		name := "probe-" + p.Token
		file, err = unix.Openat(fd, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
		defer func() { _ = unix.Unlinkat(fd, name, 0) }()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return unix.Close(file)
}

// writesDir is the attack of writing where the system or everybody writes.
func writesDir(dir string) (attack func(*place) error, offered func(*stage) error) {
	return func(p *place) error { return writable(p, dir) },
		func(s *stage) error {
			if _, ok := s.Dirs[dir]; !ok {
				return fmt.Errorf("there is no %s here", dir)
			}
			return nil
		}
}

func fileProbes() []Probe {
	probes := []Probe{
		{Name: "read-ssh-key", Title: "reads a key in ~/.ssh", attack: reads((*place).key)},
		{Name: "list-ssh", Title: "lists ~/.ssh", attack: func(p *place) error {
			names, err := os.ReadDir(filepath.Dir(p.key()))
			if err == nil && len(names) == 0 {
				err = errOther
			}
			return err
		}},
		{Name: "list-real-home", Title: "lists the user's home", attack: listRealHome, offered: func(s *stage) error {
			if s.RealHome == "" {
				return errors.New("HOME is not set")
			}
			return nil
		}},
		{Name: "read-other-user", Title: "reads a file of another user", NeedsRoot: true,
			attack: reads(func(p *place) string { return p.Other }), offered: needsRoot},
		{Name: "read-shadow", Title: "reads /etc/shadow", NeedsRoot: true, attack: func(*place) error {
			f, err := os.Open("/etc/shadow")
			if err != nil {
				return err
			}
			defer f.Close()
			n, err := f.Read(make([]byte, 1)) // one byte shows it
			if n == 0 {
				return errors.Join(err, errOther)
			}
			return nil
		}},
		{Name: "write-home", Title: "writes a file in the home", attack: func(p *place) error {
			return os.WriteFile(filepath.Join(p.Home, ".profile"), []byte(p.Token), 0o600)
		}, seen: func(s *stage) error { return holdsToken(filepath.Join(s.Home, ".profile"), s.Token) }},
		{Name: "stat-home", Title: "learns the size of a file in the home", attack: func(p *place) error {
			info, err := os.Stat(p.key())
			if err == nil && info.Size() != int64(len(p.Token)) {
				err = errOther
			}
			return err
		}},
		{Name: "chmod-home", Title: "lets everybody read a file of the home", attack: func(p *place) error {
			return os.Chmod(filepath.Join(p.Home, ".bash_history"), 0o644)
		}, seen: hasMode(".bash_history", 0o044)},
		{Name: "watch-home", Title: "is told what happens in the home", attack: func(p *place) error {
			fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
			if err != nil {
				return fmt.Errorf("%w: %w", errUntried, err)
			}
			defer unix.Close(fd)
			_, err = unix.InotifyAddWatch(fd, filepath.Dir(p.key()), unix.IN_ALL_EVENTS)
			return err
		}},
		{Name: "truncate-home", Title: "empties a file of the home", attack: func(p *place) error {
			return os.Truncate(filepath.Join(p.Home, homeFiles()[4]), 0)
		}, seen: func(s *stage) error {
			info, err := os.Stat(filepath.Join(s.Home, homeFiles()[4]))
			if err == nil && info.Size() > 0 {
				err = errUnchanged
			}
			return err
		}},
		{Name: "write-skill", Title: "changes the skill's own folder", attack: func(p *place) error {
			return os.WriteFile(filepath.Join(p.Skill, "SKILL.md"), []byte(p.Token), 0o600)
		}, seen: func(s *stage) error { return holdsToken(filepath.Join(s.Skill, "SKILL.md"), s.Token) }},
		{Name: "symlink-planted", Title: "follows a link in the workspace to the home",
			attack: reads(func(p *place) string { return filepath.Join(p.Work, "planted", ".ssh", "id_ed25519") })},
		{Name: "symlink-made", Title: "makes a link to the home and reads through it", attack: func(p *place) error {
			link := filepath.Join(p.Work, "made")
			if err := os.Symlink(p.key(), link); err != nil {
				return err
			}
			return holdsToken(link, p.Token)
		}},
		{Name: "symlink-write", Title: "makes a link to the home and writes through it", attack: func(p *place) error {
			link := filepath.Join(p.Work, "out")
			if err := os.Symlink(filepath.Join(p.Home, ".bashrc"), link); err != nil {
				return err
			}
			return os.WriteFile(link, []byte(p.Token), 0o600)
		}, seen: func(s *stage) error { return holdsToken(filepath.Join(s.Home, ".bashrc"), s.Token) }},
		{Name: "hard-link", Title: "makes a hard link to a file of the home", attack: func(p *place) error {
			link := filepath.Join(p.Work, "hard")
			if err := os.Link(p.key(), link); err != nil {
				return err
			}
			return holdsToken(link, p.Token)
		}},
		{Name: "rename-into", Title: "moves a file of the home into the workspace", attack: func(p *place) error {
			to := filepath.Join(p.Work, "moved")
			if err := os.Rename(filepath.Join(p.Home, "letters"), to); err != nil {
				return err
			}
			return holdsToken(filepath.Join(to, "private.txt"), p.Token)
		}},
		{Name: "traverse", Title: "climbs out of the workspace from an open folder", attack: func(p *place) error {
			fd, err := unix.Open(p.Work, unix.O_PATH|unix.O_DIRECTORY, 0)
			if err != nil {
				return fmt.Errorf("%w: %w", errUntried, err)
			}
			return openatToken(fd, "../../home/.ssh/id_ed25519", p.Token)
		}},
		{Name: "file-handle", Title: "opens a file of the home by its handle", NeedsRoot: true, attack: func(p *place) error {
			fd, err := unix.Open(p.Work, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if err != nil {
				return fmt.Errorf("%w: %w", errUntried, err)
			}
			file, err := unix.OpenByHandleAt(fd, unix.NewFileHandle(p.HandleType, p.Handle), unix.O_RDONLY)
			if err != nil {
				return err
			}
			return fileHasToken(file, p.Token)
		}, offered: func(s *stage) error {
			if s.Handle == nil {
				return errors.New("the file system has no handles")
			}
			return nil
		}},
	}
	for i, name := range homeFiles()[:3] {
		probes = append(probes, Probe{
			Name: []string{"read-history", "read-cloud-key", "read-cookies"}[i], Title: "reads ~/" + name,
			attack: reads(func(p *place) string { return filepath.Join(p.Home, name) }),
		})
	}
	for _, dir := range outside() {
		attack, offered := writesDir(dir)
		probes = append(probes, Probe{
			Name: "write" + strings.ReplaceAll(dir, "/", "-"), Title: "makes files in " + dir,
			NeedsRoot: dir != "/tmp" && dir != "/var/tmp" && dir != "/dev/shm", attack: attack, offered: offered,
		})
	}
	for i := range probes {
		probes[i].Threatens = Files
	}
	return probes
}

// hasMode confirms that a file of the home has bits that it did not have.
func hasMode(name string, bits os.FileMode) func(*stage) error {
	return func(s *stage) error {
		info, err := os.Stat(filepath.Join(s.Home, name))
		if err == nil && info.Mode()&bits == 0 {
			err = errUnchanged
		}
		return err
	}
}

func needsRoot(s *stage) error {
	if !s.Root {
		return errors.New("only root can set it up")
	}
	return nil
}

// listRealHome looks at a true home, and tells nothing of it.
func listRealHome(p *place) error {
	dir, err := os.Open(p.RealHome)
	if err != nil {
		return err
	}
	defer dir.Close()
	if id, err := identityOfFile(int(dir.Fd())); err != nil || id != p.Dirs[p.RealHome] {
		return errors.Join(err, errOther)
	}
	names, err := dir.Readdirnames(1)
	if err == nil && len(names) == 0 {
		err = errOther
	}
	return err
}

func openatToken(dir int, name, token string) error {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return fileHasToken(fd, token)
}

func fileHasToken(fd int, token string) error {
	f := os.NewFile(uintptr(fd), "a file")
	defer f.Close()
	return readsToken(f, token)
}
