package memory

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/knackhq/knack/internal/wording"
)

var (
	// ErrDamaged is matched by the error for a file that cannot be read as what
	// it is.
	ErrDamaged = errors.New("is damaged")
	// ErrForeign is matched by the error for a file that is no memory.
	ErrForeign = errors.New("is not a memory")
	// ErrNewer is matched by the error for a file of a newer version.
	ErrNewer = errors.New("was written by a newer version")
	// ErrBusy is matched by the error for a file that others kept locked.
	ErrBusy = errors.New("is in use by another process")
	// ErrFull is matched by the error for one memory too many.
	ErrFull = errors.New("the memory is full")
	// ErrNotFound is matched by the error for a key that no memory has.
	ErrNotFound = errors.New("there is no such memory")
	// ErrInvalid is matched by errors for arguments that make no sense.
	ErrInvalid = errors.New("invalid")
)

// ways out, by what is wrong with a file. It is never touched: moving it aside
// keeps all that is in it.
var ways = []struct {
	err error
	way string
}{
	{ErrDamaged, "move it aside to begin a new one, or restore a copy; nothing in it was changed"},
	{ErrForeign, "configure another path for the memory"},
	{ErrNewer, "update this program, or configure another path for the memory"},
	{ErrBusy, "try again"},
}

// explain words an error of the file, so that it names the file and the way out.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	var code *sqlite.Error
	if errors.As(err, &code) {
		switch code.Code() & 0xff { // without the details of extended codes
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			err = fmt.Errorf("%w: %w", ErrBusy, err)
		}
	}
	for _, w := range ways {
		if errors.Is(err, w.err) {
			return fmt.Errorf("the file of the memory, %s, %w; %s", wording.Quote(s.path), err, w.way)
		}
	}
	return fmt.Errorf("the file of the memory, %s: %w", wording.Quote(s.path), err)
}
