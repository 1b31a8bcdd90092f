package memory

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/tool"
)

// writerPath makes the test's binary a process that stores memories.
const writerPath = "MEMORY_TEST_WRITER"

func TestMain(m *testing.M) {
	path := os.Getenv(writerPath)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := Open(path, clock())
	for i := 0; i < 40 && err == nil; i++ {
		_, _, err = s.Put(context.Background(), "", os.Args[1], "the same words each time")
	}
	if err = errors.Join(err, s.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// clock goes one minute further at each call.
func clock() func() time.Time {
	var mu sync.Mutex
	t := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t = t.Add(time.Minute)
		return t
	}
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, clock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fresh(t testing.TB) *Store { return open(t, filepath.Join(t.TempDir(), "private", "memory.db")) }

// call calls a tool.
func call(t testing.TB, s *Store, name, arguments string) tool.Result {
	t.Helper()
	for _, tl := range s.Tools() {
		if tl.Spec().Name == name {
			result, err := tl.Run(t.Context(), json.RawMessage(arguments))
			if err != nil {
				t.Fatalf("%s %s: %v", name, arguments, err)
			}
			return result
		}
	}
	t.Fatalf("no tool %s", name)
	return tool.Result{}
}

func keys(t testing.TB, s *Store, query string) []string {
	t.Helper()
	found, err := s.Recall(t.Context(), query, "", 100)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	out := []string{}
	for _, m := range found {
		out = append(out, m.Key)
	}
	return out
}

func put(t testing.TB, s *Store, key, content string) {
	t.Helper()
	if _, _, err := s.Put(t.Context(), key, "", content); err != nil {
		t.Fatal(err)
	}
}

func TestToolsTogether(t *testing.T) {
	s := fresh(t)
	for _, step := range []struct {
		tool, arguments string
		want            tool.Result
	}{
		{"memory_recall", `{"query":"coffee"}`, tool.Result{Text: "nothing was found"}},
		{"memory_export", ``, tool.Result{Text: "there are no memories"}},
		{"memory_purge", `{"all":true}`, tool.Result{Text: "0 forgotten"}},
		{"memory_store", `{"content":"The user likes strong coffee <in the> morning"}`, tool.Result{Text: `stored as "the-user-likes-strong"`}},
		{"memory_store", `{"content":"The user likes strong tea too"}`, tool.Result{Text: `stored as "the-user-likes-strong-2"`}},
		{"memory_store", `{"content":"The user likes strong wind","category":"weather"}`, tool.Result{Text: `stored as "the-user-likes-strong-3"`}},
		{"memory_store", `{"key":"the-user-likes-strong-2","content":"No tea"}`, tool.Result{Text: `replaced what was stored as "the-user-likes-strong-2"`}},
		{"memory_store", `{"key":"the-user-likes-strong-3","content":"calm"}`, tool.Result{Text: `replaced what was stored as "the-user-likes-strong-3"`}},
		{"memory_recall", `{"query":"COFFEE?"}`, tool.Result{
			Text: `{"key":"the-user-likes-strong","category":"general","content":"The user likes strong coffee <in the> morning","created":"2026-01-02T03:01:00Z","updated":"2026-01-02T03:01:00Z"}`,
		}},
		{"memory_export", `{"category":"weather"}`, tool.Result{
			Text: `{"key":"the-user-likes-strong-3","category":"weather","content":"calm","created":"2026-01-02T03:03:00Z","updated":"2026-01-02T03:05:00Z"}`,
		}},
		{"memory_recall", `{"query":"wind"}`, tool.Result{Text: "nothing was found"}},
		{"memory_forget", `{"key":"none"}`, tool.Result{Text: `there is no such memory: none has the key "none"; memory_recall finds keys`, Failed: true}},
		{"memory_forget", `{"key":"the-user-likes-strong"}`, tool.Result{Text: `forgot "the-user-likes-strong"`}},
		{"memory_purge", `{"category":"weather"}`, tool.Result{Text: "1 forgotten"}},
		{"memory_purge", `{"category":"weather"}`, tool.Result{Text: "0 forgotten"}},
		{"memory_purge", `{"all":true}`, tool.Result{Text: "1 forgotten"}},
		{"memory_export", `{}`, tool.Result{Text: "there are no memories"}},
		{"memory_store", `{"content":"!!"}`, tool.Result{Text: `stored as "memory"`}},
	} {
		if diff := cmp.Diff(step.want, call(t, s, step.tool, step.arguments)); diff != "" {
			t.Errorf("%s %s:\n%s", step.tool, step.arguments, diff)
		}
	}
}

func TestBadArguments(t *testing.T) {
	s := fresh(t)
	long := strings.Repeat("x", maxContent+1)
	for arguments, name := range map[string]string{
		`[`: "memory_store", ``: "memory_store", `{"content":3}`: "memory_store", `{"content":" \n"}`: "memory_store", `{"content":"a","kye":"b"}`: "memory_store",
		`{"content":"` + long + `"}`: "memory_store", `{"content":"a","key":"` + long + `"}`: "memory_store", `{"content":"a","key":"a\nb"}`: "memory_store",
		`{"content":"a","category":"\u001b"}`: "memory_store",
		`{}`:                                  "memory_recall", `{"query":"a","limit":101}`: "memory_recall", `{"query":"a","limit":-1}`: "memory_recall",
		`{"all":false}`: "memory_purge", `null`: "memory_purge", `{"categroy":"x","all":true}`: "memory_purge", `{"category":"x","all":true}`: "memory_purge",
		`{"category":" "}`: "memory_purge", `{"x":1}`: "memory_export",
	} {
		if result := call(t, s, name, arguments); !result.Failed || result.Text == "" || len(result.Text) > 400 {
			t.Errorf("%s %.60s: %+v", name, arguments, result)
		}
	}
	if _, err := os.Stat(s.path); !os.IsNotExist(err) {
		t.Errorf("a file was made: %v", err)
	}
}

func TestSpecs(t *testing.T) {
	got := map[string]tool.Effects{}
	for _, tl := range fresh(t).Tools() {
		spec := tl.Spec()
		got[spec.Name] = spec.Effects
		if !json.Valid(spec.Schema) {
			t.Errorf("%s: %s", spec.Name, spec.Schema)
		}
		if form := tl.(memoryTool).form; form.Example == "" {
			t.Errorf("%s has no example", spec.Name)
		} else if _, err := form.Read(spec.Name, json.RawMessage(form.Example)); err != nil {
			t.Errorf("the example of %s: %v", spec.Name, err)
		}
	}
	reads, writes := tool.Effects{Read: true}, tool.Effects{Write: true}
	want := map[string]tool.Effects{"memory_store": writes, "memory_recall": reads, "memory_forget": writes, "memory_export": reads, "memory_purge": writes}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSearch(t *testing.T) {
	s := fresh(t)
	for key, content := range map[string]string{
		"zh": "用户喜欢喝美式咖啡，不加糖。", "ja": "ユーザーはコーヒーが好きです", "ko": "사용자는 학교에서 커피를 마신다", "th": "ผู้ใช้ชอบดื่มกาแฟ",
		"en": "Programs are programmed by programmers", "fr": "Un café très serré, à Zürich", "wide": "ＡＢＣ ｶﾀｶﾅ", "fts": `NEAR(a b) AND NOT "OR" * col:x`,
		"emoji": "party 🎉 at ten", "both": "espresso machine in the kitchen", "one": "espresso", "snake": "path is src/http_server.go",
	} {
		put(t, s, key, content)
	}
	for query, want := range map[string][]string{
		"咖啡": {"zh"}, "咖": {"zh"}, "喜欢喝": {"zh"}, "他喜欢什么咖啡": {"zh"}, "啡咖": {}, "コーヒー": {"ja"}, "ヒー": {"ja"}, "好き": {"ja"}, "학교": {"ko"}, "커피를": {"ko"}, "กาแฟ": {"th"},
		"programmer": {"en"}, "prog": {"en"}, "PROGRAMS": {"en"}, "pr": {}, "cafe": {"fr"}, "CAFÉ": {"fr"}, "zurich": {"fr"}, "abc": {"wide"}, "カタカナ": {"wide"},
		"🎉": {"emoji"}, "🎊": {}, "machine espresso": {"both", "one"}, "http_server": {"snake"}, "not": {"fts"}, "near": {"fts"}, "and": {"fts"}, "nothing-here zzz": {},
		`"`: {"fts"}, "*": {"fts"}, "snake": {"snake"},
	} {
		if diff := cmp.Diff(want, keys(t, s, query)); diff != "" {
			t.Errorf("%s:\n%s", query, diff)
		}
	}
	if got := keys(t, s, " "); len(got) != 12 {
		t.Errorf("an empty query found %v", got)
	}
}

// Equal memories come newest first.
func TestOrder(t *testing.T) {
	s := fresh(t)
	for _, key := range []string{"b", "a", "c"} {
		put(t, s, key, "equal words")
	}
	want := []string{"c", "a", "b"}
	for _, query := range []string{"equal", ""} {
		if diff := cmp.Diff(want, keys(t, s, query)); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	s.now = func() time.Time { return time.Unix(0, 0) }
	for _, key := range []string{"b", "a", "c"} {
		put(t, s, key, "equal words")
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, keys(t, s, "equal")); diff != "" {
		t.Error(diff)
	}
}

func TestCategoriesAndLimits(t *testing.T) {
	s := fresh(t)
	s.limit = 3
	for i, category := range []string{"x", "x", "y"} {
		if _, _, err := s.Put(t.Context(), strconv.Itoa(i), category, "word"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Put(t.Context(), "", "", "word"); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "memory_forget") {
		t.Error(err)
	}
	if _, replaced, err := s.Put(t.Context(), "1", "", "word"); err != nil || !replaced {
		t.Error("what is full can still be replaced: ", err)
	}
	got, err := s.Recall(t.Context(), "word", "x", 1)
	if err != nil || len(got) != 1 || got[0].Key != "1" {
		t.Error(got, err)
	}
}

// Answers keep whole lines.
func TestAnswersAreCut(t *testing.T) {
	s := fresh(t)
	for i := range 6 {
		put(t, s, strconv.Itoa(i), strings.Repeat("a", maxContent))
	}
	for name, arguments := range map[string]string{"memory_export": `{}`, "memory_recall": `{"query":""}`} {
		result := call(t, s, name, arguments)
		lines := strings.Split(result.Text, "\n")
		if !result.Cut || len(lines) != 4 || !strings.HasPrefix(lines[3], "(3 more are left out") || !json.Valid([]byte(lines[2])) {
			t.Errorf("%s: %d lines, cut %v", name, len(lines), result.Cut)
		}
	}
	var b bytes.Buffer
	if err := s.Export(t.Context(), "", &b); err != nil || b.Len() < 6*maxContent {
		t.Error(b.Len(), err)
	}
}

func TestFileIsPrivate(t *testing.T) {
	s := fresh(t)
	put(t, s, "k", "xylophone-secret")
	for path, want := range map[string]os.FileMode{s.path: 0o600, filepath.Dir(s.path): 0o700 | os.ModeDir} {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, s, "xylo"); len(got) != 1 {
		t.Error(got)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// What is forgotten is not in the file any more, neither in the index.
func TestForgottenIsGone(t *testing.T) {
	for name, forget := range map[string]func(*Store) error{
		"forget":  func(s *Store) error { return s.Forget(t.Context(), "k") },
		"purge":   func(s *Store) error { _, err := s.Purge(t.Context(), ""); return err },
		"replace": func(s *Store) error { _, _, err := s.Put(t.Context(), "k", "", "other"); return err },
	} {
		s := fresh(t)
		for i := range 50 {
			put(t, s, strconv.Itoa(i), "filler words")
		}
		put(t, s, "k", "xylophone-secret")
		before, err := os.ReadFile(s.path)
		if err != nil || !bytes.Contains(before, []byte("xylophone")) {
			t.Fatal("it was never there", err)
		}
		if err := forget(s); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(s.path)
		if err != nil || bytes.Contains(after, []byte("xylophone")) {
			t.Errorf("%s: it is still in the file (%v)", name, err)
		}
	}
}

func TestDamage(t *testing.T) {
	whole := fresh(t)
	for i := range 200 {
		put(t, whole, strconv.Itoa(i), strings.Repeat("words ", 50))
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole.path)
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	other, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(good)
	newer[63] = 9 // the version is a number of four bytes at offset 60
	zeroed := bytes.Clone(good)
	clear(zeroed[4096 : len(zeroed)-4096])
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"text": {[]byte("not a database at all, only words"), ErrDamaged}, "short": {good[:50], ErrDamaged}, "cut": {good[:len(good)/2/4096*4096], ErrDamaged},
		"zeroed": {zeroed, ErrDamaged}, "foreign": {other, ErrForeign}, "newer": {newer, ErrNewer},
	} {
		path := filepath.Join(t.TempDir(), "memory.db")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		for _, step := range []string{"recall", "put", "forget", "purge", "export"} {
			var err error
			switch step {
			case "recall":
				_, err = s.Recall(t.Context(), "words", "", 10)
			case "put":
				_, _, err = s.Put(t.Context(), "150", "", strings.Repeat("x ", 9000))
			case "forget":
				err = s.Forget(t.Context(), "150")
			case "purge":
				_, err = s.Purge(t.Context(), "")
			case "export":
				err = s.Export(t.Context(), "", &bytes.Buffer{})
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", name, step, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, c.data) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
	if _, err := open(t, t.TempDir()).Recall(t.Context(), "x", "", 1); !errors.Is(err, ErrForeign) {
		t.Error(err)
	}
}

// Odd names of files are names.
func TestPaths(t *testing.T) {
	for _, name := range []string{"a?mode=memory", "b%20#x", "c d", "é", ":memory:", "file:x"} {
		s := open(t, filepath.Join(t.TempDir(), name, "m.db"))
		put(t, s, "k", "v")
		if _, err := os.Stat(s.path); err != nil {
			t.Error(err)
		}
	}
}

// Several processes store and read at once, and nothing is lost.
func TestProcesses(t *testing.T) {
	s := fresh(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, category := range []string{"one", "two", "three"} {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), self, category)
			cmd.Env = append(os.Environ(), writerPath+"="+s.path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", category, err, out)
			}
		})
	}
	for range 20 {
		if _, err := s.Recall(t.Context(), "same", "", 5); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	got := map[string]int{}
	if err := s.each(t.Context(), func(m Memory) error { got[m.Category]++; return nil }, "SELECT "+columns+" FROM memory m"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"one": 40, "two": 40, "three": 40}, got); diff != "" {
		t.Error(diff)
	}
}

// A content is found by any word of it and any part of a text without spaces.
func TestWhatIsStoredIsFound(t *testing.T) {
	s := fresh(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		key := "k" + strconv.Itoa(n)
		content := rapid.StringMatching(`[a-z]{3,8} [咖啡用户喜欢]{2,6} [a-zé"*()-]{0,9}`).Draw(rt, "content")
		put(t, s, key, content)
		fields := strings.Fields(content)
		han := []rune(fields[1])
		i := rapid.IntRange(0, len(han)-1).Draw(rt, "from")
		for _, query := range []string{fields[0], fields[0][:3], string(han[i:]), content} {
			found, err := s.Recall(t.Context(), query, "", 100_000)
			if err != nil {
				rt.Fatalf("%q: %v", query, err)
			}
			hit := false
			for _, m := range found {
				hit = hit || m.Key == key && m.Content == content
			}
			if !hit {
				rt.Fatalf("%q does not find %q", query, content)
			}
		}
	})
}

// No text is syntax, as a query, a key or a content.
func FuzzRecall(f *testing.F) {
	for _, seed := range []string{"", `"`, "a AND", "NEAR(", "*", "col:x", "^a", "咖啡 OR", "{a b}:c", "\x00", "a\xff", strings.Repeat("word ", 200), "e\u0301", "🎉", "-a", "ー", "ﬁ"} {
		f.Add(seed)
	}
	s := fresh(f)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.Recall(t.Context(), text, text, 3); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		_, _, err := s.Put(t.Context(), "fuzz", "", text)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if _, _, err := s.Put(t.Context(), "", "", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := s.Purge(t.Context(), ""); err != nil {
			t.Error(err)
		}
	})
}
