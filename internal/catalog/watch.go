package catalog

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pace is how long a watch waits.
type pace struct {
	settle time.Duration // after the last event
	most   time.Duration // after the first
	poll   time.Duration // between scans where events are not to be had
}

// defaultPace: an editor or a checkout writes a folder in less than a quarter
// of a second; nobody wants to wait for more than two.
func defaultPace() pace {
	return pace{settle: 250 * time.Millisecond, most: 2 * time.Second, poll: 2 * time.Second}
}

// Watch calls publish with a new snapshot whenever a change of the roots has
// settled and changed what is resolved. It returns when ctx ends.
//
// What the last [Catalog.Load] returned is known already; if nothing was loaded
// yet, what is there when Watch starts.
func (c *Catalog) Watch(ctx context.Context, publish func(*Snapshot)) error {
	c.mu.Lock()
	w := &watch{c: c, publish: publish, known: c.last, watched: map[string]bool{}}
	c.mu.Unlock()
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return w.poll(ctx, err)
	}
	w.events = events
	for err == nil {
		if err = w.reload(ctx); err == nil {
			err = w.wait(ctx)
		}
	}
	_ = events.Close() // give the system back what it may be short of
	return w.poll(ctx, err)
}

// watch is a call of Watch.
type watch struct {
	c       *Catalog
	publish func(*Snapshot)
	known   string // version that was published last
	events  *fsnotify.Watcher
	// watched are the folders that are watched; false for those in which only
	// the awaited names matter.
	watched map[string]bool
	// awaited are the first names on the way to roots that do not exist.
	awaited map[string]bool
	behind  bool // there may be changes that no event will tell of
}

// rounds bounds how often a reload is repeated at once because there are new
// folders to watch. More can only be needed while folders keep being made.
const rounds = 5

// reload publishes what is there now. It fails if folders cannot be watched.
// What happened in a folder before it was watched is found by another load.
func (w *watch) reload(ctx context.Context) error {
	for range rounds {
		snap, s, err := w.c.load(ctx)
		if err != nil {
			return err
		}
		w.show(snap)
		if w.behind, err = w.follow(s); err != nil || !w.behind {
			return err
		}
	}
	return nil
}

// show publishes a snapshot unless it is the one that is known.
func (w *watch) show(snap *Snapshot) {
	if w.known != "" && w.known != snap.Version {
		w.publish(snap)
	}
	w.known = snap.Version
}

// follow makes the folders of a scan those that are watched. It reports
// whether something may have happened that neither the scan nor an event tells.
func (w *watch) follow(s *scan) (behind bool, err error) {
	var want map[string]bool
	want, w.awaited, behind = s.watchable()
	for dir := range w.watched {
		if _, ok := want[dir]; !ok {
			_ = w.events.Remove(dir) // it may have gone by itself
			delete(w.watched, dir)
		}
	}
	for dir, all := range want {
		if _, ok := w.watched[dir]; !ok {
			behind = true
			if err := w.c.watchDir(w.events, dir); gone(err) {
				continue // the next round will tell
			} else if err != nil {
				return false, err
			}
		}
		w.watched[dir] = all
	}
	return behind, nil
}

// watchable returns the folders in which a change can change the result: true
// if any can, false if only one of the awaited names can. A scan is late if a
// root that it did not find is there by now.
func (s *scan) watchable() (dirs, awaited map[string]bool, late bool) {
	dirs, awaited = map[string]bool{}, map[string]bool{}
	await := func(name string) {
		for {
			dir := filepath.Dir(name)
			if isDir(dir) || dir == name {
				dirs[dir], awaited[name] = false, true
				return
			}
			name = dir
		}
	}
	for _, path := range s.missing {
		await(path)
		late = late || isDir(path)
	}
	for _, r := range s.roots {
		if r.FS == nil && r.from.real != r.Path {
			await(r.Path) // there is a link on the way, which may come to lead elsewhere
		}
	}
	for _, level := range s.levels {
		for i := range level {
			if n := &level[i]; n.from.real != "" && !n.lost && !n.doc {
				dirs[n.real()] = true
			}
		}
	}
	return dirs, awaited, late
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// wait returns when a change has settled. It fails only if ctx ends or events
// do.
func (w *watch) wait(ctx context.Context) error {
	var settled, overdue <-chan time.Time
	if w.behind {
		settled = time.After(w.c.pace.settle)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-settled:
			return nil
		case <-overdue:
			return nil
		case err, ok := <-w.events.Errors:
			if !ok {
				return fsnotify.ErrClosed
			}
			// Events were lost, so anything may have changed.
			w.c.log.Debug("watching skills", "cause", err)
		case event, ok := <-w.events.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			if !w.matters(event) {
				continue
			}
		}
		settled = time.After(w.c.pace.settle)
		if overdue == nil {
			overdue = time.After(w.c.pace.most)
		}
	}
}

// matters reports whether an event can change the result.
func (w *watch) matters(event fsnotify.Event) bool {
	_, self := w.watched[event.Name]
	if self && event.Has(fsnotify.Remove|fsnotify.Rename) {
		delete(w.watched, event.Name) // and must be watched anew if it comes back
		_ = w.events.Remove(event.Name)
	}
	return self || w.awaited[event.Name] || w.watched[filepath.Dir(event.Name)]
}

// poll is what is left when folders cannot be watched: systems limit how many.
func (w *watch) poll(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.c.log.Warn("folders cannot be watched, so skills are searched for at intervals instead",
		"interval", w.c.pace.poll, "cause", cause)
	tick := time.NewTicker(w.c.pace.poll)
	defer tick.Stop()
	for {
		snap, _, err := w.c.load(ctx)
		if err != nil {
			return err
		}
		w.show(snap)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
