package toolbox

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/knackhq/knack/tool"
)

const (
	// longestText of a record is kept: enough to see what a command was about.
	longestText = 4 << 10
	// longestLine is more than any record has, with every character escaped.
	longestLine = 256 << 10
)

// Log is a file to which records of calls are added and nothing else. Several
// processes may do so at the same time. The zero value keeps nothing.
type Log struct{ Path string }

// line is what stands in the file: a record when the call begins, its end later.
type line struct {
	Record *tool.Record    `json:"call,omitempty"`
	ID     string          `json:"of,omitempty"`
	End    *tool.RecordEnd `json:"end,omitempty"`
}

// NewID names a call.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Begin writes a call down. It must not be made if that fails.
func (l Log) Begin(r tool.Record) error {
	r.Subject, r.Arguments, r.Why, r.End = shortened(r.Subject), shortened(r.Arguments), shortened(r.Why), nil
	return l.failed(l.add(line{Record: &r}), "so the call is not made")
}

// Finish writes down how a call ended.
func (l Log) Finish(id string, end tool.RecordEnd) error {
	end.Error = shortened(end.Error)
	return l.failed(l.add(line{ID: id, End: &end}), "so it lacks how the call ended")
}

func (l Log) add(entry line) error {
	if l.Path == "" {
		return nil
	}
	data, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return err
	}
	return l.appendLine(append(data, '\n'))
}

// appendLine adds a whole line in one write, which the system keeps apart from
// those of other processes. What a crash left of another stays a line of its own,
// which Records passes over.
func (l Log) appendLine(data []byte) (err error) {
	if st, err := os.Lstat(l.Path); err == nil && !st.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	f, err := os.OpenFile(l.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	last := make([]byte, 1)
	if n := st.Size(); n > 0 {
		if _, err := f.ReadAt(last, n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			data = append([]byte{'\n'}, data...)
		}
	}
	_, err = f.Write(data)
	return err
}

func (l Log) failed(err error, so string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the audit log %s cannot be written, %s: %w", l.Path, so, err)
}

// Records reads the log, oldest first, with the end of each call where it
// belongs. Lines that cannot be read are counted.
func (l Log) Records() (records []tool.Record, unreadable int, err error) {
	f, err := os.Open(l.Path)
	if errors.Is(err, fs.ErrNotExist) || l.Path == "" {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	at := map[string]int{}
	in := bufio.NewReaderSize(f, longestLine)
	for {
		text, long, err := nextLine(in)
		var entry line
		switch bad := json.Unmarshal(text, &entry); {
		case long:
			unreadable++
		case len(bytes.TrimSpace(text)) == 0:
		case bad == nil && entry.Record != nil && entry.Record.ID != "":
			at[entry.Record.ID] = len(records)
			records = append(records, *entry.Record)
		case bad == nil && entry.End != nil:
			if i, ok := at[entry.ID]; ok {
				records[i].End = entry.End
			}
		default:
			unreadable++
		}
		if errors.Is(err, io.EOF) {
			return records, unreadable, nil
		}
		if err != nil {
			return records, unreadable, err
		}
	}
}

// nextLine reads a line; of one that is too long, its beginning.
func nextLine(in *bufio.Reader) (text []byte, long bool, err error) {
	text, err = in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, false, err
	}
	text = bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return text, true, err
}

// shortened keeps the beginning and the end of a text, cut between characters.
func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	head, tail := longestText*3/4, len(text)-longestText/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + fmt.Sprintf(" … %d bytes … ", tail-head) + text[tail:]
}
