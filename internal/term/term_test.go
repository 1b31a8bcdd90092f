package term

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStyles(t *testing.T) {
	off := New(nil, true, false, 80)
	on := New(nil, true, true, 80)
	for name, style := range map[string]func(*Output, string) string{
		"Title": (*Output).Title, "Dim": (*Output).Dim, "Good": (*Output).Good,
		"Warn": (*Output).Warn, "Bad": (*Output).Bad, "Code": (*Output).Code,
	} {
		if got := style(off, "x"); got != "x" {
			t.Errorf("%s without colour = %q", name, got)
		}
		if got := style(on, ""); got != "" {
			t.Errorf("%s of nothing = %q", name, got)
		}
		got := style(on, "x")
		if !strings.HasSuffix(got, "x\x1b[0m") || cleanCell(got) != got || Width(got) != 1 {
			t.Errorf("%s = %q is not a style that tables know", name, got)
		}
	}
}

func TestGlyphs(t *testing.T) {
	o := New(nil, true, false, 80)
	for g := Check; g <= Ellipsis; g++ {
		if o.Glyph(g) == "" || strings.ContainsFunc(o.ASCII().Glyph(g), func(r rune) bool { return r > '~' }) {
			t.Errorf("glyph %d: %q, in ASCII %q", g, o.Glyph(g), o.ASCII().Glyph(g))
		}
	}
}

func TestColumns(t *testing.T) {
	if got := New(nil, true, false, 0).Columns(); got != 80 {
		t.Errorf("a terminal that does not tell its size has %d columns, want 80", got)
	}
	if got := New(nil, false, false, 100).Columns(); got != 0 {
		t.Errorf("a pipe has %d columns, want 0: nothing is cut", got)
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		env     []string
		capable bool
		want    bool
	}{
		{nil, true, true},
		{nil, false, false},
		{[]string{"NO_COLOR=1"}, true, false},
		{[]string{"NO_COLOR="}, true, true},
		{[]string{"CLICOLOR_FORCE=1"}, false, true},
		{[]string{"CLICOLOR_FORCE=0"}, false, false},
		{[]string{"CLICOLOR_FORCE=1", "NO_COLOR=1"}, true, false},
		{[]string{"CLICOLOR=0"}, true, false},
		{[]string{"NO_COLOR=1", "NO_COLOR="}, true, true},
	} {
		if got := environment(c.env).color(c.capable); got != c.want {
			t.Errorf("%q, capable %v: colour %v, want %v", c.env, c.capable, got, c.want)
		}
	}
	for _, c := range []struct {
		env  []string
		goos string
		want bool
	}{
		{nil, "linux", true},
		{[]string{"LANG=en_GB.UTF-8"}, "linux", true},
		{[]string{"LANG=C.utf8"}, "linux", true},
		{[]string{"LANG=C"}, "linux", false},
		{[]string{"LANG=de_DE.ISO-8859-1"}, "linux", false},
		{[]string{"LANG=en_GB.UTF-8", "LC_ALL=POSIX"}, "linux", false},
		{[]string{"LANG=C", "LC_CTYPE=UTF-8"}, "darwin", true},
		{[]string{"LANG=C"}, "windows", true},
	} {
		if got := environment(c.env).unicode(c.goos); got != c.want {
			t.Errorf("%q on %s: Unicode %v, want %v", c.env, c.goos, got, c.want)
		}
	}
}

func TestDetectFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if IsTerminal(f) || IsTerminal(nil) {
		t.Error("a file is taken for a terminal")
	}
	o := Detect(f, []string{"COLUMNS=40", "LANG=C"})
	if o.TTY() || o.Columns() != 0 || o.Bad("x") != "x" || o.Glyph(Check) != "+" {
		t.Errorf("Detect of a file = %+v", o)
	}
	if o := Detect(f, []string{"CLICOLOR_FORCE=1"}); o.Bad("x") == "x" {
		t.Error("CLICOLOR_FORCE does not colour a file")
	}
}

// record is a writer that many goroutines may use.
type record struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

// frames returns what was drawn since the last call, one line an element.
func (r *record) frames() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.buf.String()
	r.buf.Reset()
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(s, eraseLine), eraseLine)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w record
		ticker := time.NewTicker(TickEvery)
		defer ticker.Stop()
		o := New(&w, true, false, 40)
		p := o.Progress("reading\x1b[2J skills", 0, Ticker{Now: time.Now, Tick: ticker.C})
		defer p.Stop()

		time.Sleep(450 * time.Millisecond)
		synctest.Wait()
		if got := w.frames(); got != nil {
			t.Errorf("drawn before half a second: %q", got)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([]string{"⠋ reading skills", "⠙ reading skills"}, w.frames()); diff != "" {
			t.Errorf("spinner (-want +got):\n%s", diff)
		}
		p.SetTotal(200)
		p.Add(50)
		time.Sleep(TickEvery)
		synctest.Wait()
		if diff := cmp.Diff([]string{"reading skills █████░░░░░░░░░░░░░░░ 50…"}, w.frames()); diff != "" {
			t.Errorf("bar, cut to one less than the width (-want +got):\n%s", diff)
		}
		p.Stop()
		p.Stop()
		if diff := cmp.Diff([]string{""}, w.frames()); diff != "" {
			t.Errorf("Stop must erase the line (-want +got):\n%s", diff)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := w.frames(); got != nil {
			t.Errorf("drawn after Stop: %q", got)
		}
	})
}

func TestProgressLeavesNoTrace(t *testing.T) {
	for name, o := range map[string]*Output{
		"pipe":          New(nil, false, false, 0),
		"dumb terminal": {tty: true, width: 80, dumb: true},
		"quick work":    New(nil, true, false, 80),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w record
				o.w = &w
				ticker := time.NewTicker(TickEvery)
				defer ticker.Stop()
				p := o.Progress("working", 3, Ticker{Now: time.Now, Tick: ticker.C})
				if name == "quick work" {
					time.Sleep(400 * time.Millisecond)
				} else {
					time.Sleep(5 * time.Second)
				}
				p.Add(1)
				p.Stop()
				if got := w.frames(); got != nil {
					t.Errorf("drawn: %q", got)
				}
			})
		})
	}
}
