package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// longestLine is how many characters of a line are shown: what is longer is
	// not written by hand.
	longestLine = 2000
	// longestTail is how much of the rest of a line is passed over to find the
	// next one. A file without line ends is not read to its end for that.
	longestTail = 256 << 20
	// chunk is read at a time; between two the context is looked at.
	chunk = 64 << 10
)

// lineReader reads text line by line, with bounded memory however long lines are.
type lineReader struct {
	ctx context.Context
	in  *bufio.Reader
	enc encoding
	// crlf tells that a line ended in CR LF.
	crlf bool
}

// newLineReader starts to read a file. It returns the beginning as well.
func newLineReader(ctx context.Context, f io.Reader) (r *lineReader, sample []byte, err error) {
	in := bufio.NewReaderSize(f, chunk)
	sample, err = in.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	sample = bytes.Clone(sample)
	r = &lineReader{ctx: ctx, in: in, enc: encodingOf(sample, err != nil)}
	switch r.enc {
	case utf16LE, utf16BE:
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		r.in = bufio.NewReaderSize(transform.NewReader(in, decoder), chunk)
	default:
		if bytes.HasPrefix(sample, []byte(bomUTF8)) {
			_, err = in.Discard(len(bomUTF8))
			return r, sample, err
		}
	}
	return r, sample, nil
}

// more reports whether there is another line.
func (r *lineReader) more() bool {
	_, err := r.in.Peek(1)
	return err == nil
}

// skip passes over lines, and returns how many there were.
func (r *lineReader) skip(lines int) (passed int, err error) {
	open := false // a last line may have no end
	for passed < lines {
		if err := r.ctx.Err(); err != nil {
			return passed, err
		}
		piece, err := r.in.ReadSlice('\n')
		switch {
		case err == nil:
			passed, open = passed+1, false
		case errors.Is(err, bufio.ErrBufferFull):
			open = true
		case errors.Is(err, io.EOF):
			if open || len(piece) > 0 {
				passed++
			}
			return passed, nil
		default:
			return passed, err
		}
	}
	return passed, nil
}

// next reads a line without its end. cut tells how many bytes of it were left
// out. At the end of the file it returns io.EOF.
func (r *lineReader) next() (line []byte, cut int64, err error) {
	const room = longestLine*utf8.UTFMax + 2
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, 0, err
		}
		piece, err := r.in.ReadSlice('\n')
		ended := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if errors.Is(err, io.EOF) && len(piece) == 0 && len(line) == 0 && cut == 0 {
			return nil, 0, io.EOF
		}
		if ended {
			piece = piece[:len(piece)-1]
		}
		take := min(len(piece), room-len(line))
		line = append(line, piece[:take]...)
		cut += int64(len(piece) - take)
		if ended || errors.Is(err, io.EOF) {
			if cut == 0 && ended && bytes.HasSuffix(line, []byte{'\r'}) {
				line, r.crlf = line[:len(line)-1], true
			}
			line, cut = r.shorten(line, cut)
			return line, cut, nil
		}
		if cut > longestTail {
			line, cut = r.shorten(line, cut)
			return line, cut, errEndless
		}
	}
}

// shorten decodes a line and cuts it to what is shown.
func (r *lineReader) shorten(line []byte, cut int64) ([]byte, int64) {
	if cut > 0 {
		whole := len(line) - halfRune(line)
		line, cut = line[:whole], cut+int64(len(line)-whole)
	}
	if r.enc == latin1 || !utf8.Valid(line) {
		r.enc = max(r.enc, latin1)
		line = fromLatin1(line)
	}
	if len(line) > longestLine {
		end := 0
		for n := 0; n < longestLine && end < len(line); n++ {
			_, size := utf8.DecodeRune(line[end:])
			end += size
		}
		cut += int64(len(line) - end)
		line = line[:end]
	}
	return bytes.ReplaceAll(line, []byte{0}, nil), cut
}

// halfRune is the length of a character at the end that is not all there.
func halfRune(line []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(line); n++ {
		if tail := line[len(line)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
