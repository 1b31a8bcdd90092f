package format

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"path"
	"strconv"
	"strings"
	"unsafe"

	"github.com/knackhq/knack/skill"
)

// manifest is a file name that the rules know, and how such a file is read.
type manifest struct {
	name string
	kind manifestKind
	// lesser marks another spelling of an earlier name: it is read only if no
	// file of that name is there.
	lesser bool
}

// foreignTOML is the one TOML file that other tools write too. It is a skill's
// manifest only if it has a [skill] table.
const foreignTOML = "manifest.toml"

func (p *Parser) resolveManifests() error {
	if len(p.rules.Manifests) == 0 {
		return fmt.Errorf("format.manifests is empty; name at least one file")
	}
	markdown := false
	for _, name := range p.rules.Manifests {
		m := manifest{name: name}
		switch lower := strings.ToLower(name); {
		case lower == foreignTOML:
			m.kind = inManifestTOML
		case path.Ext(lower) == ".toml":
			m.kind = inSkillTOML
		case path.Ext(lower) == ".md":
			m.lesser, markdown = markdown, true
		default:
			return fmt.Errorf("format.manifests has %q; a manifest's name ends in .md or .toml", name)
		}
		p.manifests = append(p.manifests, m)
	}
	return nil
}

// Rank reports whether a file of that name is a manifest, its place in the
// order of precedence (0 wins), and whether it is spelled the usual way.
func (p *Parser) Rank(file string) (rank int, usual, ok bool) {
	for i := range p.manifests {
		m := &p.manifests[i]
		// Equal length first: it decides nearly always, and keeps out letters
		// beyond ASCII that fold to one of the name's.
		if len(file) != len(m.name) {
			continue
		}
		if file == m.name {
			return i, !m.lesser, true
		}
		if p.rules.AnyCase && strings.EqualFold(file, m.name) {
			return i, false, true
		}
	}
	return 0, false, false
}

// choice is a file that was chosen to be read.
type choice struct {
	Source
	rank  int
	usual bool
}

// beats decides between two files that mean the same manifest.
func (c *choice) beats(other *choice) bool {
	if c.usual != other.usual {
		return c.usual
	}
	return c.File < other.File
}

// choose picks from a folder's files those to read, in order of precedence.
func (r *reading) choose(sources []Source, chosen []choice) []choice {
	for _, source := range sources {
		rank, usual, ok := r.parser.Rank(source.File)
		if !ok {
			continue
		}
		c := choice{source, rank, usual}
		at := 0
		for at < len(chosen) && chosen[at].rank < rank {
			at++
		}
		switch {
		case at == len(chosen) || chosen[at].rank > rank:
			chosen = append(chosen, choice{})
			copy(chosen[at+1:], chosen[at:])
			chosen[at] = c
		case c.beats(&chosen[at]):
			r.duplicate(chosen[at].File, source.File)
			chosen[at] = c
		default:
			r.duplicate(source.File, chosen[at].File)
		}
	}
	return r.withoutLesser(chosen)
}

func (r *reading) withoutLesser(chosen []choice) []choice {
	kept, markdown := chosen[:0], ""
	for _, c := range chosen {
		m := &r.parser.manifests[c.rank]
		if m.lesser && markdown != "" {
			r.duplicate(c.File, markdown)
			continue
		}
		if m.kind == inMarkdown {
			markdown = c.File
		}
		if !c.usual {
			r.file = c.File
			r.report(skill.FileName, 0, "other hosts do not read a file of this name",
				"rename it to "+r.parser.usualName(c.rank))
		}
		kept = append(kept, c)
	}
	return kept
}

// usualName is the name that every host reads: the manifest's own, or the one
// of which it is a lesser spelling.
func (p *Parser) usualName(rank int) string {
	if p.manifests[rank].lesser {
		return p.markdownName()
	}
	return p.manifests[rank].name
}

// markdownName is the name of the file that holds instructions.
func (p *Parser) markdownName() string {
	for _, m := range p.manifests {
		if m.kind == inMarkdown {
			return m.name
		}
	}
	return p.manifests[0].name
}

func (r *reading) duplicate(loser, winner string) {
	r.file = loser
	r.report(skill.FileDuplicate, 0, "this file means the same as "+winner+", which was read instead",
		"delete one of the two")
}

// leave tells of files that the rules read only where there is no better one.
func (r *reading) leave(rest []choice) {
	for i := range rest {
		r.file, r.remarks = rest[i].File, 0
		r.report(skill.ManifestConflict, 0, "this file is not read beside "+r.skill().Format, "move what it says there")
	}
}

// outcome is what became of a file.
type outcome uint8

const (
	wasRead    outcome = iota
	wasForeign         // it is not a skill's manifest
	wasBroken
)

// manifest reads one file into the skill. of is how many there are.
func (r *reading) manifest(c *choice, of int) outcome {
	r.begin(c.File, c.rank)
	defer r.end()
	if limit := r.parser.rules.Limits.FileBytes; int64(len(c.Data)) > limit {
		r.report(skill.FileTooLarge, 0, r.parser.words("size", strconv.Itoa(len(c.Data)),
			fmt.Sprintf("the file has %d bytes; the limit is %d", len(c.Data), limit)),
			"move what is not needed at once into files that it refers to")
		r.skill().Requires.Unreadable = true
		return wasBroken
	}
	source := c.Source
	if !source.Lent {
		source.Data = bytes.Clone(source.Data)
	}
	if read := r.read(source); read != wasRead {
		return read
	}
	s := r.skill()
	if s.Format == "" {
		s.Format = c.File
		s.Manifests = make([]skill.Manifest, 0, of)
	} else {
		s.Format += "+" + c.File
	}
	s.Manifests = append(s.Manifests, skill.Manifest{File: c.File, Size: int64(len(c.Data)), Sum: contentSum(c.Data)})
	return wasRead
}

// read reads a file by its kind.
func (r *reading) read(source Source) outcome {
	if r.kind == inMarkdown {
		return r.markdown(source)
	}
	return r.toml(source)
}

// view is a string that shares the memory of bytes that will not change.
func view(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// contentSum joins the two checksums that processors compute as fast as memory
// delivers: every body is summed at every load, where SHA-256 cost a tenth of
// it all. What a skill is trusted by is its digest, not this.
func contentSum(data []byte) uint64 {
	return uint64(crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))<<32 | uint64(crc32.ChecksumIEEE(data))
}

// markdown reads a SKILL.md. Unless the rules are strict there is none that
// could not be read: one without frontmatter is instructions.
func (r *reading) markdown(source Source) outcome {
	h := r.parser.readHead(&r.store, source.File, source.Data, r.parser.rules.Limits)
	r.result.Diagnostics = append(r.result.Diagnostics, h.diagnostics...)
	r.result.Repairs = append(r.result.Repairs, h.repairs...)
	if h.fields != nil {
		r.fields(h.fields)
	}
	for _, key := range h.unreadable {
		r.lost(key, h.diagnostics)
	}
	if h.refused != "" {
		r.refuse(&h)
		return wasBroken
	}
	if h.fields == nil {
		r.headless()
	}
	r.skill().Body = skill.NewText(h.body)
	return wasRead
}
