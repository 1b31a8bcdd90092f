package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// within reports whether a path is a folder or lies in it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return folder != "" && err == nil && (rel == "." || filepath.IsLocal(rel))
}

// folder is the folder of the workspace that a model named; empty is the
// workspace. Behind the workspace it has no links: what is allowed there is allowed
// in that folder, not in whatever a name leads to later.
func (o Options) folder(name string) (string, error) {
	if o.Workspace == "" {
		return "", errors.New("there is no workspace to run in")
	}
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(o.Workspace, name)
		if err != nil {
			return "", outside(name)
		}
		name = rel
	}
	name = filepath.Clean(filepath.FromSlash(name))
	if !filepath.IsLocal(name) {
		return "", outside(name)
	}
	root, err := os.OpenRoot(o.Workspace)
	if err != nil {
		return "", fmt.Errorf("the workspace cannot be opened: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(name) // refuses links that lead out
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("dir %s is not a folder in the workspace", wording.Quote(wording.Name(name)))
	}
	top, err := filepath.EvalSymlinks(o.Workspace)
	if err != nil {
		return "", fmt.Errorf("the workspace cannot be opened: %w", err)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(o.Workspace, name))
	if err != nil || !within(top, real) { // it was changed meanwhile
		return "", outside(name)
	}
	rel, err := filepath.Rel(top, real)
	return filepath.Join(o.Workspace, rel), err
}

func outside(name string) error {
	return fmt.Errorf("dir %s is outside of the workspace; give it relative to the workspace", wording.Quote(wording.Name(name)))
}

// repository is the .git of the repository that a folder of the workspace belongs
// to.
func (o Options) repository(dir string) (string, error) {
	for at := dir; within(o.Workspace, at); at = filepath.Dir(at) {
		path := filepath.Join(at, ".git")
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.IsDir():
			return path, nil
		case err == nil:
			return "", fmt.Errorf("%s is not a folder but leads to one: git works here only on repositories that lie in the workspace as a whole", wording.Quote(path))
		case !os.IsNotExist(err):
			return "", fmt.Errorf("%s: %w", wording.Quote(path), err)
		}
		if strings.EqualFold(at, filepath.Dir(at)) { // the root of a drive
			break
		}
	}
	return "", fmt.Errorf("%s is in no git repository of the workspace; git init has to be run by the user", wording.Quote(dir))
}
