package catalog

import (
	"os"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// silentParser makes nothing of what it is given.
type silentParser struct{ *fakeParser }

func (silentParser) Parse(slug string, _ []format.Source) format.Result {
	return format.Result{Usable: true, Skill: skill.Skill{Name: slug, Slug: slug}}
}

// BenchmarkAlone tells what finding and reading cost without parsing. It needs
// KNACK_CORPUS.
func BenchmarkAlone(b *testing.B) {
	root := os.Getenv("KNACK_CORPUS")
	if root == "" {
		b.Skip("KNACK_CORPUS is not set")
	}
	f := newFixture(b)
	f.opt.Roots[0].Path = root
	c, err := newCatalog(f.opt, silentParser{newFakeParser()}, fakeGate{})
	if err != nil {
		b.Fatal(err)
	}
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		f.loadFrom(c)
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Microseconds()), "best-µs")
}
