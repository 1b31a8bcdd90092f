package route

import (
	"cmp"
	"slices"
)

// tally adds up the matches of kinds that share a cap.
type tally struct {
	sum, most float64
	tell      func(Match) // nil if nobody asks why
}

func (t *tally) add(weight float64, kind, field, text string) {
	t.sum += weight
	if t.tell != nil && weight > 0 {
		t.tell(Match{Kind: kind, Field: field, Text: text, Weight: weight})
	}
}

// full says that further matches change nothing.
func (t *tally) full() bool { return t.tell == nil && t.sum >= t.most }

func (t *tally) total() float64 { return min(t.sum, t.most) }

// score is how well a skill fits a message; 0 is not at all. What a skill
// excludes outweighs everything. tell is told of every match.
func (d *declared) score(m *message, at int, named float64, tell func(Match)) float64 {
	c := &d.pool[at]
	for i := range c.exclude {
		if m.low.has(&c.exclude[i]) {
			return 0
		}
	}
	total := d.keywords(m, c, tell) + d.tags(m, c, tell) + d.patterns(m, c, tell)
	if total > 0 || d.mentions == nil {
		return total
	}
	if tell != nil {
		d.tellMentions(m, at, tell)
	}
	return min(named, d.most[fallback])
}

func (d *declared) keywords(m *message, c *candidate, tell func(Match)) float64 {
	sum := tally{most: d.most[byKeyword], tell: tell}
	for i := range c.keywords {
		keyword := &c.keywords[i]
		if sum.full() {
			break
		}
		if !m.low.has(keyword) {
			continue // a whole word is a substring too
		}
		weight := d.give[substring]
		if d.whole(m, keyword.text) {
			weight = d.give[exact]
		}
		sum.add(weight, "keyword", "activation.keywords", keyword.written)
	}
	return sum.total()
}

func (d *declared) tags(m *message, c *candidate, tell func(Match)) float64 {
	sum := tally{most: d.most[byTag], tell: tell}
	for i := range c.tags {
		if tag := &c.tags[i]; m.low.has(tag) {
			sum.add(d.give[byTag], "tag", "activation.tags", tag.written)
		}
	}
	return sum.total()
}

func (d *declared) patterns(m *message, c *candidate, tell func(Match)) float64 {
	sum := tally{most: d.most[byPattern], tell: tell}
	for _, p := range c.patterns {
		if sum.full() {
			break
		}
		if p.matches(m) {
			sum.add(d.give[byPattern], "pattern", "activation.patterns", p.written)
		}
	}
	return sum.total()
}

// mention is how often a skill's name and description have a word.
type mention struct{ at, name, description int }

// mentionsOf says of every word which skills mention it, in their order.
func mentionsOf(pool []candidate) map[string][]mention {
	out := map[string][]mention{}
	count := func(at int, word string) *mention {
		list := out[word]
		if len(list) == 0 || list[len(list)-1].at != at {
			list = append(list, mention{at: at})
			out[word] = list
		}
		return &list[len(list)-1]
	}
	for at := range pool {
		s := pool[at].skill
		if pool[at].asked {
			continue
		}
		for _, word := range telling(s.Name) {
			count(at, word).name++
		}
		for _, word := range telling(s.Description.Raw()) {
			count(at, word).description++
		}
	}
	return out
}

// telling are the words of a text that tell skills apart.
func telling(text string) []string {
	return slices.DeleteFunc(parts(lower(text)), isCommon)
}

// isCommon: words that say nothing of what a skill is for.
func isCommon(word string) bool {
	switch word {
	case "the", "and", "for", "with", "from", "this", "that", "use", "using", "when", "into", "your",
		"you", "are", "was", "not", "but", "all", "any", "its", "how", "why", "via":
		return true
	}
	return false
}

// named is what every skill's name and description have of a message, uncapped.
func (d *declared) named(m *message) []float64 {
	out := make([]float64, len(d.pool))
	if d.mentions == nil {
		return out
	}
	for _, word := range distinct(parts(m.low.text)) {
		for _, in := range d.mentions[word] {
			out[in.at] += d.give[byName]*float64(in.name) + d.give[description]*float64(in.description)
		}
	}
	return out
}

func (d *declared) tellMentions(m *message, at int, tell func(Match)) {
	for _, word := range distinct(parts(m.low.text)) {
		list := d.mentions[word]
		i, found := slices.BinarySearchFunc(list, at, func(in mention, at int) int { return cmp.Compare(in.at, at) })
		if !found {
			continue
		}
		for field, times := range [...]int{list[i].name, list[i].description} {
			kind := [...]string{byName, description}[field]
			if weight := d.give[kind] * float64(times); weight > 0 {
				tell(Match{Kind: "word", Field: kind, Text: word, Weight: weight})
			}
		}
	}
}

// distinct keeps the first of equal words, in their order.
func distinct(words []string) []string {
	seen := make(map[string]bool, len(words))
	return slices.DeleteFunc(words, func(word string) bool {
		if seen[word] {
			return true
		}
		seen[word] = true
		return false
	})
}
