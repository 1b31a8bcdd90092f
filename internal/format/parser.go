package format

import "fmt"

// Parser turns manifests into skills under one set of rules. It keeps no state
// between calls and may be used by many goroutines.
type Parser struct {
	rules Rules
}

// New checks the rules and resolves their strategy names.
func New(rules Rules) (*Parser, error) {
	return &Parser{rules: rules}, fmt.Errorf("unfinished")
}

// Rules returns the rules the parser was made with.
func (p *Parser) Rules() Rules { return p.rules }

// Rank reports whether a file of that name is a manifest, its place in the
// order of precedence (0 wins), and whether it is spelled the usual way.
func (p *Parser) Rank(file string) (rank int, usual, ok bool) { panic("unfinished") }

// Parse makes a skill of the manifests of one folder, whose name is slug. The
// sources may come in any order. It never fails: what is wrong is said in the
// result.
func (p *Parser) Parse(slug string, sources []Source) Result { panic("unfinished") }
