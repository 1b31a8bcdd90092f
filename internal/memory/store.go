package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver

	"github.com/knackhq/knack/internal/wording"
)

// general is the category of memories that were given none.
const general = "general"

// Put stores a content. Without a key one is made of its first words. A key that
// exists is replaced, and keeps its category if none is given.
func (s *Store) Put(ctx context.Context, key, category, content string) (stored string, replaced bool, err error) {
	key, category = strings.TrimSpace(key), strings.TrimSpace(category)
	switch {
	case strings.TrimSpace(content) == "":
		return "", false, fmt.Errorf("%w content: it is empty", ErrInvalid)
	case len(content) > maxContent:
		return "", false, fmt.Errorf("%w content: it has %d bytes, and %d are the most; store a summary, or the path of a file with it", ErrInvalid, len(content), maxContent)
	}
	if err := errors.Join(name("key", key), name("category", category)); err != nil {
		return "", false, err
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		var id int64
		var created, before string
		now := s.now().UTC().Format(time.RFC3339)
		err := sql.ErrNoRows
		if key != "" {
			err = tx.QueryRowContext(ctx, "SELECT id, created, category FROM memory WHERE key = ?", key).Scan(&id, &created, &before)
		}
		switch {
		case err == nil:
			replaced = true
		case !errors.Is(err, sql.ErrNoRows):
			return err
		default:
			created, before = now, general
			if key, err = s.room(ctx, tx, key, content); err != nil {
				return err
			}
		}
		if category == "" {
			category = before
		}
		return write(ctx, tx, id, Memory{key, category, content, created, now})
	})
	return key, replaced, err
}

// name checks a key or category, which may be empty.
func name(what, text string) error {
	switch {
	case len(text) > maxName:
		return fmt.Errorf("%w %s: it has %d bytes, and %d are the most", ErrInvalid, what, len(text), maxName)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) }):
		return fmt.Errorf("%w %s %s: it is to be one line of visible characters", ErrInvalid, what, wording.Quote(wording.Name(text)))
	}
	return nil
}

// room finds a key for a new memory, if there is room for one.
func (s *Store) room(ctx context.Context, tx *sql.Tx, key, content string) (string, error) {
	var count int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory").Scan(&count); err != nil {
		return "", err
	}
	if count >= s.limit {
		return "", fmt.Errorf("%w: it holds %d memories; forget some with memory_forget, or a category with memory_purge", ErrFull, count)
	}
	if key != "" {
		return key, nil
	}
	base := slug(content)
	// As many numbers are taken at most as keys begin alike, so few are tried.
	var alike int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory WHERE key >= ? AND key < ?", base+"-", base+".").Scan(&alike); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		key := base
		if n > 1 {
			key = fmt.Sprintf("%s-%d", base, alike+n)
		}
		var taken bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM memory WHERE key = ?)", key).Scan(&taken); err != nil {
			return "", err
		}
		if !taken {
			return key, nil
		}
	}
}

// write stores a memory, in the place of the one with an id if that is not 0.
func write(ctx context.Context, tx *sql.Tx, id int64, m Memory) error {
	if id != 0 {
		if err := remove(ctx, tx, "id = ?", id); err != nil {
			return err
		}
	}
	result, err := tx.ExecContext(ctx, "INSERT INTO memory (key, category, content, created, updated) VALUES (?, ?, ?, ?, ?)",
		m.Key, m.Category, m.Content, m.Created, m.Updated)
	if err != nil {
		return err
	}
	if id, err = result.LastInsertId(); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO memory_words (rowid, content, key) VALUES (?, ?, ?)", id, words(m.Content), words(m.Key))
	return err
}

// remove deletes memories and their words.
func remove(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM memory_words WHERE rowid IN (SELECT id FROM memory WHERE "+where+")", args...); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM memory WHERE "+where, args...)
	return err
}

// change does all of something or nothing.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	db, err := s.opened(ctx, true)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		if errors.Is(err, ErrFull) || errors.Is(err, ErrNotFound) {
			return err
		}
		return s.explain(err)
	}
	return s.explain(tx.Commit())
}

// Forget deletes the memory of a key.
func (s *Store) Forget(ctx context.Context, key string) error {
	missing := fmt.Errorf("%w: none has the key %s; memory_recall finds keys", ErrNotFound, wording.Quote(wording.Name(key)))
	if db, err := s.opened(ctx, false); err != nil || db == nil {
		return errors.Join(err, missing)
	}
	n, err := s.purge(ctx, "key = ?", key)
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// Purge deletes all memories of a category, or all there are if it is empty, and
// tells how many.
func (s *Store) Purge(ctx context.Context, category string) (int, error) {
	if db, err := s.opened(ctx, false); err != nil || db == nil {
		return 0, err
	}
	return s.purge(ctx, "?1 = '' OR category = ?1", category)
}

func (s *Store) purge(ctx context.Context, where, arg string) (n int, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory WHERE "+where, arg).Scan(&n); err != nil {
			return err
		}
		return remove(ctx, tx, where, arg)
	})
	return n, err
}

// Export writes the memories of a category, or all, as lines of JSON in the order
// of their keys.
func (s *Store) Export(ctx context.Context, category string, w io.Writer) error {
	return s.each(ctx, func(m Memory) error {
		line, err := m.line()
		if err != nil {
			return err
		}
		_, err = w.Write(line)
		return err
	}, "SELECT "+columns+" FROM memory m WHERE ?1 = '' OR m.category = ?1 ORDER BY m.key", category)
}
