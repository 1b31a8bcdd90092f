package probe

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// spoilt confirms that what was to be kept is not as it was.
func spoilt(name string) func(*stage) error {
	return func(s *stage) error {
		data, err := os.ReadFile(filepath.Join(s.Workspace, name))
		if err == nil && string(data) == kept {
			return errUnchanged
		}
		return nil
	}
}

// appears confirms that something is where nothing was.
func appears(name string) func(*stage) error {
	return func(s *stage) error {
		_, err := os.Lstat(filepath.Join(s.Workspace, name))
		return err
	}
}

func keepProbes() []Probe {
	inWorkspace := func(f func(dir string) error) func(*place) error {
		return func(p *place) error { return f(p.Workspace) }
	}
	probes := []Probe{
		{Name: "keep-overwrite", Title: "changes a git hook", attack: inWorkspace(func(ws string) error {
			return os.WriteFile(filepath.Join(ws, keptHooks, "hook"), []byte("spoilt"), 0o700)
		}), seen: spoilt(keptHooks + "/hook")},
		{Name: "keep-add", Title: "adds a git hook", attack: inWorkspace(func(ws string) error {
			return os.WriteFile(filepath.Join(ws, keptHooks, "new"), []byte("spoilt"), 0o700)
		}), seen: appears(keptHooks + "/new")},
		{Name: "keep-add-skill", Title: "adds a skill to the workspace", attack: inWorkspace(func(ws string) error {
			return os.MkdirAll(filepath.Join(ws, keptSkills, "evil"), 0o700)
		}), seen: appears(keptSkills + "/evil")},
		{Name: "keep-mode", Title: "makes a kept file executable", attack: inWorkspace(func(ws string) error {
			return os.Chmod(filepath.Join(ws, keptHooks, "hook"), 0o700)
		}), seen: func(s *stage) error {
			info, err := os.Stat(filepath.Join(s.Workspace, keptHooks, "hook"))
			if err == nil && info.Mode()&0o100 == 0 {
				err = errUnchanged
			}
			return err
		}},
		{Name: "keep-rename", Title: "moves a kept folder away and puts another there", attack: inWorkspace(func(ws string) error {
			return replace(filepath.Join(ws, keptMoved), "tasks.json")
		}), seen: spoilt(keptMoved + "/tasks.json")},
		{Name: "keep-exchange", Title: "exchanges a kept folder for another", attack: inWorkspace(func(ws string) error {
			other := filepath.Join(ws, "work", "other")
			if err := os.MkdirAll(other, 0o700); err != nil {
				return err
			}
			return unix.Renameat2(unix.AT_FDCWD, other, unix.AT_FDCWD, filepath.Join(ws, keptSwapped), unix.RENAME_EXCHANGE)
		}), seen: spoilt(keptSwapped + "/tasks.json")},
		{Name: "keep-replace", Title: "replaces a kept file with another", attack: inWorkspace(func(ws string) error {
			other := filepath.Join(ws, "work", "other.toml")
			return errors.Join(os.WriteFile(other, []byte("spoilt"), 0o600), os.Rename(other, filepath.Join(ws, keptSettings)))
		}), seen: spoilt(keptSettings)},
		{Name: "keep-remove", Title: "removes a kept file", attack: inWorkspace(func(ws string) error {
			return os.Remove(filepath.Join(ws, keptRemoved))
		}), seen: spoilt(keptRemoved)},
		{Name: "keep-create", Title: "makes a kept place that is not there yet", attack: inWorkspace(func(ws string) error {
			dir := filepath.Join(ws, keptAbsent)
			return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("spoilt"), 0o600))
		}), seen: appears(keptAbsent + "/SKILL.md")},
		{Name: "keep-parent", Title: "moves the folder above a kept place away and puts another there", attack: inWorkspace(func(ws string) error {
			return replace(filepath.Join(ws, filepath.Dir(filepath.Dir(keptBelow))), "tools/skills/SKILL.md")
		}), seen: spoilt(keptBelow + "/SKILL.md")},
		{Name: "keep-link", Title: "changes a kept file by another name", attack: inWorkspace(func(ws string) error {
			link := filepath.Join(ws, "work", "another")
			return errors.Join(os.Link(filepath.Join(ws, keptSkills, "one", "SKILL.md"), link), os.WriteFile(link, []byte("spoilt"), 0o600))
		}), seen: spoilt(keptSkills + "/one/SKILL.md")},
	}
	for i := range probes {
		probes[i].Threatens = Files
	}
	return probes
}

// replace moves a folder away and makes another with a file in its place.
func replace(dir, name string) error {
	if err := os.Rename(dir, dir+".old"); err != nil {
		return err
	}
	file := filepath.Join(dir, name)
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("spoilt"), 0o600))
}
