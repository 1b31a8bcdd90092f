package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/knackhq/knack/internal/durable"
)

const (
	// mostPast is how many lines a person may want to go back.
	mostPast = 1000
	// longestPast is that of one line, in bytes: what is longer was pasted.
	longestPast = 4 << 10
	// pastPatience is how long another chat may take to write its own.
	pastPatience = 200 * time.Millisecond
)

// past is what was typed in chats. It is a convenience: what cannot be read or
// written is as good as none.
type past struct{ file string }

// past is the user's; without a file if there is no place for one.
func (f *factory) past() past {
	if f.home() == "" {
		return past{}
	}
	return past{filepath.Join(f.home(), "history")}
}

// lines are the last ones, oldest first.
func (p past) lines() []string {
	data, err := os.ReadFile(p.file)
	if err != nil || len(data) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return lines[max(0, len(lines)-mostPast):]
}

// add keeps a line, and as many others as there is room for.
func (p past) add(text string) {
	text = strings.TrimSpace(strings.NewReplacer("\r", " ", "\n", " ").Replace(text))
	if text == "" || len(text) > longestPast {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pastPatience)
	defer cancel()
	unlock, err := durable.LockBeside(ctx, p.file)
	if err != nil {
		return
	}
	defer func() { _ = unlock() }()
	lines := append(p.lines(), text)
	lines = lines[max(0, len(lines)-mostPast):]
	_ = durable.WriteFile(p.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
