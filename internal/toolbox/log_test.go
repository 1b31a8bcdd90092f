package toolbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/tool"
)

func TestLog(t *testing.T) {
	log := Log{filepath.Join(t.TempDir(), "new", "audit.jsonl")}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := tool.Record{ID: "1", Time: at, Tool: "shell", Caller: "model", Subject: "ls", Arguments: `{"command":"ls"}`, Verdict: "allowed"}
	second := tool.Record{ID: "2", Time: at, Tool: "x", Caller: "user", Verdict: "denied", Why: "policy"}
	end := tool.RecordEnd{Time: at.Add(time.Second), Bytes: 3, Layer: "namespaces"}
	for _, err := range []error{log.Begin(first), log.Begin(second), log.Finish("1", end), log.Finish("nobody's", end)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// What a crash left of a line costs that line alone.
	f, err := os.OpenFile(log.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat("x", 2*longestLine) + "\n" + `{"call":{"id":"3"`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	third := tool.Record{ID: "4", Time: at, Tool: "y", Caller: "user", Verdict: "allowed"}
	if err := log.Begin(third); err != nil {
		t.Fatal(err)
	}
	got, unreadable, err := log.Records()
	first.End = &end
	if diff := cmp.Diff([]tool.Record{first, second, third}, got); diff != "" || unreadable != 2 || err != nil {
		t.Errorf("%d unreadable, %v (-want +got):\n%s", unreadable, err, diff)
	}
	if st, err := os.Stat(log.Path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestNoLog(t *testing.T) {
	if err := (Log{}).Begin(tool.Record{}); err != nil {
		t.Error(err)
	}
	if got, n, err := (Log{filepath.Join(t.TempDir(), "none")}).Records(); got != nil || n != 0 || err != nil {
		t.Error(got, n, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), link); err != nil {
		t.Skip(err)
	}
	if err := (Log{link}).Begin(tool.Record{}); err == nil {
		t.Error("a link was followed")
	}
	dir := t.TempDir() // a folder stands in its place
	if err := (Log{dir}).Begin(tool.Record{}); err == nil || !strings.Contains(err.Error(), "the call is not made") {
		t.Error(err)
	}
}

func TestLogFromManySides(t *testing.T) {
	log := Log{filepath.Join(t.TempDir(), "audit.jsonl")}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			id := fmt.Sprint(i)
			if err := log.Begin(tool.Record{ID: id, Subject: strings.Repeat("é", longestText)}); err != nil {
				t.Error(err)
			}
			if err := log.Finish(id, tool.RecordEnd{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, unreadable, err := log.Records()
	if len(got) != 20 || unreadable != 0 || err != nil {
		t.Fatal(len(got), unreadable, err)
	}
	for _, r := range got {
		if r.End == nil || !utf8.ValidString(r.Subject) || len(r.Subject) > longestText+40 {
			t.Errorf("%d bytes, end %v", len(r.Subject), r.End)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"call\":{\"id\":\"1\"}}\n{\"of\":\"1\",\"end\":{}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		before, _, err := Log{path}.Records()
		if err != nil {
			return
		}
		if err := (Log{path}).Begin(tool.Record{ID: "new"}); err != nil {
			t.Fatal(err)
		}
		after, _, _ := Log{path}.Records()
		if len(data) < longestLine && len(after) != len(before)+1 {
			t.Errorf("%d records, then %d", len(before), len(after))
		}
	})
}
