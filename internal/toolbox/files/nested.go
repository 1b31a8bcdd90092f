package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostNested is how many entries [Nested] looks at: those of a large repository,
// in about a tenth of a second. Whoever starts many programs asks once.
const mostNested = 50_000

// installed is a folder of what others wrote, with more entries than all the rest.
const installed = "node_modules"

// Nested finds the files, folders and links below a workspace that have one of
// these names, in any letter case, most of them at most. It is for what takes paths
// instead of names, such as a sandbox.
//
// The workspace is searched level by level, so that what lies deep does not hide
// what does not, and no further than 50,000 entries. Links are not followed,
// node_modules and what was found are not searched. The answer is sorted.
func Nested(workspace string, names []string, most int) []string {
	return nested(workspace, names, most, mostNested)
}

func nested(workspace string, names []string, most, left int) []string {
	if workspace == "" { // not the folder that this process was started in
		return nil
	}
	var found []string
	is := nameOf(names)
	folders := []string{filepath.Clean(workspace)}
	for left > 0 && len(folders) > 0 && len(found) < most {
		folder := folders[0]
		folders = folders[1:]
		list := entries(folder, left)
		left -= len(list)
		for _, e := range list {
			path := filepath.Join(folder, e.Name())
			switch {
			case is(e.Name()):
				found = append(found, path)
			case e.IsDir() && e.Name() != installed:
				folders = append(folders, path)
			}
		}
	}
	found = found[:min(len(found), max(most, 0))]
	slices.Sort(found)
	return found
}

// entries are those of a folder, sorted, most of them at most; none if it cannot be
// read. The dot has it opened as a folder only: see enter.
func entries(folder string, most int) []fs.DirEntry {
	f, err := os.OpenFile(folder+string(filepath.Separator)+".", os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(most) // some are better than none
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// nameOf reports whether a name is one of these to some filesystem.
func nameOf(names []string) func(string) bool {
	same := make([]string, len(names))
	for i, name := range names {
		same[i] = alikeName(name)
	}
	return func(name string) bool { return slices.Contains(same, alikeName(name)) }
}
