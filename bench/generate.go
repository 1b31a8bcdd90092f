package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// Generated skills resemble published ones in what costs a loader time. The
// figures were counted over 2,451 skills of a public registry.
const (
	medianBytes = 3_400 // of SKILL.md
	// spread is the standard deviation of the logarithm of the size. It puts
	// 95 % of the files below 15.6 KB and 99 % below 28 KB, as counted.
	spread   = 0.92
	minBytes = 200
	maxBytes = 128 << 10 // the largest that was published
	// smallBytes replaces the median in the small profile, for machines where
	// 100,000 skills of the usual size, half a gigabyte, are too many.
	smallBytes = 400

	medianDescription = 157
	spreadDescription = 0.63 // 95 % below 443 characters

	bareShare       = 0.05 // no frontmatter at all
	metadataShare   = 0.37
	yamlShare       = 0.20 // of the metadata: a YAML block, else one line of JSON
	colonShare      = 0.02 // a description with ": " that nobody quoted
	crlfShare       = 0.02
	renamedShare    = 0.22 // declared name is not the folder's
	scriptsShare    = 0.28
	referencesShare = 0.17
	tomlShare       = 0.01
	sharedName      = 40 // every 40th has the name of the one before
)

// corpusProfile says what kind of skills to generate.
type corpusProfile struct {
	Seed  uint64
	Small bool
}

// genFile is one file of a generated skill, relative to the corpus.
type genFile struct {
	path string
	data []byte
}

// generate writes n skills below dir. The same profile gives the same bytes on
// every machine, whatever the number of workers.
func generate(dir string, n int, profile corpusProfile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	g := newGenerator(profile)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				for _, f := range g.skill(i) {
					if err := writeFile(filepath.Join(dir, f.path), f.data); err != nil {
						failed.Store(&err)
						return
					}
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		return fmt.Errorf("generate %d skills: %w", n, *err)
	}
	return nil
}

func writeFile(path string, data []byte) error {
	err := os.WriteFile(path, data, 0o644)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
	}
	return err
}

// generator makes skills. Bodies are cut from one long text, since what they say
// costs a loader nothing and making it up would cost most of the time.
type generator struct {
	profile corpusProfile
	prose   []byte
}

func newGenerator(profile corpusProfile) *generator {
	w := writer{rand: rand.New(rand.NewPCG(profile.Seed, math.MaxUint64))}
	w.markdown(2 * maxBytes)
	return &generator{profile, w.out}
}

// skill makes the i-th skill of a corpus.
func (g *generator) skill(i int) []genFile {
	r := rand.New(rand.NewPCG(g.profile.Seed, uint64(i)))
	w := writer{rand: r}
	folder := skillName(i)
	declared := folder
	switch {
	case i%sharedName == 1:
		declared = skillName(i - 1)
	case w.chance(renamedShare):
		declared = w.pick(words[:]) + "-" + folder
	}
	median := float64(medianBytes)
	if g.profile.Small {
		median = smallBytes
	}
	size := w.logNormal(median, spread, minBytes, maxBytes)

	bare := w.chance(bareShare)
	if !bare {
		w.frontmatter(declared)
	}
	w.printf("# %s\n\n", declared)
	data := g.body(w.out, size, r)
	if w.chance(crlfShare) {
		data = withCRLF(data)
	}
	files := []genFile{{filepath.Join(folder, "SKILL.md"), data}}
	if w.chance(scriptsShare) {
		script := fmt.Appendf(nil, "#!/bin/sh\n# %s\necho %q\n", w.sentence(), folder)
		files = append(files, genFile{filepath.Join(folder, "scripts", "run.sh"), script})
	}
	if w.chance(referencesShare) {
		files = append(files, genFile{filepath.Join(folder, "references", "details.md"), g.body([]byte("# Reference\n\n"), 1500, r)})
	}
	if w.chance(tomlShare) {
		manifest := fmt.Appendf(nil, "name = %q\ndescription = %q\nversion = \"0.1.0\"\ntags = [\"generated\"]\n\n"+
			"[[tools]]\nname = \"run\"\ndescription = \"Run it\"\nkind = \"shell\"\ncommand = \"sh ./scripts/run.sh\"\n", declared, w.sentence())
		files = append(files, genFile{filepath.Join(folder, "SKILL.toml"), manifest})
	}
	return files
}

// body appends text to data until it has size bytes.
func (g *generator) body(data []byte, size int, r *rand.Rand) []byte {
	need := max(size-len(data), 1)
	start := r.IntN(len(g.prose) - need)
	if line := bytes.IndexByte(g.prose[start:len(g.prose)-need], '\n'); line >= 0 {
		start += line + 1
	}
	data = append(data, g.prose[start:start+need-1]...)
	return append(data, '\n')
}

func skillName(i int) string {
	return fmt.Sprintf("%s-%s-%06d", words[i%len(words)], words[(i/len(words)*7+3)%len(words)], i)
}

func (w *writer) logNormal(median, spread, low, high float64) int {
	return int(math.Min(math.Max(median*math.Exp(spread*w.rand.NormFloat64()), low), high))
}
