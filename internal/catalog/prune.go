package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unusedIndex is how long the index of a place that nobody works in any more is
// kept. It is made anew in the time of one load.
const unusedIndex = 90 * 24 * time.Hour

// indexInUse is how old the file of an index that is used but never changes may
// become. A week is far from unusedIndex, and one write a week costs nothing.
const indexInUse = 7 * 24 * time.Hour

// touchIndex marks an index that was used as it is, so that it is not taken for
// one that nobody uses. Failing to is no error: it would only be made anew.
func (c *Catalog) touchIndex() {
	if c.opt.Now == nil {
		return
	}
	now := c.opt.Now()
	if info, err := os.Stat(c.opt.Index); err == nil && now.Sub(info.ModTime()) > indexInUse {
		if err := os.Chtimes(c.opt.Index, now, now); err != nil {
			c.log.Debug("index cannot be touched", "file", c.opt.Index, "cause", err)
		}
	}
}

// pruneIndexes removes indexes beside this one that were neither written nor
// used for long: every workspace has one of its own, and workspaces go away.
func (c *Catalog) pruneIndexes() {
	if c.opt.Now == nil {
		return
	}
	dir := filepath.Dir(c.opt.Index)
	entries, _ := os.ReadDir(dir) // what was read before an error counts
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, "index-") || !strings.HasSuffix(name, ".bin") {
			continue
		}
		file := filepath.Join(dir, entry.Name())
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && c.opt.Now().Sub(info.ModTime()) > unusedIndex {
			_ = os.Remove(file) // another process may have been faster
			c.log.Debug("unused index removed", "file", file)
		}
	}
}
