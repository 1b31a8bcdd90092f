package knack

import (
	"context"
	"errors"
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
	var sources []format.Source
	for _, m := range entry.Manifests {
		data, err := root.ReadFile(m.File)
		if err != nil {
			return nil, err
		}
		sources = append(sources, format.Source{File: m.File, Data: data})
	}
	result := e.parser.Parse(entry.Slug, sources)
	var changed []string
	for _, src := range sources {
		var repairs []format.Repair
		for _, r := range result.Repairs {
			if r.File == src.File {
				repairs = append(repairs, r)
			}
		}
		if len(repairs) == 0 {
			continue
		}
		data, err := e.parser.Fix(src.File, src.Data, repairs)
		if err != nil {
			// What only its author can mend stays a diagnostic of the skill.
			e.opt.Logger.Debug("repairs cannot be written back", "file", src.File, "cause", err)
			continue
		}
		if err := ctx.Err(); err != nil {
			return changed, err
		}
		file := filepath.Join(entry.Path, src.File)
		if err := durable.WriteFile(file, data, 0o644); err != nil {
			return changed, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}
