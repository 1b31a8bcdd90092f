package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/skill"
)

// fill makes one decision of each kind.
func fill(e *Edit) error {
	return errors.Join(
		e.Trust("/in/b", "b", sum(2)),
		e.Trust("/in/a", "a", sum(1)),
		e.Grant("/in/a", "a", sum(1), policy.Grant{Tool: "shell", Net: []string{"api.example.com"}}),
		e.Grant("/in/c", "c & <d>", sum(3), policy.Grant{Tool: "Bash(git:*)"}),
		e.AcceptWorkspace("/ws", map[string]string{"/ws/skills/x": sum(4), "/ws/skills/y": sum(5)}),
	)
}

func TestFile(t *testing.T) {
	file, book := edited(t, fill)
	want := fmt.Sprintf(`{
 "version": 1,
 "sum": "sha256:0b4d5c9a6ef8f1a3e2b7c8d9",
 "records": [
  {
   "path": "/in/a",
   "name": "a",
   "digest": "%s",
   "trusted": true,
   "grants": [
    {
     "tool": "shell",
     "net": [
      "api.example.com"
     ]
    }
   ],
   "when": "2026-03-01T12:30:00Z"
  },
  {
   "path": "/in/b",
   "name": "b",
   "digest": "%s",
   "trusted": true,
   "when": "2026-03-01T12:30:00Z"
  },
  {
   "path": "/in/c",
   "name": "c & <d>",
   "digest": "%s",
   "grants": [
    {
     "tool": "Bash(git:*)"
    }
   ],
   "when": "2026-03-01T12:30:00Z"
  }
 ],
 "workspaces": [
  {
   "path": "/ws",
   "digests": {
    "skills/x": "%s",
    "skills/y": "%s"
   },
   "when": "2026-03-01T12:30:00Z"
  }
 ]
}
`, sum(1), sum(2), sum(3), sum(4), sum(5))
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// What the checksum is, TestDamage finds out.
	line := func(data string) string { return strings.Split(data, "\n")[2] }
	if diff := cmp.Diff(strings.Replace(want, line(want), line(string(got)), 1), string(got)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	when := day.Truncate(time.Second)
	if diff := cmp.Diff([]Record{
		{Path: "/in/a", Name: "a", Digest: sum(1), Trusted: true, Grants: []policy.Grant{{Tool: "shell", Net: []string{"api.example.com"}}}, When: when},
		{Path: "/in/b", Name: "b", Digest: sum(2), Trusted: true, When: when},
		{Path: "/in/c", Name: "c & <d>", Digest: sum(3), Grants: []policy.Grant{{Tool: "Bash(git:*)"}}, When: when},
	}, book.Records()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Workspace{{Path: "/ws", Digests: map[string]string{"skills/x": sum(4), "skills/y": sum(5)}, When: when}}, book.Workspaces()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatOthersGetIsTheirs(t *testing.T) {
	_, book := edited(t, fill)
	before, _ := book.encode()
	book.Records()[0].Grants[0].Net[0] = "evil.example"
	book.Workspaces()[0].Digests["skills/x"] = sum(9)
	v := book.Judge(entry("installed", skill.Installed, "/in/a"), Context{Digest: func(*skill.Entry) (string, error) { return sum(1), nil }})
	v.Grants[0].Net[0] = "evil.example"
	if after, _ := book.encode(); !bytes.Equal(before, after) {
		t.Errorf("the book has become\n%s", after)
	}
}

func TestNoFile(t *testing.T) {
	for _, file := range []string{"", filepath.Join(t.TempDir(), "none", "trust.json")} {
		b, problems := Open(file)
		if len(problems) > 0 || len(b.Records())+len(b.Workspaces()) > 0 {
			t.Errorf("%q: %v, %v", file, b, problems)
		}
	}
	if err := Change(t.Context(), "", day, fill); !errors.Is(err, errNoFile) {
		t.Errorf("got error %v", err)
	}
	file := filepath.Join(t.TempDir(), "trust.json")
	if err := Change(t.Context(), file, day, func(e *Edit) error { e.Distrust("/x"); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("nothing was decided, yet there is a file")
	}
}

// A file that lost, gained or changed any byte gives nothing, and is left alone.
func TestDamage(t *testing.T) {
	_, book := edited(t, fill)
	whole, err := book.encode()
	if err != nil {
		t.Fatal(err)
	}
	var damaged [][]byte
	for i := range whole {
		damaged = append(damaged, whole[:i], slices.Concat(whole[:i], whole[i+1:]), slices.Concat(whole[:i], []byte{' '}, whole[i:]))
		for _, flip := range []byte{1, 4, 32, 128} {
			one := bytes.Clone(whole)
			one[i] ^= flip
			damaged = append(damaged, one)
		}
	}
	damaged = append(damaged, append(bytes.Clone(whole), '\n'), append(bytes.Clone(whole), whole...), make([]byte, len(whole)),
		bytes.ReplaceAll(whole, []byte("/in/a"), []byte("/in/z")), bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")))
	for _, data := range damaged {
		if b, err := decode(data); err == nil {
			t.Fatalf("taken for good: %+v\n%s", b, data)
		}
	}
	file := filepath.Join(t.TempDir(), "trust.json")
	os.WriteFile(file, whole[:len(whole)-2], 0o600)
	b, problems := Open(file)
	if len(b.Records())+len(b.Workspaces()) > 0 || len(problems) != 1 || problems[0].Code != skill.TrustUnreadable ||
		problems[0].File != file || problems[0].Severity != skill.Error || problems[0].Hint == "" {
		t.Errorf("%+v, %v", b, problems)
	}
	if err := Change(t.Context(), file, day, fill); !errors.Is(err, errDamaged) {
		t.Errorf("got error %v", err)
	}
	if data, _ := os.ReadFile(file); !bytes.Equal(data, whole[:len(whole)-2]) {
		t.Error("the damaged file was changed")
	}
}

// Files that a program could have sealed, but that no edit makes.
func TestSealedNonsense(t *testing.T) {
	good := Record{Path: "/a", Digest: sum(1), Trusted: true}
	for name, c := range map[string]content{
		"path":         {Records: []Record{{Digest: sum(1), Trusted: true}}},
		"digest":       {Records: []Record{{Path: "/a", Trusted: true}}},
		"short digest": {Records: []Record{{Path: "/a", Digest: "sha256:00", Trusted: true}}},
		"says nothing": {Records: []Record{{Path: "/a", Digest: sum(1)}}},
		"twice":        {Records: []Record{good, good}},
		"order":        {Records: []Record{{Path: "/b", Digest: sum(1), Trusted: true}, good}},
		"tool":         {Records: []Record{{Path: "/a", Digest: sum(1), Grants: []policy.Grant{{}}}}},
		"host":         {Records: []Record{{Path: "/a", Digest: sum(1), Grants: []policy.Grant{{Tool: "x", Net: []string{""}}}}}},
		"two of one":   {Records: []Record{{Path: "/a", Digest: sum(1), Grants: []policy.Grant{{Tool: "x"}, {Tool: "x"}}}}},
		"no digests":   {Workspaces: []Workspace{{Path: "/w"}}},
		"bad digests":  {Workspaces: []Workspace{{Path: "/w", Digests: map[string]string{"a": ""}}}},
		"no workspace": {Workspaces: []Workspace{{Digests: map[string]string{}}}},
		"newer":        {Version: 2},
		"older":        {Version: -1},
	} {
		if c.Version == 0 {
			c.Version = 1
		}
		if c.Records == nil {
			c.Records = []Record{}
		}
		if c.Workspaces == nil {
			c.Workspaces = []Workspace{}
		}
		if b, err := decode(seal(t, c)); err == nil || errors.Is(err, errNewer) != (name == "newer") {
			t.Errorf("%s: %+v, error %v", name, b, err)
		}
	}
	if _, err := decode(seal(t, content{Version: 1, Records: []Record{good}, Workspaces: []Workspace{}})); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// seal writes a file with the checksum that it needs.
func seal(t testing.TB, c content) []byte {
	t.Helper()
	c.Sum = ""
	data, err := c.marshal()
	if err != nil {
		t.Fatal(err)
	}
	c.Sum = checksum(data)
	data, err = c.marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	folder, large, newer := filepath.Join(dir, "folder"), filepath.Join(dir, "large"), filepath.Join(dir, "newer")
	os.Mkdir(folder, 0o700)
	os.WriteFile(large, nil, 0o600)
	os.Truncate(large, maxBytes+1)
	os.WriteFile(newer, []byte(`{"version": 2}`), 0o600)
	for file, want := range map[string]string{
		folder: "it is not a regular file", large: "it is larger than 16777216 bytes", newer: "it was written by a newer version of knack",
	} {
		_, problems := Open(file)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %v", file, problems)
		}
		if err := Change(t.Context(), file, day, fill); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v", file, err)
		}
	}
	if os.Geteuid() > 0 {
		locked := filepath.Join(dir, "locked")
		os.WriteFile(locked, nil, 0)
		if _, problems := Open(locked); len(problems) != 1 || !strings.Contains(problems[0].Hint, "permissions") {
			t.Errorf("%v", problems)
		}
	}
}

func TestEdits(t *testing.T) {
	shell := func(net ...string) policy.Grant { return policy.Grant{Tool: "shell", Net: net} }
	read := policy.Grant{Tool: "read"}
	trusted := []Record{{Path: "/a", Name: "a", Digest: sum(1), Trusted: true}}
	for _, c := range []struct {
		name string
		do   func(*Edit) error
		want []Record
	}{
		{"trust", func(e *Edit) error { return e.Trust("/a", "a", sum(1)) }, trusted},
		{"trust, path spelled otherwise", func(e *Edit) error { return e.Trust("/b/../a/", "a", sum(1)) }, trusted},
		{"trust other content", func(e *Edit) error { return errors.Join(e.Trust("/a", "old", sum(2)), e.Trust("/a", "a", sum(1))) }, trusted},
		{"trust other content: grants are not renewed", func(e *Edit) error {
			return errors.Join(e.Grant("/a", "a", sum(2), read), e.Trust("/a", "a", sum(1)))
		}, trusted},
		{"grant on other content: trust is not renewed", func(e *Edit) error {
			return errors.Join(e.Trust("/a", "a", sum(2)), e.Grant("/a", "a", sum(1), read))
		}, []Record{{Path: "/a", Name: "a", Digest: sum(1), Grants: []policy.Grant{read}}}},
		{"grants add up, sorted", func(e *Edit) error {
			return errors.Join(e.Grant("/a", "a", sum(1), shell("z", "b", "z")), e.Grant("/a", "a", sum(1), read), e.Grant("/a", "a", sum(1), shell("a")), e.Grant("/a", "a", sum(1), shell()))
		}, []Record{{Path: "/a", Name: "a", Digest: sum(1), Grants: []policy.Grant{read, shell("a", "b", "z")}}}},
		{"distrust", func(e *Edit) error { return done(e.Trust("/a", "a", sum(1)), e.Distrust("/a/"), !e.Distrust("/a")) }, nil},
		{"distrust leaves grants", func(e *Edit) error {
			return done(errors.Join(e.Trust("/a", "a", sum(1)), e.Grant("/a", "a", sum(1), read)), e.Distrust("/a"), !e.Distrust("/a"))
		}, []Record{{Path: "/a", Name: "a", Digest: sum(1), Grants: []policy.Grant{read}}}},
		{"revoke one", func(e *Edit) error {
			return done(errors.Join(e.Grant("/a", "a", sum(1), shell()), e.Grant("/a", "a", sum(1), read)), e.Revoke("/a", "shell"), !e.Revoke("/a", "shell"))
		}, []Record{{Path: "/a", Name: "a", Digest: sum(1), Grants: []policy.Grant{read}}}},
		{"revoke all", func(e *Edit) error {
			return done(errors.Join(e.Grant("/a", "a", sum(1), shell()), e.Grant("/a", "a", sum(1), read)), e.Revoke("/a", ""), !e.Revoke("/a", ""))
		}, nil},
		{"revoke leaves trust", func(e *Edit) error {
			return done(errors.Join(e.Trust("/a", "a", sum(1)), e.Grant("/a", "a", sum(1), read)), e.Revoke("/a", ""))
		}, trusted},
		{"of what there is not", func(e *Edit) error {
			return done(nil, !e.Distrust("/a"), !e.Revoke("/a", ""), !e.ForgetWorkspace("/a"))
		}, nil},
		{"bundled", func(e *Edit) error { return e.Trust("bundled:a", "a", sum(1)) }, []Record{{Path: "bundled:a", Name: "a", Digest: sum(1), Trusted: true}}},
		{"a name that is no text", func(e *Edit) error { return e.Trust("/a", "\xff", sum(1)) }, []Record{{Path: "/a", Name: "\ufffd", Digest: sum(1), Trusted: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, book := edited(t, c.do)
			got := book.Records()
			for i := range got {
				got[i].When = time.Time{}
			}
			if diff := cmp.Diff(append([]Record{}, c.want...), got); diff != "" {
				t.Error(diff)
			}
			// The same edits on what is left of them must not fail either.
			if err := Change(t.Context(), file, day, c.do); err != nil {
				t.Error(err)
			}
		})
	}
}

// done fails unless all answers are as they should be.
func done(err error, answers ...bool) error {
	if slices.Contains(answers, false) {
		return fmt.Errorf("answers: %v", answers)
	}
	return err
}

func TestEditsThatCannotBe(t *testing.T) {
	grant := func(g policy.Grant) func(*Edit) error {
		return func(e *Edit) error { return e.Grant("/a", "a", sum(1), g) }
	}
	for name, do := range map[string]func(*Edit) error{
		"no path":      func(e *Edit) error { return e.Trust("", "a", sum(1)) },
		"odd path":     func(e *Edit) error { return e.Trust("/\xff", "a", sum(1)) },
		"no digest":    func(e *Edit) error { return e.Trust("/a", "a", "") },
		"other digest": func(e *Edit) error { return e.Trust("/a", "a", strings.ToUpper(sum(10))) },
		"no tool":      grant(policy.Grant{}),
		"odd tool":     grant(policy.Grant{Tool: "\xff"}),
		"no host":      grant(policy.Grant{Tool: "shell", Net: []string{"a", ""}}),
		"grant, no digest": func(e *Edit) error {
			return e.Grant("/a", "a", "sha256:", policy.Grant{Tool: "shell"})
		},
		"no workspace":  func(e *Edit) error { return e.AcceptWorkspace("", nil) },
		"odd skill":     func(e *Edit) error { return e.AcceptWorkspace("/w", map[string]string{"/w/\xff": sum(1)}) },
		"skill without": func(e *Edit) error { return e.AcceptWorkspace("/w", map[string]string{"/w/a": ""}) },
	} {
		file := filepath.Join(t.TempDir(), "trust.json")
		err := Change(t.Context(), file, day, func(e *Edit) error { return errors.Join(e.Trust("/good", "good", sum(1)), do(e)) })
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: half of it was written", name)
		}
	}
}

// The first decision counts until another is made.
func TestRepeatingKeepsTheTime(t *testing.T) {
	file, _ := edited(t, fill)
	before, _ := os.ReadFile(file)
	later := day.AddDate(1, 0, 0)
	if err := Change(t.Context(), file, later, fill); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Errorf("repeated, the file became\n%s", after)
	}
	err := Change(t.Context(), file, later, func(e *Edit) error {
		return errors.Join(e.Trust("/in/a", "a", sum(7)), e.Grant("/in/b", "b", sum(2), policy.Grant{Tool: "x"}), e.Trust("/in/c", "c", sum(3)),
			e.AcceptWorkspace("/ws", map[string]string{"/ws/skills/x": sum(4)}))
	})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Open(file)
	years := map[string]int{}
	for _, r := range b.Records() {
		years[r.Path] = r.When.Year()
	}
	for _, w := range b.Workspaces() {
		years[w.Path] = w.When.Year()
	}
	if diff := cmp.Diff(map[string]int{"/in/a": 2027, "/in/b": 2026, "/in/c": 2027, "/ws": 2027}, years); diff != "" {
		t.Error(diff)
	}
}

func TestWorkspaces(t *testing.T) {
	file, book := edited(t, func(e *Edit) error {
		return errors.Join(
			e.AcceptWorkspace("/b/", map[string]string{"/b/skills/x": sum(1), "/bc/y": sum(2), "/b": sum(3), "/b/..z": sum(4)}),
			e.AcceptWorkspace("/", map[string]string{"/skills/x": sum(1)}),
			e.AcceptWorkspace("/a", nil))
	})
	got := map[string][]string{}
	for _, w := range book.Workspaces() {
		got[w.Path] = append([]string{}, slices.Sorted(maps.Keys(w.Digests))...)
	}
	want := map[string][]string{"/": {"skills/x"}, "/a": {}, "/b": {"..z", ".", "/bc/y", "skills/x"}}
	slices.Sort(want["/b"])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err := Change(t.Context(), file, day, func(e *Edit) error {
		return done(nil, e.ForgetWorkspace("/b/"), !e.ForgetWorkspace("/b"), e.ForgetWorkspace("/"))
	})
	if b, _ := Open(file); err != nil || len(b.Workspaces()) != 1 || b.Workspaces()[0].Path != "/a" {
		t.Errorf("%v, error %v", b.Workspaces(), err)
	}
}

func TestChangeErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Change(t.Context(), filepath.Join(dir, "file", "trust.json"), day, fill); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("got error %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Change(stopped, filepath.Join(dir, "trust.json"), day, fill); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if err := Change(t.Context(), filepath.Join(dir, "trust.json"), time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), fill); err == nil {
		t.Error("a time that cannot be written was written")
	}
	big := func(e *Edit) error {
		return e.Grant("/a", "a", sum(1), policy.Grant{Tool: strings.Repeat("x", maxBytes)})
	}
	if err := Change(t.Context(), filepath.Join(dir, "trust.json"), day, big); err == nil || !strings.Contains(err.Error(), "cannot take more") {
		t.Errorf("got error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A file that others could write is closed to them with the next decision.
func TestChangeClosesTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	file, _ := edited(t, fill)
	os.Chmod(file, 0o666)
	if err := Change(t.Context(), file, day, func(e *Edit) error { return e.Trust("/x", "x", sum(1)) }); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// killedVar tells this program, started by TestKilled, which file to write.
const killedVar = "TRUST_TEST_FILE"

// A writer that is killed at any moment leaves a whole file, with all that it
// said was written.
func TestKilled(t *testing.T) {
	if file := os.Getenv(killedVar); file != "" {
		for i := 0; ; i++ {
			path := fmt.Sprintf("/in/%d", i)
			if err := Change(t.Context(), file, day, func(e *Edit) error { return e.Trust(path, path, sum(1)) }); err != nil {
				t.Fatal(err)
			}
			fmt.Println(path)
		}
	}
	for i := range 8 {
		file := filepath.Join(t.TempDir(), "trust.json")
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), killedVar+"="+file)
		var said bytes.Buffer
		child.Stdout = &said
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(file); err == nil {
				break
			}
		}
		time.Sleep(time.Duration(i*7) * time.Millisecond)
		child.Process.Kill()
		child.Wait()
		b, problems := Open(file)
		written := strings.Fields(said.String())
		if len(problems) > 0 || len(b.Records()) < len(written) {
			t.Fatalf("%d of %d records, %v", len(b.Records()), len(written), problems)
		}
		for _, path := range written {
			if _, ok := b.records[path]; !ok {
				t.Errorf("%s was written and is gone", path)
			}
		}
		// The next one is not kept waiting.
		if err := Change(t.Context(), file, day, fill); err != nil {
			t.Error(err)
		}
	}
}

func FuzzBook(f *testing.F) {
	file := seal(f, content{Version: 1, Records: []Record{{Path: "/a", Digest: sum(1), Trusted: true}}, Workspaces: []Workspace{}})
	f.Add(file)
	f.Add(seal(f, content{Version: 1, Records: []Record{}, Workspaces: []Workspace{{Path: "/w", Digests: map[string]string{"a": sum(2)}}}}))
	f.Add([]byte(`{"version":1,"records":[{"path":"/a","digest":"` + sum(3) + `","grants":[{"tool":"b"},{"tool":"a"}]}]}`))
	f.Add([]byte(`{"version":9}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(data []byte) {
			b, err := decode(data)
			if err != nil {
				return
			}
			same, err := b.encode()
			if err != nil || !bytes.Equal(data, same) {
				t.Fatalf("read and written again it is\n%s", same)
			}
			for _, r := range b.Records() {
				e := &skill.Entry{Source: "installed", Root: "/", Path: r.Path}
				e.Trust = skill.Installed
				for _, digest := range []string{"", "x", sum(6), sum(7)} {
					if v := b.Judge(e, Context{Digest: func(*skill.Entry) (string, error) { return digest, nil }}); digest != r.Digest && (v.Trust == skill.Trusted || v.Grants != nil) {
						t.Fatalf("other content is trusted: %+v", v)
					}
				}
			}
		}
		check(data)
		// The same content with its checksum gets past the first guard.
		var c content
		if json.Unmarshal(data, &c) == nil {
			if _, err := c.marshal(); err == nil {
				check(seal(t, c))
			}
		}
	})
}
