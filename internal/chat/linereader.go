package chat

import (
	"bufio"
	"context"
	"io"
)

// lineReader reads lines without holding up who waits for one.
type lineReader struct {
	lines  chan string
	stop   chan struct{}
	failed error // once lines is closed
}

func readLines(r io.Reader) *lineReader {
	in := &lineReader{lines: make(chan string), stop: make(chan struct{})}
	go func() {
		defer close(in.lines)
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, mostInput)
		for scanner.Scan() {
			select {
			case in.lines <- scanner.Text():
			case <-in.stop:
				return
			}
		}
		in.failed = scanner.Err()
	}()
	return in
}

func (in *lineReader) next(ctx context.Context) (string, bool) {
	select {
	case text, ok := <-in.lines:
		return text, ok && ctx.Err() == nil
	case <-ctx.Done():
		return "", false
	}
}

// err is why there are no more lines; nil at the end of the input.
func (in *lineReader) err() error {
	select {
	case _, ok := <-in.lines:
		if !ok {
			return in.failed
		}
	default:
	}
	return nil
}
