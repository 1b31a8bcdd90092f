package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/wording"
)

// Store is a folder of conversations, one file each.
type Store struct {
	Dir string
	Now func() time.Time
}

const (
	suffix = ".jsonl"
	// lockWait is how long another process may take to let go of a conversation
	// that its user just left.
	lockWait = 200 * time.Millisecond
)

// New keeps a new conversation: its workspace, host and model are the caller's, the
// rest is filled in. There is a file once something was said.
func (s Store) New(c Conversation) (*Record, error) {
	began := s.Now().UTC()
	for {
		c.ID, c.Began, c.Changed = began.Format("20060102-150405-")+strings.ToLower(rand.Text()[:4]), began, began
		path := s.path(c.ID)
		if _, err := os.Lstat(path); err == nil {
			continue // somebody was as fast, and as lucky
		}
		unlock, err := s.lock(path)
		if err != nil {
			return nil, err
		}
		return &Record{path: path, first: &c, now: s.Now, unlock: unlock}, nil
	}
}

// List are all conversations, the one that changed last first, and what is wrong
// with the others.
func (s Store) List() ([]Conversation, []error) {
	names, err := s.ids()
	if err != nil {
		return nil, []error{err}
	}
	var out []Conversation
	var problems []error
	for _, id := range names {
		state, err := s.read(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, state.Conversation)
		problems = append(problems, state.Problems...)
	}
	slices.SortStableFunc(out, func(a, b Conversation) int {
		return cmp.Or(b.Changed.Compare(a.Changed), strings.Compare(b.ID, a.ID))
	})
	return out, problems
}

// Last is the id of the conversation of a workspace that changed last.
func (s Store) Last(workspace string) (string, error) {
	all, _ := s.List()
	for _, c := range all {
		if c.Workspace == workspace {
			return c.ID, nil
		}
	}
	return "", fmt.Errorf("%w in this workspace yet; start one", ErrNoConversation)
}

// Open takes up a conversation by its id or the beginning of it; empty is the one
// that changed last, in any workspace. It is [ErrInUse] while somebody else has it.
func (s Store) Open(id string) (*Record, State, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, State{}, err
	}
	path := s.path(id)
	unlock, err := s.lock(path)
	if err != nil {
		return nil, State{}, err
	}
	state, err := s.read(id)
	if err != nil {
		return nil, State{}, errors.Join(err, unlock())
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, State{}, errors.Join(err, unlock())
	}
	return &Record{path: path, file: file, torn: isTorn(file), now: s.Now, unlock: unlock}, state, nil
}

// isTorn reports a last line without an end.
func isTorn(f *os.File) bool {
	st, err := f.Stat()
	if err != nil {
		return true
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, st.Size()-1)
	return err != nil || last[0] != '\n'
}

// Remove deletes a conversation that nobody has open.
func (s Store) Remove(id string) error {
	if id == "" {
		return ErrNoConversation
	}
	id, err := s.find(id)
	if err != nil {
		return err
	}
	unlock, err := s.lock(s.path(id))
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(s.path(id)), unlock())
}

// find is the id of the one conversation that is meant.
func (s Store) find(id string) (string, error) {
	if id == "" {
		all, _ := s.List()
		if len(all) == 0 {
			return "", fmt.Errorf("%w yet; start one", ErrNoConversation)
		}
		return all[0].ID, nil
	}
	names, err := s.ids()
	if err != nil {
		return "", err
	}
	if slices.Contains(names, id) {
		return id, nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, id) })
	switch quoted := wording.Quote(wording.Name(id)); len(names) {
	case 0:
		return "", fmt.Errorf("%s: %w; list them to see which there are", quoted, ErrNoConversation)
	case 1:
		return names[0], nil
	default:
		return "", fmt.Errorf("%s: %w: %s", quoted, ErrAmbiguous, wording.Name(strings.Join(names, ", ")))
	}
}

// ids are those of all files that may be conversations.
func (s Store) ids() ([]string, error) {
	files, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), suffix); ok && id != "" && id[0] != '.' && !f.IsDir() {
			out = append(out, id)
		}
	}
	return out, nil
}

func (s Store) path(id string) string { return filepath.Join(s.Dir, id+suffix) }

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }

// lock keeps others away from a conversation.
func (s Store) lock(path string) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err = durable.LockBeside(ctx, path)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("conversation %s: %w; leave it there, or start a new one", idOf(path), ErrInUse)
	}
	return unlock, err
}

func (s Store) read(id string) (State, error) {
	path := s.path(id)
	f, err := os.Open(path)
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return State{}, errors.Join(err, fmt.Errorf("%s is not a regular file", path))
	}
	state, err := load(f)
	for i, p := range state.Problems {
		state.Problems[i] = fmt.Errorf("%s: %w", path, p)
	}
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", path, err)
	}
	state.ID = id // the file's name is what it is found by
	return state, nil
}
