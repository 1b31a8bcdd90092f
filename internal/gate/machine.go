package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/knackhq/knack/internal/environ"
)

// Machine is the environment of this machine: the variables given in the form
// of os.Environ, the programs on the PATH among them, the files on its disks,
// and the configuration that cfg answers for.
func Machine(variables []string, home, goos string, cfg func(key string) bool) *Environment {
	variables = slices.Clone(variables) // later changes must not show
	getenv := environ.Index(variables, goos)
	return &Environment{
		OS:           goos,
		Home:         home,
		Getenv:       getenv,
		LookupEnv:    func(name string) (string, bool) { return environ.Lookup(variables, name, goos) },
		HasBin:       PathLookup(getenv("PATH"), getenv("PATHEXT"), goos, Disk{executable(goos), listDir, realDir}),
		FileExists:   fileExists(goos),
		ConfigTruthy: cfg,
	}
}

// executable reports whether a file can be run. Windows goes by the extension,
// which PathLookup looks after.
func executable(goos string) func(file string) bool {
	const anyone = 0o111
	return func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Mode().IsRegular() && (goos == "windows" || info.Mode()&anyone != 0)
	}
}

// listDir returns the names in a directory; none if it cannot be read.
func listDir(dir string) []string {
	file, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer file.Close()
	names, _ := file.Readdirnames(-1) // what was read before an error counts
	return names
}

func realDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// fileExists does not ask for a path of the form \\server\share: Windows would
// send the user's credentials to whatever server a skill names.
func fileExists(goos string) func(path string) bool {
	return func(path string) bool {
		if goos == "windows" && len(path) > 1 && isSlash(path[0]) && isSlash(path[1]) {
			return false
		}
		_, err := os.Stat(path)
		return err == nil
	}
}

// Disk is what [PathLookup] asks the file system.
type Disk struct {
	// Executable reports whether a file is there and can be run.
	Executable func(file string) bool
	// List returns the names in a directory.
	List func(dir string) []string
	// Real returns what a directory is called without links.
	Real func(dir string) string
}

// manyPrograms is how many programs are looked for one by one. A library of
// skills asks for hundreds that are not there; from here on it is cheaper to
// list the directories once than to ask each of them for each name.
const manyPrograms = 16

// PathLookup searches the directories of a PATH for programs, in the manner of
// the given system.
//
// Empty and relative elements are left out: they mean the current directory,
// where anybody's files may lie. A name that has a path in it is no program's.
// Each name is searched for once, because hundreds of skills ask for the same
// few programs; so the answers do not change, and a machine that did change
// needs a new lookup. It is safe for use by many goroutines.
func PathLookup(path, pathext, goos string, disk Disk) func(name string) bool {
	dirs, endings := pathDirs(path, goos), pathEndings(pathext, goos)
	var asked atomic.Int32
	listed := sync.OnceValue(func() []map[string]bool { return listAll(dirs, goos, disk) })
	find := func(name string) bool {
		if !programName(name, goos) {
			return false
		}
		var names []map[string]bool
		if asked.Add(1) > manyPrograms {
			names = listed()
		}
		for i, dir := range dirs {
			for _, ending := range endings(name) {
				file := name + ending
				if (names == nil || names[i][nameOnDisk(file, goos)]) && disk.Executable(dir+file) {
					return true
				}
			}
		}
		return false
	}
	var known sync.Map // name → func() bool
	return func(name string) bool {
		answer, ok := known.Load(name)
		if !ok {
			answer, _ = known.LoadOrStore(name, sync.OnceValue(func() bool { return find(name) }))
		}
		return answer.(func() bool)()
	}
}

// listAll lists directories, each into a set.
func listAll(dirs []string, goos string, disk Disk) []map[string]bool {
	sets := make([]map[string]bool, len(dirs))
	known := map[string]map[string]bool{} // /bin is often a link to /usr/bin
	for i, dir := range dirs {
		real := disk.Real(dir)
		if sets[i] = known[real]; sets[i] != nil {
			continue
		}
		names := disk.List(real)
		sets[i] = make(map[string]bool, len(names))
		for _, name := range names {
			sets[i][nameOnDisk(name, goos)] = true
		}
		known[real] = sets[i]
	}
	return sets
}

// nameOnDisk makes names equal that are the same file. macOS and Windows do not
// tell letter cases apart.
func nameOnDisk(name, goos string) string {
	if goos == "windows" || goos == "darwin" {
		return strings.ToLower(name)
	}
	return name
}

// pathDirs are the absolute elements of a PATH, each once and with a separator
// at its end.
func pathDirs(path, goos string) []string {
	list, separator := ":", "/"
	if goos == "windows" {
		list, separator = ";", `\`
	}
	var dirs []string
	seen := map[string]bool{}
	for dir := range strings.SplitSeq(path, list) {
		absolute := strings.HasPrefix(dir, "/")
		if goos == "windows" {
			dir = strings.Trim(dir, `"`)
			absolute = hasDrive(dir)
		}
		if absolute && !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir+separator)
		}
	}
	return dirs
}

// pathEndings returns what may follow a name in the name of its file.
func pathEndings(pathext, goos string) func(name string) []string {
	if goos != "windows" {
		bare := []string{""}
		return func(string) []string { return bare }
	}
	if pathext == "" {
		pathext = ".COM;.EXE;.BAT;.CMD" // what Windows itself falls back to
	}
	var endings []string
	for ending := range strings.SplitSeq(strings.ToLower(pathext), ";") {
		if len(ending) > 1 && ending[0] == '.' {
			endings = append(endings, ending)
		}
	}
	return func(name string) []string {
		for _, ending := range endings {
			if strings.HasSuffix(strings.ToLower(name), ending) {
				return append([]string{""}, endings...)
			}
		}
		return endings
	}
}

// programName refuses names that would leave the directory searched, and on
// Windows those of drives and streams.
func programName(name, goos string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00") &&
		(goos != "windows" || !strings.Contains(name, ":"))
}
