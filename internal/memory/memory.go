// Package memory keeps what a model is told to remember, in one SQLite file with
// full-text search.
//
// A memory has a key, a category, and a content of up to 64 KiB. Storing a key
// that exists replaces its memory. [Store.Tools] are what a model gets:
// memory_store, memory_recall, memory_forget, memory_export and memory_purge.
//
// # The file
//
// [Open] touches nothing: the file is opened by the first call that needs it,
// and created by the first that stores, readable by the user alone. Several
// processes can use it at once; each waits a few seconds for its turn. What is
// forgotten is overwritten in the file, not only unlinked.
//
// A file that is damaged, of a newer version or of another program is an error
// that names it, and is never replaced.
//
// # Searching
//
// The words of a query are alternatives; memories are ranked by how many they
// have and how rare those are (bm25). A word of three letters or more also finds
// the words that begin with it. Case, accents and the width of letters do not
// matter. Scripts that are written without spaces (Chinese, Japanese, Korean,
// Thai and their like) are found by any part of them: every character is indexed
// as a word of its own, and a query becomes its pairs of neighbours. Nothing in
// a query is syntax.
package memory

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	maxContent  = 64 << 10 // a long document, not a library
	maxMemories = 100_000  // searched in milliseconds
	maxName     = 200      // bytes of a key or category: a line
)

// Store is a file of memories.
type Store struct {
	path  string
	now   func() time.Time
	limit int // memories at most

	mu sync.Mutex
	db *sql.DB // nil until it is needed
}

// Open returns the store of a file, which is opened when it is first needed.
func Open(path string, now func() time.Time) (*Store, error) {
	if path == "" {
		return nil, fmt.Errorf("a memory needs the path of its file")
	}
	return &Store{path: path, now: now, limit: maxMemories}, nil
}

// Close closes the file. The store can be used again after it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// Memory is one of them.
type Memory struct {
	Key      string `json:"key"`
	Category string `json:"category"`
	Content  string `json:"content"`
	Created  string `json:"created"`
	Updated  string `json:"updated"`
}

// line is the memory as one line of JSON.
func (m Memory) line() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it is read by people and models
	err := e.Encode(m)
	return b.Bytes(), err
}

// opened is the database; nil if there is no file and none is to be created.
func (s *Store) opened(ctx context.Context, create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	info, err := os.Stat(s.path)
	switch {
	case os.IsNotExist(err) && !create:
		return nil, nil
	case os.IsNotExist(err):
		err = s.create()
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%w: it is no file", ErrForeign)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	db, err := sql.Open("sqlite", source(s.path))
	if err != nil {
		return nil, s.explain(err)
	}
	// One connection: calls of this process take turns without waiting on locks.
	db.SetMaxOpenConns(1)
	err = prepare(ctx, db)
	if err == nil && info != nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(s.path, 0o600) // it is ours, and nobody else's to read
	}
	if err != nil {
		_ = db.Close()
		return nil, s.explain(err)
	}
	s.db = db
	return db, nil
}

// create makes an empty file, which nobody else can read from the start.
func (s *Store) create() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
