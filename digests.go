package knack

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/knackhq/knack/internal/digest"
	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/skill"
)

// digests remembers the digests of skills that the user decided about, so that
// their files are read again only after something changed. It is a cache: a
// damaged or missing file is as good as an empty one.
type digests struct {
	file string // "" keeps none
	now  func() time.Time
	of   func(ctx context.Context, e *skill.Entry) (string, error)

	mu    sync.Mutex
	known map[string]remembered // by place
	dirty bool
}

// remembered is a digest and the state of the folder that it was computed of.
type remembered struct {
	Stamp  string `json:"stamp"`
	Digest string `json:"digest"`
}

// openDigests reads what earlier loads remembered.
func (e *Engine) openDigests() *digests {
	d := &digests{now: e.opt.Now, of: e.digest, known: map[string]remembered{}}
	if e.index == "" { // who keeps no index keeps no other cache
		return d
	}
	d.file = filepath.Join(filepath.Dir(e.index), "digests.json")
	var known map[string]remembered
	if data, err := os.ReadFile(d.file); err == nil && json.Unmarshal(data, &known) == nil && known != nil {
		d.known = known
	}
	return d
}

// within is get with the context of one load.
func (d *digests) within(ctx context.Context) func(*skill.Entry) (string, error) {
	return func(e *skill.Entry) (string, error) { return d.get(ctx, e) }
}

// get returns the digest of an entry as it is now.
func (d *digests) get(ctx context.Context, e *skill.Entry) (string, error) {
	place := trust.Place(e)
	stamp, settled := d.stamp(ctx, e)
	d.mu.Lock()
	r, ok := d.known[place]
	d.mu.Unlock()
	if ok && stamp != "" && r.Stamp == stamp {
		return r.Digest, nil
	}
	sum, err := d.of(ctx, e)
	if err != nil {
		return "", err
	}
	// What changed while it was being read is not remembered.
	if again, _ := d.stamp(ctx, e); settled && again == stamp {
		d.mu.Lock()
		d.known[place], d.dirty = remembered{stamp, sum}, true
		d.mu.Unlock()
	}
	return sum, nil
}

// unsettled is how long after a change another one may carry the same times: the
// coarsest clock of a file system counts in two seconds.
const unsettled = 2 * time.Second

// stamp names the state of an entry's folder; "" if that cannot be told.
func (d *digests) stamp(ctx context.Context, e *skill.Entry) (stamp string, settled bool) {
	if d.file == "" || !filepath.IsAbs(e.Path) {
		return "", false
	}
	root, err := os.OpenRoot(e.Path)
	if err != nil {
		return "", false
	}
	defer root.Close()
	stamp, newest, err := digest.Stamp(ctx, root, ".")
	if err != nil {
		return "", false
	}
	age := d.now().Sub(newest)
	return stamp, age > unsettled
}

// keep writes what was learned.
func (d *digests) keep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.dirty || d.file == "" {
		return
	}
	if data, err := json.Marshal(d.known); err == nil {
		_ = durable.WriteCache(d.file, data) // the next load takes longer, that is all
	}
	d.dirty = false
}

var (
	// errNoDigest is the error of a skill whose content has no digest.
	errNoDigest = errors.New("its content has no digest")
	// errChangedSince is that of one whose instructions a model has in another version.
	errChangedSince = errors.New("its files have changed since it became active")
)

// digest is that of an entry's content as it is now.
func (e *Engine) digest(ctx context.Context, entry *skill.Entry) (string, error) {
	full, err := e.catalog.Open(ctx, entry)
	if err != nil {
		return "", publicError(err)
	}
	if full.Digest == "" {
		return "", errNoDigest
	}
	return full.Digest, nil
}
