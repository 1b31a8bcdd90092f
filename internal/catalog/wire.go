package catalog

import (
	"encoding/binary"

	"github.com/knackhq/knack/skill"
)

// wire writes or reads values in the index's binary form: numbers as varints,
// strings and lists with their length before them. One method per type serves
// both directions, so what is written and what is read cannot drift apart.
//
// Strings that were read are parts of the string they were read from: a whole
// index costs one allocation for all its text.
type wire struct {
	out []byte // writing: what was written so far

	reading bool
	in      string // reading: what is left
	bad     bool   // reading: the input is not what was written
	mem     *memory
}

// reader starts reading. Lists come from mem.
func reader(in string, mem *memory) *wire { return &wire{reading: true, in: in, mem: mem} }

// fail ends reading; everything that is asked for from then on is empty.
func (w *wire) fail() { w.bad, w.in = true, "" }

func (w *wire) uint64(v *uint64) {
	if !w.reading {
		w.out = binary.AppendUvarint(w.out, *v)
		return
	}
	*v = w.readUint()
}

func (w *wire) readUint() uint64 {
	if len(w.in) > 0 && w.in[0] < 0x80 {
		v := uint64(w.in[0])
		w.in = w.in[1:]
		return v
	}
	var v uint64
	for i := 0; i < len(w.in) && i < binary.MaxVarintLen64; i++ {
		c := w.in[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			w.in = w.in[i+1:]
			return v
		}
	}
	w.fail()
	return 0
}

// int64 writes small negative numbers as small as positive ones.
func (w *wire) int64(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63)
	w.uint64(&u)
	*v = int64(u>>1) ^ -int64(u&1)
}

func (w *wire) int(v *int) {
	n := int64(*v)
	w.int64(&n)
	*v = int(n)
}

func (w *wire) bool(v *bool) {
	var u uint64
	if *v {
		u = 1
	}
	w.uint64(&u)
	*v = u != 0
}

// fixed64 is for values that fill their bits, such as times.
func (w *wire) fixed64(v *uint64) {
	if !w.reading {
		w.out = binary.LittleEndian.AppendUint64(w.out, *v)
		return
	}
	if len(w.in) < 8 {
		w.fail()
		return
	}
	_ = w.in[7] // the compiler makes one load of the eight
	*v = uint64(w.in[0]) | uint64(w.in[1])<<8 | uint64(w.in[2])<<16 | uint64(w.in[3])<<24 |
		uint64(w.in[4])<<32 | uint64(w.in[5])<<40 | uint64(w.in[6])<<48 | uint64(w.in[7])<<56
	w.in = w.in[8:]
}

func (w *wire) string(v *string) {
	if !w.reading {
		w.out = binary.AppendUvarint(w.out, uint64(len(*v)))
		w.out = append(w.out, *v...)
		return
	}
	n := w.readUint()
	if n > uint64(len(w.in)) {
		w.fail()
		return
	}
	*v, w.in = w.in[:n], w.in[n:]
}

func (w *wire) text(v *skill.Text) {
	if !w.reading {
		w.out = binary.AppendUvarint(w.out, uint64(v.Len()))
		w.out, _ = v.AppendBinary(w.out) // cannot fail
		return
	}
	var s string
	w.string(&s)
	*v = skill.NewText(s)
}

func (w *wire) strings(v *[]string) { list(w, v, &w.mem.strings, 1, (*wire).string) }

// count writes or reads the length of a list whose elements take at least size
// bytes each, so that garbage cannot ask for more memory than it has bytes for.
func (w *wire) count(n *int, size int) {
	u := uint64(*n)
	w.uint64(&u)
	if w.reading && u > uint64(len(w.in)/size) {
		w.fail()
		u = 0
	}
	*n = int(u)
}

// list writes or reads a slice; an empty one is read as nil. size is the least
// number of bytes that an element takes.
func list[T any](w *wire, v *[]T, from *slab[T], size int, element func(*wire, *T)) {
	n := len(*v)
	w.count(&n, size)
	if w.reading {
		*v = from.take(n)
	}
	for i := range *v {
		element(w, &(*v)[i])
	}
}

// memory is where a worker gets its lists from: a few large allocations
// instead of some for every skill. It is not safe for use by two goroutines.
type memory struct {
	strings     slab[string]
	texts       slab[skill.Text]
	fields      slab[skill.Field]
	manifests   slab[skill.Manifest]
	tools       slab[skill.ToolDecl]
	args        slab[skill.ToolArg]
	installs    slab[skill.InstallSpec]
	resources   slab[skill.Resource]
	diagnostics slab[skill.Diagnostic]
	entries     slab[skill.Entry]
	last        wire
}

// wire returns w at a place that is used again by the next call.
func (m *memory) wire(w wire) *wire {
	m.last = w
	m.last.mem = m
	return &m.last
}

// slab hands out parts of a larger slice.
type slab[T any] struct{ free []T }

// slabSize is small enough that a handful of skills wastes little, and large
// enough that thousands do not allocate one by one.
const slabSize = 64

// take returns n zero values, nil for none. Appending to them never touches
// what was handed out to others.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.free = make([]T, max(n, slabSize))
	}
	part := s.free[:n:n]
	s.free = s.free[n:]
	return part
}
