package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/skill"
)

// Conversation is a kept conversation, as a list shows it.
type Conversation struct {
	ID        string    `json:"id"`
	Began     time.Time `json:"began"`
	Changed   time.Time `json:"changed"`
	Workspace string    `json:"workspace"`
	Host      string    `json:"host"`
	Model     string    `json:"model"`
	Title     string    `json:"title"` // the first line of what the user said first
	Turns     int       `json:"turns"`
}

// State is what a conversation is taken up with.
type State struct {
	Conversation
	// Messages are what the model is told of it: all, or a summary and what came
	// after it.
	Messages []llm.Message
	// Active are the names of skills that were active at the end.
	Active []string
	Usage  llm.Usage
	// Problems tell of what could not be read of it.
	Problems []error

	active []keptSkill
}

// Record is where one conversation is kept: a file that is only added to. Nobody
// else has it open meanwhile.
type Record struct {
	path   string
	first  *Conversation // not written yet
	early  []keptSkill   // those that were active before anything was said
	now    func() time.Time
	unlock func() error

	mu   sync.Mutex
	file *os.File
	torn bool // the last line may not be whole
}

// ID names the conversation.
func (r *Record) ID() string { return idOf(r.path) }

// Path is the file; there is none before something was said.
func (r *Record) Path() string { return r.path }

// Close lets others have the conversation.
func (r *Record) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.file != nil {
		err = r.file.Close()
		r.file = nil
	}
	if r.first = nil; r.unlock != nil {
		err = errors.Join(err, r.unlock())
		r.unlock = nil
	}
	return err
}

// format is what the first line says of those that follow.
const format = 1

// entry is one line of the file; besides the time, one of its fields is set.
type entry struct {
	At time.Time `json:"at"`
	// Conversation is the first line; Format tells what can be expected.
	Conversation *Conversation `json:"conversation,omitempty"`
	Format       int           `json:"format,omitempty"`
	// User is what the model is told, Typed what the user wrote.
	User      *llm.Message `json:"user,omitempty"`
	Typed     string       `json:"typed,omitempty"`
	Assistant *llm.Message `json:"assistant,omitempty"`
	Result    *llm.Result  `json:"result,omitempty"`
	// Dispatched is a slash command that went to a tool. Models are not told.
	Dispatched *dispatched `json:"dispatched,omitempty"`
	Active     []keptSkill `json:"active,omitzero"`
	// Compacted takes the place of all messages before.
	Compacted []llm.Message `json:"compacted,omitzero"`
	Usage     *llm.Usage    `json:"usage,omitempty"`
	End       string        `json:"end,omitempty"`
}

// keptSkill is a skill that was active, or was no longer and took tools away all the
// same.
type keptSkill struct {
	Name      string      `json:"name"`
	Why       knack.Why   `json:"why"`
	Trust     skill.Trust `json:"trust"`
	From      string      `json:"from,omitempty"`
	Lingering bool        `json:"lingering,omitempty"`
}

// restricts tells that it took tools away. Of one that nothing is known of, that is
// to be expected.
func (k keptSkill) restricts() bool { return k.Trust.Below(skill.Trusted) }

func keptSkills(active, lingering []knack.ActiveSkill) []keptSkill {
	out := []keptSkill{}
	for _, a := range lingering {
		out = append(out, keptSkill{Name: a.Name, Why: a.Why, Trust: a.Trust, Lingering: true})
	}
	for _, a := range active {
		out = append(out, keptSkill{Name: a.Name, Why: a.Why, Trust: a.Trust, From: a.From})
	}
	return out
}

type dispatched struct {
	Typed  string `json:"typed"`
	Tool   string `json:"tool"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// add writes one line. A record that is nil keeps nothing.
func (r *Record) add(e entry) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first != nil && e.User == nil && e.Dispatched == nil { // nothing was said yet
		if e.Active != nil {
			r.early = e.Active
		}
		return nil
	}
	err := r.open()
	e.At = r.now().UTC()
	if err == nil && r.early != nil {
		if err = r.write(entry{At: e.At, Active: r.early}); err == nil {
			r.early = nil
		}
	}
	if err == nil {
		err = r.write(e)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", r.path, err)
	}
	return nil
}

// open makes sure of a file with a first line.
func (r *Record) open() error {
	switch {
	case r.file != nil:
		return nil
	case r.first == nil:
		return os.ErrClosed
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	r.file = file
	if err := r.write(entry{At: r.first.Began, Conversation: r.first, Format: format}); err != nil {
		r.file, r.torn = nil, false // half a first line would make it unreadable
		return errors.Join(err, file.Close(), os.Remove(r.path))
	}
	r.first = nil
	return nil
}

// write adds a line in one piece. What a full disk left of another stays a line of
// its own, which reading passes over.
func (r *Record) write(e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if len(data) > longestLine {
		return fmt.Errorf("%d bytes are too much for one line", len(data))
	}
	data = append(data, '\n')
	if r.torn {
		data = append([]byte{'\n'}, data...)
	}
	if _, err := r.file.Write(data); err != nil {
		r.torn = true
		return err
	}
	r.torn = false
	return nil
}

// sync brings what was written to disk.
func (t *turn) sync() {
	r := t.opt.Record
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Sync() // that it was written is known; more cannot be done here
	}
}
