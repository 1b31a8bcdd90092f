package files

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// library is a room with as many skills as a large library has, in the workspace
// or outside of it.
func library(t testing.TB, where string, skills int) (*room, []string) {
	t.Helper()
	r := newRoom(t, ".git", "skills")
	var folders []string
	manifests := map[string]bool{}
	for i := range skills {
		name := fmt.Sprintf("%s/group-%02d/skill-%04d", where, i%40, i)
		r.put(name+"/SKILL.md", "# a skill\n")
		r.put(name+"/notes.md", "one line\n")
		folders = append(folders, r.path(name))
		manifests[filepath.Join(r.path(name), "SKILL.md")] = true
	}
	r.put("src/file", "one line\n")
	r.opt.Folders = func() []string { return folders }
	r.opt.Instructions = func(path string) bool { return manifests[path] }
	return r, folders
}

func BenchmarkManySkills(b *testing.B) {
	for _, where := range []string{"skills", "../skill"} {
		r, folders := library(b, where, 2400)
		last := filepath.Join(folders[len(folders)-1], "notes.md")
		for _, c := range []struct {
			name, tool string
			args       args
		}{
			{"read", "file_read", args{"path": "src/file"}},
			{"read of a skill", "file_read", args{"path": last}},
			{"write", "file_write", args{"path": "src/new", "content": "x\n"}},
			{"search", "content_search", args{"pattern": "line", "max": 5000}},
		} {
			b.Run(filepath.Base(where)+"/"+c.name, func(b *testing.B) {
				call, raw := r.tool(c.tool), json.RawMessage(mustJSON(c.args))
				for b.Loop() {
					if res, err := call.Run(b.Context(), raw); err != nil || res.Failed {
						b.Fatal(res.Text, err)
					}
				}
			})
		}
		if err := os.RemoveAll(r.ws); err != nil {
			b.Fatal(err)
		}
	}
}
