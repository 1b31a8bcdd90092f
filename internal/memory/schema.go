package memory

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

const (
	// application tells the file from those of other programs: "Memo" in ASCII.
	application = 0x4d656d6f
	version     = 1
)

// source names a file to the driver. Locks are waited for as long as people wait
// for an answer. A transaction takes its lock at the beginning, so that two that
// read and then write cannot block each other. The journal is a file that is
// gone between transactions, which works wherever files can be locked.
func source(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.IsAbs(path) && !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() +
		"?mode=rw&_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=secure_delete(1)&_pragma=trusted_schema(0)"
}

// schema keeps the content as it was given in one table, and the words of it, as
// [words] separates them, in the index. With secure-delete the index forgets at
// once what is deleted from it.
const schema = `
CREATE TABLE memory (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,
	category TEXT NOT NULL,
	content TEXT NOT NULL,
	created TEXT NOT NULL,
	updated TEXT NOT NULL
);
CREATE INDEX memory_category ON memory (category, key);
CREATE VIRTUAL TABLE memory_words USING fts5 (content, key, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
`

// prepare finds out what a file is, and makes a memory of an empty one.
func prepare(ctx context.Context, db *sql.DB) error {
	if ready, err := inspect(ctx, db); ready || err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if ready, err := inspect(ctx, tx); ready || err != nil { // another process was first
		return err
	}
	statement := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", application, version)
	if _, err := tx.ExecContext(ctx, statement+schema); err != nil {
		return err
	}
	return tx.Commit()
}

// asker is a database or a transaction.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// inspect reports whether a file is a memory; an empty one is none yet.
func inspect(ctx context.Context, db asker) (ready bool, err error) {
	var id, schemaVersion, tables int
	const query = "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
	if err := db.QueryRowContext(ctx, query).Scan(&id, &schemaVersion, &tables); err != nil {
		return false, err
	}
	switch {
	case id == 0 && schemaVersion == 0 && tables == 0:
		return false, nil
	case id != application:
		return false, ErrForeign
	case schemaVersion > version:
		return false, ErrNewer
	}
	return true, nil
}
