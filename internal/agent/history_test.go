package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/llm"
)

// sound says what a provider would refuse.
func sound(messages []llm.Message) error {
	taken := map[string]bool{"": true}
	var calls []llm.Call
	for i, m := range messages {
		user := i%2 == 0
		if user != (m.Role == llm.User) || m.Text == "" && len(m.Calls)+len(m.Results) == 0 || user && len(m.Calls)+len(m.Reasoning) > 0 || !user && len(m.Results) > 0 {
			return fmt.Errorf("message %d: %+v", i, m)
		}
		if user && !slices.EqualFunc(calls, m.Results, func(c llm.Call, r llm.Result) bool { return c.ID == r.ID && c.Tool == r.Tool }) {
			return fmt.Errorf("message %d: %+v do not answer %+v", i, m.Results, calls)
		}
		for _, c := range m.Calls {
			if taken[c.ID] {
				return fmt.Errorf("message %d: %q is taken", i, c.ID)
			}
			taken[c.ID] = true
		}
		calls = m.Calls
	}
	if len(calls) > 0 {
		return fmt.Errorf("the last calls have no results")
	}
	return nil
}

// anyMessages are those of a file that somebody wrote by hand.
func anyMessages() *rapid.Generator[[]llm.Message] {
	id := rapid.SampledFrom([]string{"", "a", "b", "c", "call_1"})
	text := rapid.SampledFrom([]string{"", "", "x", "some words", "Grüße"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) llm.Message {
		m := llm.Message{Role: rapid.SampledFrom([]llm.Role{llm.User, llm.Assistant, "system", ""}).Draw(t, "role"), Text: text.Draw(t, "text")}
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			m.Calls = append(m.Calls, llm.Call{ID: id.Draw(t, "id"), Tool: "t"})
		}
		for range rapid.IntRange(0, 3).Draw(t, "results") {
			m.Results = append(m.Results, llm.Result{ID: id.Draw(t, "id"), Tool: "u", Text: "r"})
		}
		return m
	}), 0, 12)
}

// Where it is cut, no call is parted from its results.
func TestBoundariesAndReplacements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := llm.Tidy(anyMessages().Draw(t, "messages"))
		cut := boundary(messages, rapid.IntRange(0, 60).Draw(t, "room"))
		if cut == 0 {
			return
		}
		short := replaced(messages, cut, "note")
		if err := sound(short); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(short[0].Text, "note") {
			t.Fatalf("%+v", short[0])
		}
	})
}

func TestDroppedFitsOrSaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := llm.Tidy(anyMessages().Draw(t, "messages"))
		for i := range messages {
			for j := range messages[i].Results {
				messages[i].Results[j].Text = strings.Repeat("ü", rapid.IntRange(1, 2000).Draw(t, "length"))
			}
		}
		room := rapid.IntRange(0, 500).Draw(t, "room")
		short, how := dropped(messages, boundary(messages, room/4), room)
		if how == "" {
			return
		}
		if err := sound(short); err != nil {
			t.Fatal(err)
		}
		for _, m := range short {
			for _, r := range m.Results {
				if !utf8.ValidString(r.Text) {
					t.Fatalf("%q", r.Text)
				}
			}
		}
	})
}

func TestFittedStaysWithinItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var results []llm.Result
		for range rapid.IntRange(1, 6).Draw(t, "results") {
			results = append(results, llm.Result{Text: strings.Repeat(rapid.SampledFrom([]string{"word ", "Ü", "字"}).Draw(t, "of"), rapid.IntRange(0, 3000).Draw(t, "times"))})
		}
		room := rapid.IntRange(0, 4000).Draw(t, "room")
		sum := 0
		for i, r := range fitted(results, room) {
			if !utf8.ValidString(r.Text) {
				t.Fatalf("%q", r.Text)
			}
			if share := room / len(results); tokens(results[i].Text) <= share && r.Text != results[i].Text {
				t.Fatalf("%d tokens of %d were cut", tokens(results[i].Text), share)
			}
			sum += tokens(r.Text)
		}
		if most := room + 30*len(results); sum > most { // the notes
			t.Fatalf("%d tokens, room for %d", sum, room)
		}
	})
}

// Whatever stands in a file, what is taken up is sound and stays so when it is
// written and read again.
func FuzzLoad(f *testing.F) {
	first := `{"at":"2026-01-02T03:04:05Z","conversation":{"id":"x"},"format":1}` + "\n"
	f.Add([]byte(first + `{"user":{"role":"user","text":"a"},"typed":"a"}` + "\n" + `{"assistant":{"calls":[{"id":"1","tool":"t","arguments":{"a":1}}]}}` + "\n" + `{"result":{"id":"1","text":"r"}}` + "\n" + `{"active":[{"name":"s","why":"model"}]}`))
	f.Add([]byte(first + `{"compacted":[{"role":"user","text":"s"},{"role":"assistant"}]}` + "\n" + `{"usage":{"input":1}}` + "\n{\"user"))
	f.Add([]byte(first + `{"compacted":[]}` + "\n" + `{"active":[]}` + "\n" + `{"dispatched":{"typed":"/x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := load(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := sound(s.Messages); err != nil {
			t.Fatal(err)
		}
		if utf8.RuneCountInString(s.Title) > longestTitle {
			t.Fatalf("title %q", s.Title)
		}
		line, err := json.Marshal(entry{Compacted: s.Messages})
		if err != nil {
			t.Fatal(err)
		}
		again, err := load(strings.NewReader(first + string(line) + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		a, b := fmt.Sprintf("%+v", s.Messages), fmt.Sprintf("%+v", again.Messages)
		if json.Valid(line) && a != b && !bytes.Contains(data, []byte("arguments")) { // which are written in short
			t.Errorf("%s\nbecame %s", a, b)
		}
	})
}
