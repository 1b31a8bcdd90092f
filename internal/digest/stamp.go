package digest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// ErrNoStamp is the error of [Stamp] where a file can change without a trace.
var ErrNoStamp = errors.New("this system does not tell when a file changed")

// Stamp names the state of a folder below a root by what the file system says
// of its files, without reading them. While it stays the same so does the
// digest, provided that nothing was changed at about the time it was made:
// newest is the last change, to be compared with the clock.
func Stamp(ctx context.Context, root *os.Root, dir string, opts ...Option) (stamp string, newest time.Time, err error) {
	sub, err := root.OpenRoot(dir)
	if err != nil {
		return "", newest, err
	}
	defer sub.Close()
	w := walker{ctx: ctx, from: rootFolder{sub}, bounds: bounds{files: 20_000, bytes: 1 << 30}}
	for _, opt := range opts {
		opt(&w.bounds)
	}
	found, err := w.list()
	if err != nil {
		return "", newest, err
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	sum := sha256.New()
	for _, e := range found {
		changed, inode, known := whatElse(e.info)
		if !known {
			return "", newest, ErrNoStamp
		}
		fmt.Fprintf(sum, "%q %o %d %d %d %d\n", e.path, e.info.Mode(), e.info.Size(), e.info.ModTime().UnixNano(), changed.UnixNano(), inode)
		for _, t := range [...]time.Time{e.info.ModTime(), changed} {
			if t.After(newest) {
				newest = t
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), newest, nil
}
