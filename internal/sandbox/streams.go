package sandbox

import (
	"io"
	"os"
	"sync"
	"time"
)

// streams are the pipes between a process and the readers and writers of its
// spec.
type streams struct {
	files   []*os.File // those of the process: 0, 1, 2
	ours    []*os.File
	copying sync.WaitGroup
	stdin   *os.File
	source  io.Reader
}

// drainTime is how long output is still read when all processes are gone. It is
// all in the pipes by then; only where something got away it holds them open.
const drainTime = 2 * time.Second

// openStreams makes the pipes. On failure nothing stays open.
func openStreams(spec Spec) (s *streams, err error) {
	s = &streams{source: spec.Stdin}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if spec.Stdin == nil {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return s, err
		}
		s.files = append(s.files, null)
	} else {
		r, w, err := os.Pipe()
		if err != nil {
			return s, err
		}
		s.files, s.stdin = append(s.files, r), w
	}
	for i, to := range []io.Writer{spec.Stdout, spec.Stderr} {
		if i == 1 && same(spec.Stdout, spec.Stderr) {
			s.files = append(s.files, s.files[1]) // one pipe keeps the order
			break
		}
		if to == nil {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return s, err
			}
			s.files = append(s.files, null)
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return s, err
		}
		s.files, s.ours = append(s.files, w), append(s.ours, r)
		s.copying.Go(func() { _, _ = io.Copy(to, r); _, _ = io.Copy(io.Discard, r) })
	}
	return s, nil
}

// same reports whether two writers are one. Those that cannot be compared are
// not.
func same(a, b io.Writer) (equal bool) {
	defer func() {
		if recover() != nil {
			equal = false
		}
	}()
	return a != nil && a == b
}

// started closes the process's ends and begins to feed it.
func (s *streams) started() {
	for i, f := range s.files {
		if i < 2 || f != s.files[1] {
			f.Close()
		}
	}
	if s.stdin == nil {
		return
	}
	w, r := s.stdin, s.source
	// Not waited for: a reader may block for ever, and nobody reads what it gives.
	go func() {
		_, _ = io.Copy(w, r)
		w.Close()
	}()
}

// ended waits until all output is copied. The processes are gone.
func (s *streams) ended() {
	if s.stdin != nil {
		s.stdin.Close()
	}
	late := time.AfterFunc(drainTime, func() {
		for _, f := range s.ours {
			f.Close()
		}
	})
	s.copying.Wait()
	late.Stop()
	for _, f := range s.ours {
		f.Close()
	}
}

// abandon closes everything, where no process came to be.
func (s *streams) abandon() {
	for i, f := range s.files {
		if i < 2 || f != s.files[1] {
			f.Close()
		}
	}
	s.files = nil
	s.ended()
}
