package route

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/knackhq/knack/skill"
)

// The fields of a skill, those that say most first: a posting keeps the first
// that has the stem.
const (
	inName = iota
	inTriggers
	inKeywords
	inTags
	inDescription
	inBody
)

// field says how much an occurrence in a field counts.
type field struct {
	name, kind string
	weight     float64
	// usual is the length in stems that the field has in the background, and
	// slope how much a longer one is held against it.
	usual, slope float64
}

// fields are in that order. The weights were picked from a few on the requests of
// the development set, without cross-validation: differences were within noise.
var fields = [...]field{
	inName:        {"name", "name", 3, 3, 0.3},
	inTriggers:    {"triggers", "trigger", 2, 8, 0.3},
	inKeywords:    {"keywords", "keyword", 2, 8, 0.3},
	inTags:        {"tags", "tag", 2, 5, 0.3},
	inDescription: {"description", "word", 1.25, 24, 0.5},
	inBody:        {"body", "word", 0.5, 420, 0.5},
}

const (
	// saturation is BM25's k1: how soon more occurrences stop counting.
	saturation = 1.2
	// longestBody is what is read of a body: what a skill is about shows in its
	// first pages, and a long reference would match everything.
	longestBody = 14 << 10
	// mostSkills is what 24 bits of a posting can name.
	mostSkills = 1 << 24
)

// posting says that a skill has a stem, how much it speaks of it, and where: 24
// bits, 5 bits and 3.
type posting uint32

const mostImpact = 31

func (p posting) skill() uint32 { return uint32(p >> 8) }
func (p posting) impact() int32 { return int32(p >> 3 & mostImpact) }
func (p posting) field() int    { return int(p & 7) }

// ranked is an inverted index. Stems are sorted, so that one is found by
// halving; a stem's postings are sorted by skill, so that a skill is.
type ranked struct {
	rules  Rules
	skills int

	stems  []byte    // one after the other
	ends   []uint32  // where the n-th begins; one more than there are stems
	worth  []float32 // by stem
	starts []uint32  // where its postings begin; one more than there are stems
	posts  []posting

	// unseen is what a stem is worth that neither library nor background has.
	unseen float32
	// named is what the stems of a skill's name are worth together.
	named []float32
	// twins has the first of the skills that say the same, by skill.
	twins   []uint32
	signals signals
	heads   []uint32 // stems that occur in a head: what a typo may have meant
	spare   spare
}

// builder gathers the postings of skills.
type builder struct {
	split splitter
	ids   map[string]uint32
	names []string
	hash  []uint32 // by stem, for sketches
	// Of the skill at hand: the stems it has, and how often by field.
	touched []uint32
	counts  [][len(fields)]uint16 // by stem
	lengths [len(fields)]float64
	at      int

	posts  []uint64 // stem<<32, and a posting
	named  [][]uint32
	sketch []sketch
}

func (b *builder) id(stem []byte) uint32 {
	id, known := b.ids[string(stem)]
	if !known {
		id = uint32(len(b.names))
		name := string(stem)
		b.ids[name] = id
		b.names = append(b.names, name)
		b.hash = append(b.hash, uint32(hashOf(name)>>32))
		b.counts = append(b.counts, [len(fields)]uint16{})
	}
	return id
}

// count is told every stem of the field at hand.
func (b *builder) count(stem []byte) {
	id := b.id(stem)
	c := &b.counts[id]
	if *c == [len(fields)]uint16{} {
		b.touched = append(b.touched, id)
	}
	if c[b.at] < 1<<15 {
		c[b.at]++
	}
	b.lengths[b.at]++
}

func (b *builder) read(at int, text string) {
	b.at = at
	b.split.split(text)
}

// add reads one skill.
func (b *builder) add(n int, s *skill.Skill) {
	b.touched, b.lengths = b.touched[:0], [len(fields)]float64{}
	b.read(inName, s.Name)
	b.read(inDescription, s.Description.Raw())
	for _, t := range s.Triggers {
		b.read(inTriggers, t)
	}
	for _, k := range s.Activation.Keywords {
		b.read(inKeywords, k)
	}
	for _, t := range s.Activation.Tags {
		b.read(inTags, t)
	}
	for _, t := range s.Tags {
		b.read(inTags, t)
	}
	b.read(inTags, s.Category)
	left := longestBody
	for _, t := range s.Tools {
		b.read(inBody, t.Name)
		left -= b.readSome(t.Description, left)
	}
	for _, p := range s.Prompts {
		left -= b.readSome(p, left)
	}
	b.readSome(s.Body, left)
	b.finish(n)
}

func (b *builder) readSome(t skill.Text, most int) int {
	text := t.Raw()
	text = text[:min(len(text), max(most, 0))]
	b.read(inBody, text)
	return len(text)
}

// finish makes postings of what was counted and forgets it.
func (b *builder) finish(n int) {
	var norm [len(fields)]float64
	for i, f := range fields {
		norm[i] = f.weight / (1 - f.slope + f.slope*b.lengths[i]/f.usual)
	}
	var name []uint32
	for _, id := range b.touched {
		c := &b.counts[id]
		sum, first := 0.0, -1
		for i := range c {
			if c[i] > 0 {
				sum += float64(c[i]) * norm[i]
				if first < 0 {
					first = i
				}
			}
		}
		*c = [len(fields)]uint16{}
		impact := max(1, uint64(mostImpact*sum/(sum+saturation)+0.5))
		b.posts = append(b.posts, uint64(id)<<32|uint64(n)<<8|impact<<3|uint64(first))
		if first == inName {
			name = append(name, id)
		}
	}
	b.named = append(b.named, name)
	b.sketch = append(b.sketch, sketchOf(b.hash, b.touched))
}

func newRanked(rules Rules, skills []*skill.Skill) (Chooser, error) {
	return index(rules, skills, background(), nil)
}

// index makes a chooser of skills before a background. What was read before is
// taken from there.
func index(rules Rules, skills []*skill.Skill, behind map[string]float64, before *earlier) (Chooser, error) {
	if len(skills) >= mostSkills {
		return nil, fmt.Errorf("%d skills are more than an index can name; split the library", len(skills))
	}
	b := &builder{ids: make(map[string]uint32, 1<<14)}
	b.split.emit = b.count
	for n, s := range skills {
		if !before.carry(b, n) {
			b.add(n, s)
		}
	}
	for stem := range behind {
		b.id([]byte(stem))
	}
	x := &ranked{rules: rules, skills: len(skills), unseen: rarity(0, len(skills), rareIn)}
	rank := x.order(b)
	x.post(b, rank)
	x.weigh(behind)
	x.named = make([]float32, len(skills))
	for n, name := range b.named {
		for i, id := range name {
			name[i] = rank[id]
		}
		slices.Sort(name) // sums of fractions depend on their order
		for _, stem := range name {
			x.named[n] += x.worth[stem]
		}
	}
	x.twins = findTwins(skills, b.sketch)
	x.signals = x.readSignals(skills)
	return x, nil
}

// order sorts the stems and returns the place of each by its number.
func (x *ranked) order(b *builder) []uint32 {
	sorted := make([]uint32, len(b.names))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, c uint32) int { return bytes.Compare([]byte(b.names[a]), []byte(b.names[c])) })
	rank := make([]uint32, len(sorted))
	x.ends = make([]uint32, 1, len(sorted)+1)
	for place, id := range sorted {
		rank[id] = uint32(place)
		x.stems = append(x.stems, b.names[id]...)
		x.ends = append(x.ends, uint32(len(x.stems)))
	}
	return rank
}

// post sorts the postings by stem; by skill they are sorted already.
func (x *ranked) post(b *builder, rank []uint32) {
	x.starts = make([]uint32, len(rank)+1)
	for _, p := range b.posts {
		x.starts[rank[p>>32]+1]++
	}
	for i := range rank {
		x.starts[i+1] += x.starts[i]
	}
	next := slices.Clone(x.starts)
	x.posts = make([]posting, len(b.posts))
	for _, p := range b.posts {
		at := &next[rank[p>>32]]
		x.posts[*at] = posting(p)
		*at++
	}
}

// weigh says what each stem is worth, and which a typo may have meant.
func (x *ranked) weigh(behind map[string]float64) {
	x.worth = make([]float32, len(x.ends)-1)
	for i := range x.worth {
		from, to := x.starts[i], x.starts[i+1]
		in, general := behind[string(x.stem(i))]
		if !general {
			in = rareIn
		}
		x.worth[i] = rarity(int(to-from), x.skills, in)
		if slices.ContainsFunc(x.posts[from:to], func(p posting) bool { return p.field() != inBody }) {
			x.heads = append(x.heads, uint32(i))
		}
	}
}
