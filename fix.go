package knack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// ErrReadOnly is returned for skills that are compiled in.
var ErrReadOnly = errors.New("bundled skills cannot be changed")

// Fix writes the repairs that reading an entry's frontmatter took back to its
// file, each a change of one field; comments and order stay. It returns the
// files it changed.
func (e *Engine) Fix(ctx context.Context, entry *skill.Entry) ([]string, error) {
	if !filepath.IsAbs(entry.Path) {
		return nil, ErrReadOnly
	}
	root, err := os.OpenRoot(entry.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var changed []string
	for _, m := range entry.Manifests {
		// It was a plain file when it was listed; a link or pipe that took its
		// place is nothing to write to.
		if st, err := root.Lstat(m.File); err != nil || !st.Mode().IsRegular() || st.Size() > e.parser.Rules().Limits.FileBytes {
			continue
		}
		data, err := root.ReadFile(m.File)
		if err != nil {
			return changed, err
		}
		mended := e.mend(entry.Slug, format.Source{File: m.File, Data: data})
		if err := ctx.Err(); err != nil {
			return changed, err
		}
		if bytes.Equal(mended, data) {
			continue
		}
		file := filepath.Join(entry.Path, m.File)
		if err := durable.WriteFile(file, mended, 0o644); err != nil {
			return changed, fmt.Errorf("%s cannot be written: %w", file, err)
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// mostRounds bounds mending: one repair can make the next one possible, but
// nobody's file needs more rounds than it has kinds of mistakes.
const mostRounds = 8

// mend repairs one file as far as it goes.
func (e *Engine) mend(slug string, src format.Source) []byte {
	for range mostRounds {
		repairs := e.parser.Parse(slug, []format.Source{src}).Repairs
		if len(repairs) == 0 {
			break
		}
		data, err := e.parser.Fix(src.File, src.Data, repairs)
		if err != nil {
			// What only its author can mend stays a diagnostic of the skill.
			e.opt.Logger.Debug("repairs cannot be written back", "file", src.File, "cause", err)
			break
		}
		src.Data = data
	}
	return src.Data
}
