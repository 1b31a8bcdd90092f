package catalog

import (
	"os"
	"path/filepath"
	"time"
)

// unusedIndex is how long the index of a place that nobody works in any more is
// kept. It is made anew in the time of one load.
const unusedIndex = 90 * 24 * time.Hour

// pruneIndexes removes indexes beside this one that were not written for long:
// every workspace has one of its own, and workspaces go away.
func (c *Catalog) pruneIndexes() {
	if c.opt.Now == nil {
		return
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(c.opt.Index), "index-*.bin"))
	if err != nil {
		return
	}
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && c.opt.Now().Sub(info.ModTime()) > unusedIndex {
			_ = os.Remove(file) // another process may have been faster
			c.log.Debug("unused index removed", "file", file)
		}
	}
}
