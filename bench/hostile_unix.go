//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// specialCases are folders with things that are neither files nor folders.
func specialCases() []hostileCase {
	link := func(target, name string) func(string) error {
		return func(dir string) error { return os.Symlink(target, filepath.Join(dir, name)) }
	}
	return []hostileCase{
		{"SKILL.md is a pipe nobody writes to", func(dir string) error {
			return syscall.Mkfifo(filepath.Join(dir, "SKILL.md"), 0o600)
		}},
		{"a pipe beside SKILL.md", func(dir string) error {
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
				return err
			}
			return head("description: piped")(dir)
		}},
		{"SKILL.md links to /dev/zero", link("/dev/zero", "SKILL.md")},
		{"SKILL.md links to itself", link("SKILL.md", "SKILL.md")},
		{"SKILL.md links to its folder", link(".", "SKILL.md")},
		{"a folder links to its parent", func(dir string) error {
			for i := range 50 {
				if err := os.Symlink("..", filepath.Join(dir, fmt.Sprintf("up%02d", i))); err != nil {
					return err
				}
			}
			return nil
		}},
		{"folders link to each other", func(dir string) error {
			const n = 20
			for i := range n {
				sub := filepath.Join(dir, fmt.Sprintf("d%02d", i))
				if err := os.Mkdir(sub, 0o700); err != nil {
					return err
				}
				for j := range n {
					if err := os.Symlink(fmt.Sprintf("../d%02d", j), filepath.Join(sub, fmt.Sprintf("l%02d", j))); err != nil {
						return err
					}
				}
			}
			return nil
		}},
		{"a chain of 200 links", func(dir string) error {
			for i := range 200 {
				if err := os.Symlink(fmt.Sprintf("link%03d", i+1), filepath.Join(dir, fmt.Sprintf("link%03d", i))); err != nil {
					return err
				}
			}
			return nil
		}},
		{"a link to the root of the file system", link("/", "root")},
	}
}
