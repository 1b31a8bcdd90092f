package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// directories makes the paths of a list absolute and leaves out those that the
// layer may not name.
func (l *loader) directories(at layer, name string, list *tree.Node) *tree.Node {
	out := &tree.Node{Kind: tree.List, Line: list.Line}
	for _, item := range list.List {
		text := item.Text
		if at.syntax.templates {
			var missing string
			if text, missing = expand(text, l.in.Environ); missing != "" {
				at := at
				at.mild = true
				l.say(skill.ConfigBadValue, at, item.Line, name+": "+edit.QuoteTOML(item.Text)+" names the variable "+missing+", which is not set",
					"set "+missing+", or write the path itself")
				continue
			}
		}
		path, err := l.directory(at.base, text)
		if err != nil {
			l.say(skill.ConfigBadValue, at, item.Line, name+": "+edit.QuoteTOML(item.Text)+" "+err.Error(), "write a path, absolute or below ~/")
			continue
		}
		if at.name == layerWorkspace && !contains(l.in.Workspace, path) {
			l.say(skill.ConfigRefused, at, item.Line,
				name+": "+edit.QuoteTOML(item.Text)+" is outside of the workspace, and a workspace's configuration may not lead there",
				"name it in your own configuration instead")
			continue
		}
		out.List = append(out.List, &tree.Node{Kind: tree.String, Text: path, Line: item.Line})
	}
	return out
}

// directory makes a path absolute: ~ is the user's home, and relative paths
// start from base.
func (l *loader) directory(base, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		switch {
		case rest != "" && rest[0] != '/' && rest[0] != filepath.Separator:
			return "", errors.New("names another user's home, which is not known")
		case l.in.UserHome == "":
			return "", errors.New("cannot be found, because the home directory is not known")
		}
		path = filepath.Join(l.in.UserHome, rest)
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("is no path")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("is relative, and there is no directory it could be relative to")
	}
	return filepath.Clean(path), nil
}

// contains reports whether a path lies in a directory, both as written and
// where its links lead. Of a path that does not exist yet the part that does
// is judged, and a link to nothing is not trusted.
func contains(dir, path string) bool {
	if dir == "" || !inDirectory(dir, path) {
		return false
	}
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for ; inDirectory(dir, path); path = filepath.Dir(path) {
		if realPath, err := filepath.EvalSymlinks(path); err == nil {
			return inDirectory(realDir, realPath)
		}
		if _, err := os.Lstat(path); err == nil {
			return false
		}
	}
	return false
}

func inDirectory(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
