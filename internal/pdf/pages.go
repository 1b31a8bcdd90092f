package pdf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	library "github.com/ledongthuc/pdf"

	"github.com/knackhq/knack/internal/wording"
)

// span is a range of pages, both ends included.
type span struct{ from, to int }

type spans []span

const maxSpans = 100 // more than anyone writes

// parseSpans reads "1-3,7,9-". Nothing is all pages.
func parseSpans(text string) (spans, error) {
	if strings.TrimSpace(text) == "" {
		return spans{{1, math.MaxInt}}, nil
	}
	wrong := fmt.Errorf("%w: %s; write them as 1-3,7", ErrPages, wording.Quote(wording.Name(text)))
	var out spans
	for field := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(field), "-")
		a, err := strconv.Atoi(strings.TrimSpace(from))
		b := a
		if to = strings.TrimSpace(to); err == nil && ranged {
			if b = math.MaxInt; to != "" {
				b, err = strconv.Atoi(to)
			}
		}
		if err != nil || a < 1 || b < a || len(out) == maxSpans {
			return nil, wrong
		}
		out = append(out, span{a, b})
	}
	return out, nil
}

// choose are the pages of a document that has so many, in its order.
func (s spans) choose(count int) ([]int, error) {
	for _, one := range s {
		if one.from > count && (one.from > 1 || one.to < math.MaxInt) {
			return nil, fmt.Errorf("%w: there is no page %d; it has %d", ErrPages, one.from, count)
		}
	}
	var out []int
	for n := 1; n <= count; n++ {
		for _, one := range s {
			if one.from <= n && n <= one.to {
				out = append(out, n)
				break
			}
		}
	}
	return out, nil
}

// spansOf are the ranges of ascending numbers.
func spansOf(numbers []int) (out spans) {
	for _, n := range numbers {
		if last := len(out) - 1; last >= 0 && out[last].to == n-1 {
			out[last].to = n
		} else {
			out = append(out, span{n, n})
		}
	}
	return out
}

func (s spans) String() string {
	var parts []string
	for _, one := range s {
		text := strconv.Itoa(one.from)
		if one.to > one.from {
			text += "-" + strconv.Itoa(one.to)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

const (
	maxPages = 20_000 // longer than any book; the nodes above them count too
	maxDepth = 64     // of the tree of pages, which is balanced
)

// page is one page, with the resources that it has or inherits.
type page struct {
	value, resources library.Value
	work             *budget
}

// pages walks the tree of pages. What a node says of the number of pages below
// it is not believed.
func (f *file) pages() (out []page, err error) {
	nodes := 0
	var walk func(node, resources library.Value, depth int) error
	walk = func(node, resources library.Value, depth int) error {
		if nodes++; nodes > maxPages || depth > maxDepth {
			return fmt.Errorf("%w: it has too many pages, or pages that contain each other", ErrDamaged)
		}
		if own := node.Key("Resources"); !own.IsNull() {
			resources = own
		}
		kids := node.Key("Kids")
		if kids.Kind() != library.Array {
			if node.Kind() == library.Dict {
				out = append(out, page{node, resources, f.work})
			}
			return nil
		}
		for i := range kids.Len() {
			if err := walk(kids.Index(i), resources, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	err = guard(func() error {
		return walk(f.reader.Trailer().Key("Root").Key("Pages"), library.Value{}, 0)
	})
	switch {
	case err == nil && len(out) == 0:
		err = fmt.Errorf("%w: it has no pages", ErrDamaged)
	case err != nil && !errors.Is(err, ErrWork) && !errors.Is(err, ErrDamaged):
		err = fmt.Errorf("%w: %s", ErrDamaged, wording.Name(err.Error()))
	}
	return out, err
}

// text is what a page says, in at most about so many bytes. With an error it is
// what was read before that; [errEnough] is that there is more.
func (p page) text(most int) (string, error) {
	c := &canvas{most: most, work: p.work}
	var streams []library.Value
	failed := guard(func() error {
		streams = p.streams()
		return nil
	})
	for _, stream := range streams {
		err := guard(func() error {
			c.run(stream, p.resources, 0)
			return nil
		})
		if errors.Is(err, errEnough) || errors.Is(err, ErrWork) {
			failed = err
			break
		}
		if failed == nil {
			failed = err
		}
	}
	return strings.TrimSpace(c.text.String()), failed
}

// streams are the contents of a page. They are followed one by one, so that what
// is wrong with one leaves the others.
func (p page) streams() []library.Value {
	contents := p.value.Key("Contents")
	switch contents.Kind() {
	case library.Stream:
		return []library.Value{contents}
	case library.Array:
		out := make([]library.Value, contents.Len())
		for i := range out {
			out[i] = contents.Index(i)
		}
		return out
	}
	return nil
}
