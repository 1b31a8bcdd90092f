package trust

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/skill"
)

// edits draws an edit of one of a writer's skills, or of its workspace.
func edits() *rapid.Generator[func(writer string) func(*Edit) error] {
	return rapid.Custom(func(t *rapid.T) func(string) func(*Edit) error {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "skill")
		digest := sum(rapid.ByteMax(2).Draw(t, "digest"))
		grant := policy.Grant{Tool: rapid.SampledFrom([]string{"shell", "read"}).Draw(t, "tool")}
		grant.Net = rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 2).Draw(t, "net")
		return func(writer string) func(*Edit) error {
			workspace := "/" + writer
			path := workspace + "/" + name
			return func(e *Edit) error {
				switch kind {
				case 0:
					return e.Trust(path, name, digest)
				case 1:
					e.Distrust(path)
				case 2:
					return e.Grant(path, name, digest, grant)
				case 3:
					e.Revoke(path, grant.Tool)
				case 4:
					return e.AcceptWorkspace(workspace, map[string]string{path: digest})
				default:
					e.ForgetWorkspace(workspace)
				}
				return nil
			}
		}
	})
}

// book applies edits to an empty book, without a file.
func bookOf(t *rapid.T, all ...func(*Edit) error) *Book {
	e := Edit{now: day, records: map[string]Record{}, workspaces: map[string]Workspace{}}
	for _, do := range all {
		if err := do(&e); err != nil {
			t.Fatal(err)
		}
	}
	return &Book{records: e.records, workspaces: e.workspaces}
}

// Whatever is edited, the file can be read again and says the same, and an
// edit that is repeated has no further effect.
func TestEditsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []func(*Edit) error
		for _, draw := range rapid.SliceOfN(edits(), 1, 12).Draw(t, "edits") {
			all = append(all, draw("w"))
		}
		b := bookOf(t, all...)
		data, err := b.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(b.Records(), again.Records()) + cmp.Diff(b.Workspaces(), again.Workspaces()); diff != "" {
			t.Fatal(diff)
		}
		twice, err := bookOf(t, append(all, all[len(all)-1])...).encode()
		if err != nil || !bytes.Equal(data, twice) {
			t.Fatalf("the last edit repeated gives\n%s\nnot\n%s", twice, data)
		}
	})
}

// anEntry draws a skill of a writer, or of another.
func anEntry(t *rapid.T) *skill.Entry {
	e := entry(rapid.SampledFrom([]string{"workspace", "user", "installed", "extra", ""}).Draw(t, "source"),
		rapid.SampledFrom([]skill.Trust{skill.Trusted, skill.Installed, "", "odd"}).Draw(t, "trust"),
		rapid.SampledFrom([]string{"/w/a", "/w/b", "/other/a"}).Draw(t, "path"))
	return e
}

func aContext(t *rapid.T) Context {
	in := Context{
		Workspace:       rapid.SampledFrom([]string{"/w", "/other", ""}).Draw(t, "workspace"),
		AcceptWorkspace: rapid.Bool().Draw(t, "accept"),
	}
	if rapid.Bool().Draw(t, "ask for provenance") {
		found := rapid.Bool().Draw(t, "found")
		in.Provenance = func(string) (string, bool) { return "elsewhere", found }
	}
	return in
}

func digesting(sum string, err error) func(*skill.Entry) (string, error) {
	return func(*skill.Entry) (string, error) { return sum, err }
}

// Trust is never above that of the root unless the user trusted this very
// content; and never above what it would be with other content, unreadable
// content or no decisions at all, but for the user's word.
func TestTrustIsNeverMadeUp(t *testing.T) {
	raised, lowered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var all []func(*Edit) error
		for _, draw := range rapid.SliceOfN(edits(), 0, 8).Draw(t, "edits") {
			all = append(all, draw("w"))
		}
		b, e, in := bookOf(t, all...), anEntry(t), aContext(t)
		content := sum(rapid.ByteMax(2).Draw(t, "content"))
		record := b.records[Place(e)]
		word := record.Trusted && record.Digest == content

		in.Digest = digesting(content, nil)
		v := b.Judge(e, in)
		most := e.Trust
		if word {
			most = skill.Trusted
		}
		if most.Below(v.Trust) {
			t.Fatalf("trust %q, root %q, word %t", v.Trust, e.Trust, word)
		}
		if word && v.Trust != skill.Trusted {
			t.Fatalf("the user's word does not count: %+v", v)
		}
		if v.Trust != e.Trust && len(v.Reasons) == 0 {
			t.Fatalf("no reason for %+v", v)
		}
		if v.Grants != nil && record.Digest != content || v.Void != nil && record.Digest == content {
			t.Fatalf("grants on other content: %+v", v)
		}

		// A change never raises, from whatever content to one nobody decided on.
		changed := in
		changed.Digest = digesting(sum(9), nil)
		if after := b.Judge(e, changed); v.Trust.Below(after.Trust) || after.Grants != nil {
			t.Fatalf("changed, it went from %+v to %+v", v, after)
		}
		changed.Digest = digesting(content, errors.New("unreadable"))
		if after := b.Judge(e, changed); v.Trust.Below(after.Trust) || after.Grants != nil {
			t.Fatalf("unreadable, it went from %+v to %+v", v, after)
		}
		if e.Trust.Below(v.Trust) {
			raised++
		}
		if v.Trust.Below(e.Trust) {
			lowered++
		}
	})
	t.Logf("%d raised, %d lowered", raised, lowered) // TestJudge has cases of both
}

// Writers beside each other end where they would have one after the other.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	const rounds, writers, each = 3, 4, 4
	for round := range rounds {
		dir := t.TempDir()
		var todo [writers][]func(*Edit) error
		var one []func(*Edit) error
		for w := range writers {
			name := fmt.Sprint("w", w)
			for i := range each {
				own := edits().Example(round*writers*each + w*each + i)(name)
				do := func(e *Edit) error {
					// Of what all share, each adds something.
					shared := policy.Grant{Tool: "shell", Net: []string{fmt.Sprint(name, i)}}
					return errors.Join(own(e), e.Grant("/shared", "shared", sum(1), shared))
				}
				todo[w] = append(todo[w], do)
				one = append(one, do)
			}
		}
		beside, after := filepath.Join(dir, "beside.json"), filepath.Join(dir, "after.json")
		var all sync.WaitGroup
		for _, edits := range todo {
			all.Go(func() {
				for _, do := range edits {
					if err := Change(t.Context(), beside, day, do); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		err := Change(t.Context(), after, day, func(e *Edit) error {
			for _, do := range one {
				if err := do(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(beside)
		want, _ := os.ReadFile(after)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || len(want) == 0 {
			t.Error(diff)
		}
	}
}

// A book does not change when the file does.
func TestBooksAreSnapshots(t *testing.T) {
	file, book := edited(t, fill)
	records, workspaces := maps.Clone(book.records), maps.Clone(book.workspaces)
	err := Change(t.Context(), file, day, func(e *Edit) error {
		e.Distrust("/in/a")
		e.ForgetWorkspace("/ws")
		return e.Trust("/new", "new", sum(1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(records, book.records) + cmp.Diff(workspaces, book.workspaces); diff != "" {
		t.Error(diff)
	}
}
