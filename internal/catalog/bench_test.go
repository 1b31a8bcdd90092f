package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/skill"
)

// The benchmarks run on the folder that KNACK_CORPUS names, else on a tree of
// KNACK_SKILLS generated skills (2,500 if it is not set), with the parser and
// the gate of the native host. Compare "best-µs" with what reading or stating
// the same files costs by itself.

// native has the rules of the native host, one root, and the machine's own
// environment.
func native(tb testing.TB, root string) catalog.Options {
	tb.Helper()
	profile, err := host.Load(host.Native)
	if err != nil {
		tb.Fatal(err)
	}
	parser, err := format.New(profile.Format)
	if err != nil {
		tb.Fatal(err)
	}
	checker, err := gate.New(profile.Gate)
	if err != nil {
		tb.Fatal(err)
	}
	return catalog.Options{
		Roots: []catalog.Root{{Path: root, Class: "user", Trust: skill.Trusted, Depth: 4, Links: catalog.ContainedLinks}},
		Rules: profile.Discover, Parser: parser, Gate: checker,
		Env: func() *gate.Environment {
			return gate.Machine(os.Environ(), "/nowhere", runtime.GOOS, func(string) bool { return false })
		},
		Now: time.Now, Fingerprint: "bench",
	}
}

func newCatalog(tb testing.TB, opt catalog.Options) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func benchRoot(b *testing.B) string {
	if root := os.Getenv("KNACK_CORPUS"); root != "" {
		return root
	}
	count := 2500
	if n, err := strconv.Atoi(os.Getenv("KNACK_SKILLS")); err == nil {
		count = n
	}
	root := filepath.Join(os.TempDir(), fmt.Sprintf("knack-bench-%d", count))
	generate(b, root, count)
	return root
}

// generate makes a tree of skills in groups of a thousand, unless it is there.
func generate(tb testing.TB, root string, count int) {
	done := filepath.Join(root, ".complete")
	if _, err := os.Stat(done); err == nil {
		return
	}
	body := strings.Repeat("Some text that a model would read.\n", 140) // real skills have 5 KB
	for i := range count {
		dir := filepath.Join(root, fmt.Sprintf("group-%03d", i/1000), fmt.Sprintf("skill-%06d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: skill-%06d\ndescription: Does the thing with number %d, whenever somebody asks for it.\nlicense: MIT\n---\n\n%s", i, i, body)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
}

func benchLoad(b *testing.B, c *catalog.Catalog) {
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
	b.ReportMetric(float64(best.Nanoseconds())/float64(max(entries, 1)), "best-ns/skill")
}

func BenchmarkLoad(b *testing.B) {
	benchLoad(b, newCatalog(b, native(b, benchRoot(b))))
}

func BenchmarkReload(b *testing.B) {
	opt := native(b, benchRoot(b))
	opt.Index = filepath.Join(b.TempDir(), "index")
	c := newCatalog(b, opt)
	for range 2 { // the second writes what was too new for the first
		if _, err := c.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	benchLoad(b, c)
}
