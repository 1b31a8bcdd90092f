package memory

import (
	"context"
	"strings"
)

const columns = "m.key, m.category, m.content, m.created, m.updated"

// What is equally good comes newest first, and then by key: the order is always
// the same. A word in a key says more than one in a content.
const (
	ranked = "SELECT " + columns + ` FROM memory_words JOIN memory m ON m.id = memory_words.rowid
		WHERE memory_words MATCH ?1 AND (?2 = '' OR m.category = ?2)
		ORDER BY bm25(memory_words, 1.0, 2.0), m.updated DESC, m.key LIMIT ?3`
	containing = "SELECT " + columns + ` FROM memory m
		WHERE instr(m.content, ?1) > 0 AND (?2 = '' OR m.category = ?2)
		ORDER BY m.updated DESC, m.key LIMIT ?3`
)

// Recall finds memories, the best first. A query without words, such as an
// emoji, finds the memories that contain it; an empty one the newest.
func (s *Store) Recall(ctx context.Context, query, category string, limit int) ([]Memory, error) {
	statement, wanted := ranked, match(query)
	if wanted == "" {
		statement, wanted = containing, strings.TrimSpace(query)
	}
	var out []Memory
	err := s.each(ctx, func(m Memory) error {
		out = append(out, m)
		return nil
	}, statement, wanted, category, limit)
	return out, err
}

// each calls do for every memory that a statement selects.
func (s *Store) each(ctx context.Context, do func(Memory) error, statement string, args ...any) error {
	db, err := s.opened(ctx, false)
	if err != nil || db == nil {
		return err
	}
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return s.explain(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var m Memory
		if err := rows.Scan(&m.Key, &m.Category, &m.Content, &m.Created, &m.Updated); err != nil {
			return s.explain(err)
		}
		if err := do(m); err != nil {
			return err
		}
	}
	return s.explain(rows.Err())
}
