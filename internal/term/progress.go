package term

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long work may take in silence. Below half a second a person
// takes a program for immediate, and a line that flashes up only distracts.
const patience = 500 * time.Millisecond

// TickEvery is how often a progress line should be redrawn: ten times a second
// looks like motion and costs nothing.
const TickEvery = 100 * time.Millisecond

// Ticker is a clock and its beat, as time.Now and a [time.Ticker] with a period
// of [TickEvery] give them. The caller stops the ticker after [Progress.Stop].
type Ticker struct {
	Now  func() time.Time
	Tick <-chan time.Time
}

// Progress is one line that shows that work goes on: a bar where the amount of
// work is known, else a spinner. It appears after half a second, on a terminal
// only, and leaves no trace. Use it on stderr, so that output stays clean.
type Progress struct {
	out   *Output
	label string
	done  atomic.Int64
	total atomic.Int64
	quit  chan struct{}
	stop  sync.Once
	ended sync.WaitGroup
}

// Progress starts a progress line; total is the amount of work, 0 if unknown.
func (o *Output) Progress(label string, total int64, ticker Ticker) *Progress {
	p := &Progress{out: o, label: Clean(label), quit: make(chan struct{})}
	p.total.Store(total)
	if o.tty && !o.dumb {
		started := ticker.Now()
		p.ended.Go(func() { p.run(started, ticker) })
	}
	return p
}

// Add says that n more units of work are done.
func (p *Progress) Add(n int64) { p.done.Add(n) }

// SetTotal says how much work there is, once that is known.
func (p *Progress) SetTotal(total int64) { p.total.Store(total) }

// Stop erases the line. It returns when nothing will be drawn any more, and may
// be called twice.
func (p *Progress) Stop() {
	p.stop.Do(func() { close(p.quit) })
	p.ended.Wait()
}

const eraseLine = "\r\x1b[K"

func (p *Progress) run(started time.Time, ticker Ticker) {
	for frame := 0; ; frame++ {
		select {
		case <-p.quit:
			if frame > 0 {
				p.out.print(eraseLine)
			}
			return
		case <-ticker.Tick:
			if ticker.Now().Sub(started) < patience {
				frame = -1 // nothing is drawn yet
				continue
			}
			// The last column stays free: some terminals wrap when it is used.
			p.out.print(eraseLine + truncate(p.line(frame), p.out.width-1, p.out.Glyph(Ellipsis)))
		}
	}
}

// The spinners; each has one column.
var (
	spinner      = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	asciiSpinner = [...]string{"|", "/", "-", `\`}
)

// barWidth makes every step of the bar five per cent.
const barWidth = 20

func (p *Progress) line(frame int) string {
	done, total := p.done.Load(), p.total.Load()
	if total <= 0 {
		turn := spinner[frame%len(spinner)]
		if p.out.ascii {
			turn = asciiSpinner[frame%len(asciiSpinner)]
		}
		if done > 0 {
			return fmt.Sprintf("%s %s %d", turn, p.label, done)
		}
		return turn + " " + p.label
	}
	done = min(max(done, 0), total)
	full, empty := "█", "░"
	if p.out.ascii {
		full, empty = "#", "."
	}
	filled := int(float64(done) / float64(total) * barWidth)
	return fmt.Sprintf("%s %s%s %d/%d", p.label,
		strings.Repeat(full, filled), strings.Repeat(empty, barWidth-filled), done, total)
}
