package route

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// storedForm begins a stored index. It changes with the form and with whatever
// makes the same skills give another index: stems, fields, background.
const storedForm = "knack route 1\n"

// ErrStored says that bytes are no stored index, or one of another version: it
// is to be made anew.
var ErrStored = errors.New("this is no index of skills that can be used; make it anew")

// Append appends a chooser in a form that Decode reads, for a cache. It reports
// false where making it anew costs nothing.
func Append(b []byte, c Chooser) ([]byte, bool) {
	x, ok := c.(*ranked)
	if !ok {
		return b, false
	}
	return x.appendTo(b), true
}

// Decode reads what Append wrote. Whether it still belongs to the skills at hand
// is for the caller to know.
func Decode(rules Rules, data []byte) (Chooser, error) {
	x, err := decodeRanked(rules, data)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (x *ranked) appendTo(b []byte) []byte {
	begin := len(b)
	b = append(b, storedForm...)
	b = binary.AppendUvarint(b, uint64(x.skills))
	b = binary.AppendUvarint(b, uint64(len(x.worth)))
	b = binary.AppendUvarint(b, uint64(len(x.posts)))
	b = appendFloat(b, x.unseen)
	var last []byte
	for i := range x.worth {
		stem := x.stem(i)
		same := 0
		for same < min(len(stem), len(last)) && stem[same] == last[same] {
			same++
		}
		b = append(b, byte(same), byte(len(stem)-same))
		b = append(b, stem[same:]...)
		b = appendFloat(b, x.worth[i])
		posts := x.posts[x.starts[i]:x.starts[i+1]]
		b = binary.AppendUvarint(b, uint64(len(posts)))
		next := uint32(0)
		for _, p := range posts {
			b = binary.AppendUvarint(b, uint64(p.skill()-next))
			b = append(b, byte(p))
			next = p.skill() + 1
		}
		last = stem
	}
	for n := range x.skills {
		b = appendFloat(b, x.named[n])
		b = binary.AppendUvarint(b, uint64(uint32(n)-x.twins[n]))
		phrases := x.signals.phrases[x.signals.starts[n]:x.signals.starts[n+1]]
		b = binary.AppendUvarint(b, uint64(len(phrases)))
		for _, p := range phrases {
			kind := byte(p.field) << 1
			if p.exclude {
				kind |= 1
			}
			b = append(b, kind)
			b = appendText(b, p.text)
			b = binary.AppendUvarint(b, uint64(len(p.stems)))
			for _, stem := range p.stems {
				b = binary.AppendUvarint(b, uint64(stem))
			}
		}
	}
	b = binary.AppendUvarint(b, uint64(len(x.signals.patterns)))
	for _, p := range x.signals.patterns {
		b = binary.AppendUvarint(b, uint64(p.skill))
		b = appendText(b, p.source)
	}
	return append(b[:begin], sealed(b[begin:])...)
}

// sealed appends the checksum.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func appendFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// reader takes numbers from stored bytes. After a mistake it gives zeroes.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) number(below uint64) uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v >= below {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count is the number of things that follow, each of so many bytes at least:
// what is made room for is bounded by what is there.
func (r *reader) count(bytesEach int) int {
	return int(r.number(uint64(len(r.data)/bytesEach) + 1))
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.data) {
		r.bad, r.data = true, nil
		return nil
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

func (r *reader) octet() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// float reads a worth: not negative, and finite.
func (r *reader) float() float32 {
	b := r.take(4)
	if len(b) < 4 {
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(v >= 0 && v < 1e6) {
		r.bad = true
		return 0
	}
	return v
}

func decodeRanked(rules Rules, data []byte) (*ranked, error) {
	body, ok := bytes.CutPrefix(data, []byte(storedForm))
	if !ok || len(body) < crc32.Size {
		return nil, ErrStored
	}
	end := len(data) - crc32.Size
	if crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, ErrStored
	}
	r := &reader{data: body[:len(body)-crc32.Size]}
	x := &ranked{rules: rules, skills: int(r.number(min(mostSkills, uint64(len(r.data)))))}
	x.readStems(r)
	x.readSkills(r)
	if r.bad || len(r.data) > 0 {
		return nil, ErrStored
	}
	return x, nil
}

func (x *ranked) readStems(r *reader) {
	stems := r.count(7)
	posts := r.count(2)
	if x.unseen = r.float(); x.unseen == 0 {
		r.bad = true
	}
	x.worth, x.ends, x.starts = make([]float32, 0, stems), make([]uint32, 1, stems+1), make([]uint32, 1, stems+1)
	x.posts = make([]posting, 0, posts)
	var last []byte
	for i := 0; i < stems && !r.bad; i++ {
		same, more := int(r.octet()), int(r.octet())
		if same > len(last) || same+more > longestWord+4 {
			r.bad = true
			return
		}
		x.stems = append(append(x.stems, last[:same]...), r.take(more)...)
		stem := x.stems[x.ends[i]:]
		if bytes.Compare(last, stem) >= 0 { // which also refuses an empty one
			r.bad = true
			return
		}
		last = stem
		x.ends = append(x.ends, uint32(len(x.stems)))
		x.worth = append(x.worth, r.float())
		x.readPostings(r)
	}
	r.bad = r.bad || len(x.posts) != posts
}

func (x *ranked) readPostings(r *reader) {
	next, head := uint64(0), false
	for range r.count(2) {
		skill := next + r.number(uint64(x.skills))
		p := posting(skill<<8) | posting(r.octet())
		if r.bad || skill >= uint64(x.skills) || p.field() > inBody {
			r.bad = true
			return
		}
		head = head || p.field() != inBody
		x.posts = append(x.posts, p)
		next = skill + 1
	}
	if head {
		x.heads = append(x.heads, uint32(len(x.worth)-1))
	}
	x.starts = append(x.starts, uint32(len(x.posts)))
}

func (x *ranked) readSkills(r *reader) {
	if r.bad || x.skills > len(r.data)/6 {
		r.bad = true
		return
	}
	x.named, x.twins = make([]float32, x.skills), make([]uint32, x.skills)
	x.signals.starts = make([]uint32, 1, x.skills+1)
	for n := range x.skills {
		x.named[n] = r.float()
		x.twins[n] = uint32(n) - uint32(r.number(uint64(n)+1))
		for range r.count(3) {
			x.readPhrase(r)
		}
		x.signals.starts = append(x.signals.starts, uint32(len(x.signals.phrases)))
	}
	for range r.count(2) {
		skill := uint32(r.number(uint64(x.skills)))
		p, ok := newPattern(skill, string(r.take(r.count(1))))
		if !ok {
			r.bad = true
			return
		}
		x.signals.patterns = append(x.signals.patterns, p)
	}
	sortPatterns(x.signals.patterns)
}

func (x *ranked) readPhrase(r *reader) {
	kind := r.octet()
	p := phrase{field: int(kind >> 1), exclude: kind&1 == 1}
	p.text = string(r.take(r.count(1)))
	n := r.count(1)
	if r.bad || p.field > inBody || n == 0 {
		r.bad = true
		return
	}
	p.stems = make([]uint32, n)
	for i := range p.stems {
		p.stems[i] = uint32(r.number(uint64(len(x.worth))))
	}
	x.signals.phrases = append(x.signals.phrases, p)
}
