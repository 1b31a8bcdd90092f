package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watching is a Watch that runs.
type watching struct {
	*fixture
	got  chan *Snapshot
	done chan error
	stop context.CancelFunc
}

// watch starts to watch. The pace is quick, and slow enough for a busy machine
// to write a file between two events.
func (f *fixture) watch(c *Catalog) *watching {
	f.Helper()
	if c.pace == defaultPace() {
		c.pace = pace{settle: 20 * time.Millisecond, most: 200 * time.Millisecond, poll: 20 * time.Millisecond}
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &watching{f, make(chan *Snapshot, 100), make(chan error, 1), cancel}
	f.loadFrom(c) // so that the watch has something to compare with
	go func() { w.done <- c.Watch(ctx, func(s *Snapshot) { w.got <- s }) }()
	f.Cleanup(w.end)
	return w
}

func (w *watching) end() {
	w.Helper()
	w.stop()
	select {
	case err := <-w.done:
		if !errors.Is(err, context.Canceled) {
			w.Errorf("ended with %v", err)
		}
		w.done <- err
	case <-time.After(20 * time.Second):
		w.Error("does not end")
	}
}

// until waits for a snapshot with exactly these lines; others may come before.
func (w *watching) until(lines ...string) *Snapshot {
	w.Helper()
	want := strings.Join(lines, "\n")
	var got string
	for {
		select {
		case s := <-w.got:
			if got = strings.Join(w.lines(s), "\n"); got == want {
				return s
			}
		case <-time.After(20 * time.Second):
			w.Fatalf("waited for\n%s\nlast was\n%s", want, got)
		}
	}
}

func TestWatch(t *testing.T) {
	for _, way := range []string{"events", "poll"} {
		t.Run(way, func(t *testing.T) {
			f := newFixture(t)
			f.write("skills/a/SKILL.md", "name: a")
			f.opt.Index = f.path("cache/index")
			c := f.catalog()
			if way == "poll" {
				c.watchDir = func(*fsnotify.Watcher, string) error { return syscall.ENOSPC }
			}
			w := f.watch(c)
			f.write("skills/a/SKILL.md", "name: a2")
			w.until("ready a2 skills/a")
			f.write("skills/g/b/SKILL.md", "name: b")
			w.until("ready a2 skills/a", "ready b skills/g/b")
			f.write("skills/g/b/SKILL.md", "name: c")
			w.until("ready a2 skills/a", "ready c skills/g/b")
			f.remove("skills/a")
			w.until("ready c skills/g/b")
			f.remove("skills")
			w.until()
			f.write("skills/again/SKILL.md", "")
			w.until("ready again skills/again")
			f.write("skills/again/SKILL.md", "name: anew")
			w.until("ready anew skills/again")
		})
	}
}

// A root that does not exist is seen when it comes, with all that leads to it,
// however long that takes.
func TestWatchForARoot(t *testing.T) {
	f := newFixture(t)
	const root = "1/2/3/4/5/6/7/8/skills"
	f.opt.Roots[0].Path = f.path(root)
	w := f.watch(f.catalog())
	f.write("noise", "")
	for i := range 20 {
		f.remove("1")
		for j := range 8 {
			f.mkdir(root[:2*j+1])
			time.Sleep(time.Duration(i%5) * time.Millisecond)
		}
		f.write(root+"/a/SKILL.md", fmt.Sprintf("name: a%d", i))
		w.until(fmt.Sprintf("ready a%d %s/a", i, root))
	}
}

func TestWatchThroughLinks(t *testing.T) {
	f := newFixture(t)
	f.write("one/a/SKILL.md", "")
	f.write("two/b/SKILL.md", "")
	f.write("far/c/SKILL.md", "name: c")
	f.link("one", "skills")
	f.link(f.path("far"), "one/far")
	f.opt.Roots[0].Links = FollowLinks
	w := f.watch(f.catalog())
	f.write("far/c/SKILL.md", "name: c2")
	w.until("ready a skills/a", "ready c2 skills/far/c")
	f.remove("skills")
	f.link("two", "skills")
	w.until("ready b skills/b")
}

// Only what changes the result is published.
func TestWatchIsQuiet(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: a")
	c := f.catalog()
	w := f.watch(c)
	for i := range 5 {
		f.touch("skills/a/SKILL.md")
		f.write("skills/a/notes.txt", fmt.Sprint(i))
		time.Sleep(5 * time.Millisecond)
	}
	f.write("skills/a/SKILL.md", "name: b")
	w.until("ready b skills/a")
	w.end()
	if len(w.got) > 0 {
		t.Errorf("%d snapshots too many", len(w.got))
	}
}

// What changed between a load and the start of the watch is not lost.
func TestWatchStartsFromTheLastLoad(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: a")
	c := f.catalog()
	f.loadFrom(c)
	f.write("skills/a/SKILL.md", "name: b")
	ctx, cancel := testContext(t)
	defer cancel()
	var got []string
	err := c.Watch(ctx, func(s *Snapshot) {
		got = append(got, f.lines(s)...)
		cancel()
	})
	if !errors.Is(err, context.Canceled) || len(got) != 1 || got[0] != "ready b skills/a" {
		t.Errorf("published %v, ended with %v", got, err)
	}
}

// Events that never stop are not waited for.
func TestWatchUnderConstantEvents(t *testing.T) {
	f := newFixture(t)
	f.write("skills/a/SKILL.md", "name: a")
	c := f.catalog()
	c.pace = pace{settle: time.Hour, most: 50 * time.Millisecond}
	w := f.watch(c)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			f.write("skills/a/noise", fmt.Sprint(i))
			time.Sleep(time.Millisecond)
		}
	})
	f.write("skills/a/SKILL.md", "name: b")
	w.until("ready b skills/a")
	stop()
	wg.Wait()
}

func TestFallBackIsSaidOnce(t *testing.T) {
	f := newFixture(t)
	var log syncedBuilder
	f.opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	f.write("skills/a/SKILL.md", "name: a")
	c := f.catalog()
	c.watchDir = func(*fsnotify.Watcher, string) error { return syscall.EMFILE }
	w := f.watch(c)
	for i := range 3 {
		f.write("skills/a/SKILL.md", fmt.Sprintf("name: a%d", i))
		w.until(fmt.Sprintf("ready a%d skills/a", i))
	}
	w.end()
	if n := strings.Count(log.String(), "cannot be watched"); n != 1 {
		t.Errorf("said %d times:\n%s", n, log.String())
	}
}

type syncedBuilder struct {
	mu sync.Mutex
	strings.Builder
}

func (b *syncedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}
