// Package format turns the manifests of a skill's folder into a [skill.Skill].
//
// A skill is written for one of several systems, each with its own files and
// spellings. This package knows them all and reads them into one vocabulary,
// so that nobody after it asks which dialect a skill came from:
//
//   - SKILL.md: frontmatter in YAML, then instructions in Markdown. Its
//     metadata, a map or a text that holds JSON, JSON5 or YAML, states
//     requirements and installers under one of several namespaces.
//   - SKILL.toml: flat keys or a [skill] table, with tools, prompts and install
//     recipes.
//   - manifest.toml: a [skill] table. Without one it belongs to something else.
//
// Manifests are read in order of precedence, and a field that one has set is
// not changed by a later one. Requirements are the exception: those of all
// manifests and namespaces count together, so that a further file can never
// open a gate. What cannot be read is reported, and where it could have held
// requirements the skill is marked [skill.Requirements].Unreadable.
//
// A parser made by [New] reads like that: [Rules] that let everything through
// are those of the native profile. Stricter rules make it overlook what another
// host overlooks, and [NewAs] makes a parser that behaves as that host: its
// reading is the host's, but what restricts a skill counts as the native reading
// found it, for a requirement that a host overlooks is still one.
// [Parser.Losses] tells an author what such a host makes of a skill.
//
// [Parser.Parse] is pure: no I/O, no clock, the same result for the same bytes.
// It reads hostile files, so everything it does is bounded by [Limits].
package format

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// Parser turns manifests into skills under one set of rules. It keeps no state
// between calls and may be used by many goroutines.
type Parser struct {
	rules     Rules
	manifests []manifest
	fields    *[fieldCount]fieldRule
	spellings map[string]spelling // every documented spelling of a field
	folded    map[string]spelling // the same without case, hyphens and underscores
	names     []string            // the documented spellings in order
	gates     []string            // those of them that restrict a skill
	foreign   map[string]bool     // folded keys of other tools
	name      *regexp.Regexp      // nil for any
	reads     []*readable         // by manifest; nil for all keys
	required  map[string]bool
	full      *Parser // reads what restricts, if this one behaves as another host

	// readings are those of earlier calls: each is two kilobytes, and as many
	// as its nodes take, that would else be made anew for every skill of a
	// library.
	readings sync.Pool

	wantsMore func(read int) bool // Rules.Merge
	goesOn    bool                // Rules.OnError
	readHead  headReader          // Rules.Frontmatter
	dialect   tomlDialect         // Rules.TOML
	exact     bool                // Rules.Keys
	declared  bool                // Rules.Identity

	describe   func(body string) string // Rules.Describe
	installers installReader            // Rules.Install
}

// New checks the rules and resolves their strategy names.
func New(rules Rules) (*Parser, error) {
	p := &Parser{rules: rules}
	for _, resolve := range [...]func() error{
		p.checkLimits, p.resolveStrategies, p.resolveManifests, p.resolveFields, p.resolveReads, p.resolveRequired,
	} {
		if err := resolve(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Parser) checkLimits() error {
	limits := &p.rules.Limits
	for _, must := range [...]struct {
		knob  string
		value int64
	}{
		{"file_bytes", limits.FileBytes},
		{"frontmatter_bytes", int64(limits.FrontmatterBytes)},
		{"depth", int64(limits.Depth)},
		{"nodes", int64(limits.Nodes)},
	} {
		if must.value <= 0 {
			return fmt.Errorf("format.limits.%s is %d; it must be set and above 0", must.knob, must.value)
		}
	}
	if limits.NamePattern == "" {
		return nil
	}
	var err error
	if p.name, err = regexp.Compile(limits.NamePattern); err != nil {
		return fmt.Errorf("format.limits.name_pattern: %w", err)
	}
	return nil
}

// Rules returns the rules the parser was made with.
func (p *Parser) Rules() Rules { return p.rules }

// Parse makes a skill of the manifests of one folder, whose name is slug. The
// sources may come in any order. It never fails: what is wrong is said in the
// result.
func (p *Parser) Parse(slug string, sources []Source) Result {
	result := p.parse(slug, sources, nil)
	if p.full != nil {
		full := p.full.parse(slug, sources, nil)
		result.restrict(&full)
	}
	return result
}

// parse reads as the rules say. If places is not nil it is told where the
// fields stand.
func (p *Parser) parse(slug string, sources []Source, places *fieldPlaces) Result {
	r := p.start()
	r.places = places
	r.result.Skill.Slug = slug
	var room [4]choice // as many as the usual rules name
	chosen := r.choose(sources, room[:0])
	used := 0
	for i := range chosen {
		if !p.wantsMore(used) {
			r.leave(chosen[i:])
			break
		}
		switch r.manifest(&chosen[i], len(chosen)) {
		case wasRead:
			used++
		case wasBroken:
			r.dropped = !p.goesOn
		}
		if r.dropped {
			break
		}
	}
	r.finish()
	return p.close(r)
}

// close ends a reading and returns its result. Nothing else of what it read is
// kept: no skill refers to a node.
func (p *Parser) close(r *reading) Result {
	result := r.result
	room := r.result.Diagnostics
	result.Diagnostics = append([]skill.Diagnostic(nil), room...)
	clear(room)
	r.store.Reset()
	*r = reading{store: r.store}
	if cap(room) <= maxRemarks {
		r.result.Diagnostics = room[:0]
	}
	p.readings.Put(r)
	return result
}

// start returns an empty reading.
func (p *Parser) start() *reading {
	r, ok := p.readings.Get().(*reading)
	if !ok {
		r = &reading{}
	}
	r.parser = p
	return r
}

// limits are those of every document inside a manifest.
func (p *Parser) limits() tree.Limits {
	return tree.Limits{Depth: p.rules.Limits.Depth, Nodes: p.rules.Limits.Nodes}
}
