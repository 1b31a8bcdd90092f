package trust

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// folder makes a folder of files; a name that ends in "/" is a folder.
func folder(t testing.TB, files map[string]string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			os.MkdirAll(file, 0o700)
			continue
		}
		os.MkdirAll(filepath.Dir(file), 0o700)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestProvenance(t *testing.T) {
	unknown := func(file string) string { return "a place that " + file + " does not tell" }
	large := func(kind string) string {
		return `{"kind":"` + kind + `","source":"` + strings.Repeat("x", maxSidecar) + `"}`
	}
	for _, c := range []struct {
		name, file, data string
		source           string
		found            bool
	}{
		{"nothing", "SKILL.md", "# A", "", false},
		{"a registry", ".clawhub/origin.json", `{"version":1,"registry":"https://hub.example","slug":"kit","ownerHandle":"alice","installedVersion":"1.0.1","installedAt":1}`, "@alice/kit 1.0.1 (https://hub.example)", true},
		{"a registry, by its old name", ".clawdhub/origin.json", `{"version":1,"registry":"https://hub.example","slug":"kit"}`, "kit (https://hub.example)", true},
		{"a registry's lock is none", ".clawhub/lock.json", `{}`, "", false},
		{"a registry, flat", ".clawhub.json", `{"owner":"@alice","slug":"kit","version":"2.0"}`, "@alice/kit 2.0", true},
		{"empty object", ".clawhub.json", `{}`, unknown(".clawhub.json"), true},
		{"empty file", ".clawhub.json", ``, unknown(".clawhub.json"), true},
		{"malformed", ".clawhub/origin.json", `{"slug":"kit"`, unknown(".clawhub/origin.json"), true},
		{"malformed after the end", ".clawhub.json", `{"slug":"kit"} x`, unknown(".clawhub.json"), true},
		{"no object", ".clawhub.json", `["kit"]`, unknown(".clawhub.json"), true},
		{"null", ".clawhub.json", `null`, unknown(".clawhub.json"), true},
		{"a folder", ".clawhub.json/", "", unknown(".clawhub.json"), true},
		{"a file in the folder's place", ".clawhub", "x", "", false},

		{"kind git", ".origin.json", `{"kind":"git","source":"https://github.com/x/y"}`, "https://github.com/x/y", true},
		{"kind hub", ".origin.json", `{"kind":"clawhub","source":"kit"}`, "kit", true},
		{"kind authored", ".origin.json", `{"kind":"authored"}`, "", false},
		{"kind local", ".origin.json", `{"kind":"local","source":"/home/x"}`, "", false},
		{"kind bundled", ".origin.json", `{"kind":"bundled","source":"x"}`, "", false},
		{"kind of tomorrow", ".origin.json", `{"kind":"url","source":"https://x.example"}`, "https://x.example", true},
		{"no kind", ".origin.json", `{"source":"x"}`, "x", true},
		{"kind of another type", ".origin.json", `{"kind":["authored"]}`, unknown(".origin.json"), true},
		{"kind, malformed", ".origin.json", `{"kind":"authored"`, unknown(".origin.json"), true},
		{"kind, too large", ".origin.json", large("authored"), unknown(".origin.json"), true},
		{"authored, says another file too", ".clawhub.json", `{"kind":"authored","slug":"kit"}`, "kit", true},

		{"a repository", ".openclaw/source-origin.json", `{"version":1,"source":"git:github.com/x/y","slug":"kit"}`, "kit (git:github.com/x/y)", true},
		{"a repository, nested", ".openclaw/source-origin.json", `{"version":1,"source":{"kind":"git","url":"https://github.com/x/y.git"}}`, "https://github.com/x/y.git", true},
		{"an address", ".ironclaw-install.json", `{"source":"installed_url","source_url":"https://github.com/x/y","source_subdir":"z"}`, "https://github.com/x/y", true},
		{"an address, malformed", ".ironclaw-install.json", `nonsense`, unknown(".ironclaw-install.json"), true},
		{"an address, as large as may be", ".ironclaw-install.json", `{"source":"y"}` + strings.Repeat(" ", maxSidecar-14), "y", true},
		{"an address, too large", ".ironclaw-install.json", `{"source":"y"}` + strings.Repeat(" ", maxSidecar-13), unknown(".ironclaw-install.json"), true},

		{"secrets", ".origin.json", `{"kind":"git","source":"https://user:token@host.example/x?key=secret#frag"}`, "https://host.example/x", true},
		{"secrets in no address", ".origin.json", `{"kind":"git","source":"https://user:to%ken@host.example/x"}`, unknown(".origin.json"), true},
		{"a terminal's orders", ".clawhub.json", `{"slug":"a\u001b[31m\nb"}`, "a[31mb", true},
		{"endless", ".clawhub.json", `{"slug":"` + strings.Repeat("a", 5000) + `"}`, strings.Repeat("a", 100) + "…", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, found := Provenance(folder(t, map[string]string{c.file: c.data}))
			if source != c.source || found != c.found {
				t.Errorf("got %q, %t, want %q, %t", source, found, c.source, c.found)
			}
		})
	}
}

// Of several files the first that tells of others decides.
func TestProvenanceOfSeveral(t *testing.T) {
	root := folder(t, map[string]string{".origin.json": `{"kind":"authored"}`, ".ironclaw-install.json": `{"source":"x"}`})
	if source, found := Provenance(root); source != "x" || !found {
		t.Errorf("got %q, %t", source, found)
	}
}

// What a link out of the folder leads to is not read, and counts as unreadable.
func TestProvenanceAndLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "origin.json")
	os.WriteFile(outside, []byte(`{"kind":"authored","slug":"outside"}`), 0o600)
	for name, target := range map[string]string{
		".origin.json": outside, ".clawhub.json": outside, ".clawhub": filepath.Dir(outside),
	} {
		root := folder(t, nil)
		if err := os.Symlink(target, filepath.Join(root.Name(), name)); err != nil {
			t.Skip(err)
		}
		if source, found := Provenance(root); !found || strings.Contains(source, "outside") {
			t.Errorf("%s: got %q, %t", name, source, found)
		}
	}
	root := folder(t, map[string]string{"meta/o.json": `{"slug":"inside"}`})
	os.Symlink(filepath.Join("meta", "o.json"), filepath.Join(root.Name(), ".clawhub.json"))
	if source, found := Provenance(root); source != "inside" || !found {
		t.Errorf("inside: got %q, %t", source, found)
	}
}

func TestUnreadableProvenance(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("nothing is unreadable to this user")
	}
	root := folder(t, map[string]string{".origin.json": `{"kind":"authored"}`})
	if err := root.Chmod(".origin.json", fs.FileMode(0)); err != nil {
		t.Fatal(err)
	}
	if _, found := Provenance(root); !found {
		t.Error("a file that cannot be read was taken for none")
	}
}

func FuzzProvenance(f *testing.F) {
	f.Add([]byte(`{"kind":"git","source":"https://u:p@h/x?y#z","slug":"s","owner":"o","version":"1"}`))
	f.Add([]byte(`{"kind":"authored"}`))
	f.Add([]byte(`{"source":{"url":"x://"}}`))
	f.Add([]byte("\xef\xbb\xbf{}"))
	root := folder(f, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range []string{".origin.json", ".clawhub.json"} {
			if err := root.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			source, found := Provenance(root)
			if !found && file == ".clawhub.json" {
				t.Error("the file was overlooked")
			}
			if found == (source == "") || len([]rune(source)) > 101 || strings.ContainsFunc(source, unicode.IsControl) {
				t.Errorf("source %q, %t", source, found)
			}
			root.Remove(file)
		}
	})
}
