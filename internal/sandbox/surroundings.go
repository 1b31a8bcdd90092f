package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findProgram looks a program up in the PATH of an environment.
func findProgram(name string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || filepath.IsAbs(name) {
		return name, nil
	}
	var dirs string
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			dirs = value
		}
	}
	for _, dir := range filepath.SplitList(dirs) {
		path := filepath.Join(dir, name)
		// A PATH that depends on the folder would run what a workspace brings.
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && runnable(info) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not found in the PATH %q", name, dirs)
}

// withHome sets the variables that lead to the private tmp.
func withHome(env []string, tmp string) []string {
	return append(without(env, "HOME", "TMPDIR"), "HOME="+tmp, "TMPDIR="+tmp)
}

// without leaves variables out.
func without(env []string, names ...string) []string {
	out := make([]string, 0, len(env)+2)
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(names, name) {
			out = append(out, v)
		}
	}
	return out
}

// removeAll removes a folder also where a program took the right to it away.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
