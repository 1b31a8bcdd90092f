// Package pdf reads the text of PDF files, for the tool pdf_read.
//
// A PDF is a program by a stranger: it can name objects that contain each other,
// tables of any size, and streams that unpack to more than any memory. The
// library that reads it here answers some of that by panicking, and some by
// taking all memory or never ending. So it runs in a process of its own:
//
//   - [Tool] is the tool. It opens the file and hands it to a stage in the
//     sandbox, which has no network, writes nothing, and is bounded in time and
//     memory. Whatever happens to the stage is an answer that says so.
//   - [Child] is that stage: main calls it first, as it does the sandbox's own.
//   - [Text] is what the stage does. It turns panics into errors and bounds what
//     is read, how deep pages lie and how long the text is. It cannot bound the
//     memory and the time of the library it uses; the stage's surroundings do.
//
// Text comes page by page in the order in which it is painted, which is the order
// of reading in nearly all files. Lines and spaces are found from the positions
// of the text. What a font does not say how to read is U+FFFD. A page begins with
// a line "--- page N ---".
package pdf

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	library "github.com/ledongthuc/pdf"

	"github.com/knackhq/knack/internal/toolbox/output"
	"github.com/knackhq/knack/internal/wording"
)

// usualWork is how many bytes of a file may be read, counting every time that
// they are. The library keeps nothing, so a large document is read many times
// over; a file that refers to itself in a circle would be read for ever.
const usualWork = 1 << 30

// Text returns the text of the pages that are asked for, as in "1-3,7"; all if
// that is empty. Of a text that is longer than max bytes it says which pages were
// left out.
func Text(r io.ReaderAt, size int64, pages string, max int) (string, error) {
	text, _, err := extract(r, size, pages, max, usualWork)
	return text, err
}

// extract is [Text] that also tells whether pages were left out.
func extract(r io.ReaderAt, size int64, pages string, most int, work int64) (text string, cut bool, err error) {
	wanted, err := parseSpans(pages)
	if err != nil {
		return "", false, err
	}
	file, err := open(&budget{r: r, left: work}, size)
	if err != nil {
		return "", false, err
	}
	all, err := file.pages()
	if err != nil {
		return "", false, err
	}
	chosen, err := wanted.choose(len(all))
	if err != nil {
		return "", false, err
	}
	var out strings.Builder
	found := false
	var failed error
	for i, n := range chosen {
		room := most - out.Len()
		body, err := all[n-1].text(room)
		if errors.Is(err, ErrWork) {
			return "", false, err
		}
		cut = errors.Is(err, errEnough)
		if err != nil && !cut {
			failed = err
		}
		found = found || body != ""
		fmt.Fprintf(&out, "--- page %d ---\n%s", n, clip(body, room))
		if err != nil && !cut {
			fmt.Fprintf(&out, "(the rest of this page cannot be read: %s)\n", wording.Name(err.Error()))
		}
		if cut || out.Len() >= most && i < len(chosen)-1 {
			left := chosen[i+1:]
			out.WriteString(leftOut(left, n, cut))
			cut = true
			break
		}
	}
	switch {
	case found:
		return out.String(), cut, nil
	case failed != nil:
		return "", false, fmt.Errorf("%w: %w", ErrDamaged, failed)
	}
	return "", false, ErrNoText
}

// clip is cleaned text of at most so many bytes, of whole characters and ending
// with its line.
func clip(text string, room int) string {
	text = output.Clean(text)
	if room = max(room, 0); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text = text[:room]
	}
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// leftOut says what the text lacks, so that it can be asked for.
func leftOut(left []int, last int, within bool) string {
	var parts []string
	if within {
		parts = append(parts, fmt.Sprintf("the rest of page %d", last))
	}
	switch len(left) {
	case 0:
	case 1:
		parts = append(parts, fmt.Sprintf("page %d", left[0]))
	default:
		parts = append(parts, "pages "+spansOf(left).String())
	}
	return "--- left out: " + strings.Join(parts, " and ") + "; ask for fewer pages at a time ---\n"
}

// file is an open PDF.
type file struct {
	reader *library.Reader
	work   *budget
}

// header is the beginning that the library understands. What follows it is found
// by its place, so any file that begins like a PDF can be given it.
const header = "%PDF-1.7\n"

// open finds the beginning and the end of a PDF, and has it read.
func open(b *budget, size int64) (*file, error) {
	if size <= 0 {
		return nil, ErrNotPDF
	}
	start := make([]byte, len(header))
	if n, _ := b.ReadAt(start, 0); !strings.HasPrefix(string(start[:n]), "%PDF-") {
		return nil, ErrNotPDF
	}
	// Programs that hand files on add to their end; the standard allows 1024 bytes.
	const tail = 1024 + 5
	from := max(size-tail, 0)
	end := make([]byte, size-from)
	if n, err := b.ReadAt(end, from); n < len(end) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	i := strings.LastIndex(string(end), "%%EOF")
	if i < 0 {
		return nil, fmt.Errorf("%w: its end is missing", ErrDamaged)
	}
	b.header = header
	f := &file{work: b}
	err := guard(func() error {
		var err error
		f.reader, err = library.NewReader(b, from+int64(i)+5)
		return err
	})
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, library.ErrInvalidPassword) || strings.Contains(err.Error(), "encryption"):
		return nil, ErrEncrypted
	case errors.Is(err, ErrWork):
		return nil, err
	}
	return nil, fmt.Errorf("%w: %s", ErrDamaged, wording.Name(err.Error()))
}
