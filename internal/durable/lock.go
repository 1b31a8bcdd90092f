package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockPause is how long a waiting process sleeps between two tries: short
// against what a user notices, long against what a try costs.
const lockPause = 20 * time.Millisecond

// Lock waits until this process is the only one to hold the lock at path, or
// until ctx is done. The file is created if need be and stays: removing it
// would let two processes lock two files of one name. unlock may be called
// more than once.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	lock := flock.New(path)
	ok, err := lock.TryLockContext(ctx, lockPause)
	switch {
	case ok && err == nil:
		return lock.Unlock, nil
	case err != nil && errors.Is(err, ctx.Err()):
		return nil, errors.Join(fmt.Errorf("lock %s: another process holds it; wait for that process or end it: %w", path, err), lock.Close())
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), lock.Close())
}
