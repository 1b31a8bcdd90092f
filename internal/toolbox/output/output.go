// Package output makes what programs and servers write fit for a model and a
// terminal: text that steers nothing, and no more of it than fits.
//
// [Clean] leaves text as it is, but for control characters and escape sequences:
// these go, together with what they carry, such as the title in an OSC. A tab and
// a line feed stay, every other end of a line becomes a line feed, and bytes that
// are no UTF-8 become U+FFFD.
//
// A [Buffer] does the same to a stream, and keeps its head and its tail where it
// is longer than a limit, for errors are found at the end and what caused them at
// the beginning. It takes no more memory than twice its limit, however much is
// written.
package output

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// DefaultLimit is what a tool may answer at most: more than any model reads of
// one answer, and little for a machine to hold.
const DefaultLimit = 1 << 20

// Clean is text without control characters and escape sequences, in valid UTF-8.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	c := cleaner{}
	c.write([]byte(text), func(r rune) { out.WriteRune(r) })
	c.end(func(r rune) { out.WriteRune(r) })
	return out.String()
}

// plain reports text that nothing has to be done about.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return control(r) && r != '\n' && r != '\t' })
}

// Cut is text cleaned, and cut to a limit as a [Buffer] does; it reports whether
// it had to be.
func Cut(text string, limit int) (string, bool) {
	b := Buffer{Limit: limit}
	_, _ = b.Write([]byte(text))
	return b.String(), b.Cut()
}

// Buffer takes a stream and keeps its head and its tail, cleaned. It may be
// written to by several at once, such as both streams of a program.
type Buffer struct {
	// Limit is how many bytes are kept; not positive is [DefaultLimit]. It does
	// not change once something is written. The line that says what was left out
	// comes on top.
	Limit int

	mu   sync.Mutex
	kept kept
}

// Write takes more of the stream. It takes all and never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept.limit = b.limit()
	b.kept.write(p, b.kept.add)
	return len(p), nil
}

func (b *Buffer) limit() int {
	if b.Limit <= 0 {
		return DefaultLimit
	}
	return b.Limit
}

// String is what was written, as if it ended here: all of it, or its head and its
// tail with a line between them that says how many bytes are missing.
func (b *Buffer) String() string {
	k := b.ended()
	if !k.cut() {
		return string(k.head) + string(k.tail)
	}
	tail := k.lastRunes()
	return string(k.head) + notice(k.head, k.total-len(k.head)-len(tail)) + string(tail)
}

// Cut reports whether [Buffer.String] is not all that was written.
func (b *Buffer) Cut() bool {
	k := b.ended()
	return k.cut()
}

// ended is what is kept if nothing else is written; what is kept stays as it is.
func (b *Buffer) ended() kept {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.kept
	k.limit = b.limit()
	k.head, k.tail = k.head[:len(k.head):len(k.head)], append([]byte(nil), k.tail...)
	k.end(k.add)
	return k
}

// notice is the line between head and tail.
func notice(head []byte, missing int) string {
	line := fmt.Sprintf("[… %d bytes left out …]\n", missing)
	if len(head) == 0 || head[len(head)-1] == '\n' {
		return line
	}
	return "\n" + line
}

// kept is the beginning of a stream and the latest of it.
type kept struct {
	cleaner
	limit      int
	head, tail []byte
	total      int // bytes of clean text so far
}

// add takes one more character. Half of the limit is for the head; what it does
// not use is the tail's.
func (k *kept) add(r rune) {
	n := utf8.RuneLen(r)
	k.total += n
	if len(k.tail) == 0 && len(k.head)+n <= k.limit/2 {
		k.head = utf8.AppendRune(k.head, r)
		return
	}
	k.tail = utf8.AppendRune(k.tail, r)
	// Dropping only when there is as much to drop as to keep makes each byte
	// move once.
	if room := k.room(); len(k.tail) > 2*room+utf8.UTFMax {
		k.tail = append(k.tail[:0], k.tail[len(k.tail)-room:]...)
	}
}

// room is what the tail may take.
func (k *kept) room() int { return k.limit - len(k.head) }

func (k *kept) cut() bool { return k.total > k.limit }

// lastRunes is as much of the tail as there is room for, in whole characters.
func (k *kept) lastRunes() []byte {
	tail := k.tail[max(0, len(k.tail)-k.room()):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return tail
}
