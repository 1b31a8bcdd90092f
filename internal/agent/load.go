package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/wording"
)

// longestLine is more than a model reads at once, with every character escaped.
const longestLine = 64 << 20

// longestTitle fits a line of a terminal.
const longestTitle = 80

// load reads a conversation. A line that is not whole is what a crash left, and
// nobody was told more then; any other that cannot be read is passed over and told.
func load(r io.Reader) (State, error) {
	var s State
	var messages []llm.Message
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, whole, err := nextLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return s, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var e entry
			switch bad := json.Unmarshal(line, &e); {
			case n == 1 && (bad != nil || e.Conversation == nil):
				return s, errors.New("it is not a conversation; remove the file if you do not need it")
			case n == 1 && e.Format > format:
				return s, fmt.Errorf("it was written by a newer version, in format %d", e.Format)
			case bad != nil && whole && !tornAt(bad, line):
				s.Problems = append(s.Problems, fmt.Errorf("line %d cannot be read and is left out", n))
			case bad == nil:
				messages = s.take(e, messages)
			}
		} else if n == 1 {
			return s, errors.New("it is empty; remove the file")
		}
		if err != nil {
			s.Messages = llm.Tidy(messages)
			return s, nil
		}
	}
}

// tornAt reports whether a line is the beginning of an entry.
func tornAt(bad error, line []byte) bool {
	var at *json.SyntaxError
	return errors.As(bad, &at) && line[0] == '{' && at.Offset >= int64(len(bytes.TrimRight(line, "\r\n")))
}

// nextLine reads a line; of one that is too long only the beginning, which cannot
// be read as an entry.
func nextLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if len(line) <= longestLine {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err == nil, err
		}
	}
}

// take adds a line to what is known.
func (s *State) take(e entry, messages []llm.Message) []llm.Message {
	if e.Conversation != nil && s.Began.IsZero() {
		s.Conversation = *e.Conversation
	}
	if e.At.After(s.Changed) {
		s.Changed = e.At
	}
	switch {
	case e.User != nil:
		s.turn(e.Typed)
		messages = llm.Append(messages, llm.Message{Role: llm.User, Text: e.User.Text})
	case e.Dispatched != nil:
		s.turn(e.Dispatched.Typed)
	case e.Assistant != nil:
		e.Assistant.Role = llm.Assistant
		messages = append(messages, *e.Assistant)
	case e.Result != nil:
		messages = llm.Append(messages, llm.Message{Role: llm.User, Results: []llm.Result{*e.Result}})
	case e.Active != nil:
		s.active, s.Active = e.Active, nil
		for _, a := range e.Active {
			if !a.Lingering {
				s.Active = append(s.Active, a.Name)
			}
		}
	case e.Compacted != nil:
		messages = e.Compacted
	case e.Usage != nil:
		s.Usage = s.Usage.Add(*e.Usage)
	}
	return messages
}

// turn counts what the user said.
func (s *State) turn(typed string) {
	s.Turns++
	if s.Title == "" {
		title, _, _ := strings.Cut(strings.TrimSpace(typed), "\n")
		if title = strings.TrimSpace(wording.Name(title)); utf8.RuneCountInString(title) > longestTitle {
			title = string([]rune(title)[:longestTitle-1]) + "…"
		}
		s.Title = title
	}
}
