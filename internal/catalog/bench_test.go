package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/knackhq/knack/skill"
)

// The benchmarks run on the folder that KNACK_CORPUS names, else on a tree of
// KNACK_SKILLS generated skills (2,500 if it is not set). Compare them with
// what reading or stating the same files costs by itself.

func benchFixture(b *testing.B) *fixture {
	f := newFixture(b)
	root := os.Getenv("KNACK_CORPUS")
	if root == "" {
		count := 2500
		if n, err := strconv.Atoi(os.Getenv("KNACK_SKILLS")); err == nil {
			count = n
		}
		root = filepath.Join(os.TempDir(), fmt.Sprintf("knack-bench-%d", count))
		generate(b, root, count)
	}
	f.opt.Roots[0].Path = root
	f.now = time.Now
	return f
}

// generate makes a tree of skills in groups of a thousand, unless it is there.
func generate(tb testing.TB, root string, count int) {
	done := filepath.Join(root, ".complete")
	if _, err := os.Stat(done); err == nil {
		return
	}
	body := strings.Repeat("Some text that a model would read.\n", 140) // the corpus has 5 KB a skill
	for i := range count {
		dir := filepath.Join(root, fmt.Sprintf("group-%03d", i/1000), fmt.Sprintf("skill-%06d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: skill-%d\ndescription: Does the thing with number %d, whenever somebody asks for it.\nlicense: MIT\n---\n\n%s", i, i, body)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
}

func benchLoad(b *testing.B, c *Catalog) {
	b.ReportAllocs()
	var entries int
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		s, err := c.Load(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
		entries = len(s.Entries)
	}
	b.ReportMetric(float64(entries), "skills")
	b.ReportMetric(float64(best.Microseconds()), "best-µs")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(entries, 1)), "ns/skill")
}

func BenchmarkLoad(b *testing.B) {
	f := benchFixture(b)
	benchLoad(b, f.benchCatalog())
}

func BenchmarkReload(b *testing.B) {
	f := benchFixture(b)
	f.opt.Index = filepath.Join(f.dir, "index")
	c := f.benchCatalog()
	if _, err := c.Load(b.Context()); err != nil {
		b.Fatal(err)
	}
	benchLoad(b, c)
}

func (f *fixture) benchCatalog() *Catalog {
	c := f.catalog()
	c.workers = defaultWorkers()
	if n, err := strconv.Atoi(os.Getenv("KNACK_WORKERS")); err == nil {
		c.workers = n
	}
	return c
}

var _ = skill.Ready
