package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/skill"
)

func TestPathLookup(t *testing.T) {
	for name, c := range map[string]struct {
		path, pathext, goos, program string
		want                         []string // asked for, until one is there
		files                        []string
		found                        bool
	}{
		"first of two":            {path: "/a:/b", goos: "linux", program: "gh", files: []string{"/a/gh"}, want: []string{"/a/gh"}, found: true},
		"second of two":           {path: "/a:/b", goos: "linux", program: "gh", files: []string{"/b/gh"}, want: []string{"/a/gh", "/b/gh"}, found: true},
		"relative, empty, double": {path: ":.:bin:./x:/a::/a", goos: "linux", program: "gh", want: []string{"/a/gh"}},
		"no path":                 {goos: "linux", program: "gh"},
		"path in the name":        {path: "/a", goos: "linux", program: "x/gh"},
		"backslash in the name":   {path: "/a", goos: "linux", program: `x\gh`},
		"absolute name":           {path: "/a", goos: "linux", program: "/a/gh", files: []string{"/a/gh"}},
		"parent":                  {path: "/a", goos: "linux", program: ".."},
		"blank":                   {path: "/a", goos: "linux", program: ""},
		"extensions":              {path: `C:\a;"D:\b"`, pathext: ".EXE;.Cmd;;x", goos: "windows", program: "gh", files: []string{`D:\b\gh.cmd`}, want: []string{`C:\a\gh.exe`, `C:\a\gh.cmd`, `D:\b\gh.exe`, `D:\b\gh.cmd`}, found: true},
		"extension in the name":   {path: `C:\a`, pathext: ".EXE", goos: "windows", program: "GH.exe", files: []string{`C:\a\GH.exe`}, want: []string{`C:\a\GH.exe`}, found: true},
		"usual extensions":        {path: `C:\a`, goos: "windows", program: "gh", want: []string{`C:\a\gh.com`, `C:\a\gh.exe`, `C:\a\gh.bat`, `C:\a\gh.cmd`}},
		"relative on Windows":     {path: `a;.;\a;\\server\share;C:b`, goos: "windows", program: "gh"},
		"stream":                  {path: `C:\a`, goos: "windows", program: "gh:x"},
	} {
		var asked []string
		lookup := PathLookup(c.path, c.pathext, c.goos, Disk{Executable: func(file string) bool {
			asked = append(asked, file)
			return slices.Contains(c.files, file)
		}})
		for range 3 { // asks once
			if got := lookup(c.program); got != c.found {
				t.Errorf("%s: found = %v", name, got)
			}
		}
		if diff := cmp.Diff(c.want, asked); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestPathLookupBySeveralAtOnce(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	listed := 0
	lookup := PathLookup("/a", "", "linux", Disk{
		Executable: func(file string) bool {
			mu.Lock()
			defer mu.Unlock()
			asked[file]++
			return file == "/a/p3"
		},
		List: func(string) []string { listed++; return []string{"p3"} },
		Real: func(dir string) string { return dir },
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 20 {
				if got := lookup(fmt.Sprint("p", i)); got != (i == 3) {
					t.Errorf("p%d: found = %v", i, got)
				}
			}
		})
	}
	wg.Wait()
	for file, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", file, n)
		}
	}
	if listed != 1 {
		t.Errorf("the directory was listed %d times", listed)
	}
}

// Whether names are asked for one by one or directories are listed, the answer
// is the same.
func TestListingFindsTheSamePrograms(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		path, files := "/a:/b", []string{"/a/gh", "/b/Jq", "/b/uv"}
		if goos == "windows" {
			path, files = `C:\a;C:\b`, []string{`C:\a\gh.exe`, `C:\b\JQ.EXE`, `C:\b\uv.exe`}
		}
		there := func(file string) bool {
			return slices.ContainsFunc(files, func(f string) bool { return nameOnDisk(f, goos) == nameOnDisk(file, goos) })
		}
		lookup := PathLookup(path, ".EXE", goos, Disk{there, func(dir string) (names []string) {
			for _, f := range files {
				if name, ok := strings.CutPrefix(f, dir); ok {
					names = append(names, name)
				}
			}
			return names
		}, func(dir string) string { return dir }})
		for i := range manyPrograms {
			lookup(fmt.Sprint("missing", i))
		}
		for name, want := range map[string]bool{"gh": true, "Jq": true, "uv": true, "JQ": goos != "linux", "ghx": false} {
			if lookup(name) != want {
				t.Errorf("%s: %s found = %v", goos, name, !want)
			}
		}
	}
}

// A directory that is on the PATH under two names is listed once.
func TestLinkedDirectoriesAreListedOnce(t *testing.T) {
	var listed []string
	lookup := PathLookup("/usr/bin:/bin", "", "linux", Disk{
		Executable: func(file string) bool { return file == "/bin/sh" || file == "/usr/bin/sh" },
		List:       func(dir string) []string { listed = append(listed, dir); return []string{"sh"} },
		Real:       func(string) string { return "/usr/bin" },
	})
	for i := range manyPrograms {
		lookup(fmt.Sprint("missing", i))
	}
	if !lookup("sh") || lookup("zsh") {
		t.Error("sh is there and zsh is not")
	}
	if diff := cmp.Diff([]string{"/usr/bin"}, listed); diff != "" {
		t.Error(diff)
	}
}

func TestMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are marked by mode here")
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"run": 0o755, "read": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "run", "broken": "nothing", "loop": "loop", "tofolder": "folder"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	given := []string{"PATH=/elsewhere", "PATH=" + dir, "ODD", "A=1=2", "BLANK="}
	env := Machine(given, "/h", runtime.GOOS, func(key string) bool { return key == "k" })
	given[3] = "a=later"
	for name, want := range map[string]bool{"run": true, "link": true, "read": false, "folder": false, "tofolder": false, "broken": false, "loop": false, "none": false} {
		if got := env.HasBin(name); got != want {
			t.Errorf("HasBin(%s) = %v", name, got)
		}
	}
	for name, want := range map[string]string{"A": "1=2", "a": "", "PATH": dir, "ODD": "", "NONE": ""} {
		if got := env.Getenv(name); got != want {
			t.Errorf("Getenv(%s) = %q", name, got)
		}
	}
	for name, want := range map[string]bool{"A": true, "a": false, "ODD": false, "BLANK": true, "NONE": false} {
		if value, set := env.LookupEnv(name); set != want || value != env.Getenv(name) {
			t.Errorf("LookupEnv(%s) = %q, %v", name, value, set)
		}
	}
	for path, want := range map[string]bool{"read": true, "folder": true, "broken": false, "none": false, "read\x00": false} {
		if got := env.FileExists(filepath.Join(dir, path)); got != want {
			t.Errorf("FileExists(%q) = %v", path, got)
		}
	}
	if env.Home != "/h" || env.OS != runtime.GOOS || !env.ConfigTruthy("k") || env.ConfigTruthy("l") {
		t.Errorf("environment = %+v", env)
	}
}

func TestMachineOfWindows(t *testing.T) {
	dir := t.TempDir()
	env := Machine([]string{"Path=x", "Home=1"}, "", "windows", nil)
	if _, set := env.LookupEnv("hOmE"); env.Getenv("PATH") != "x" || env.Getenv("home") != "1" || !set {
		t.Error("Windows does not tell cases apart")
	}
	// A server must not be asked for, so not even one that answers here.
	if env.FileExists("/"+dir) || env.FileExists(`\\server\share`) {
		t.Error("a network path was looked for")
	}
	if !env.FileExists(dir) {
		t.Error("a local path was not looked for")
	}
}

func BenchmarkCheckOverPath(b *testing.B) {
	environ := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	c := checker(b, native)
	for b.Loop() {
		env := Machine(environ, "/h", "linux", func(string) bool { return false })
		for i := range 400 { // skills, which name sixty programs between them
			s := benchSkill(i % 60)
			c.Check(&s, Supplied{}, env)
		}
	}
}

func benchSkill(i int) skill.Skill {
	return skill.Skill{Name: "s", Requires: skill.Requirements{Bins: []string{fmt.Sprint("program", i)}, Env: []string{"KEY"}}}
}
