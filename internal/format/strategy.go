package format

import (
	"fmt"
	"strings"
)

// strategy is a named behaviour that a profile may ask for.
type strategy[F any] struct {
	name string
	do   F
}

// mergeStrategies say, after so many manifests were read, whether the next one
// has anything to add.
var mergeStrategies = [...]strategy[func(read int) bool]{
	{"fields", func(int) bool { return true }},
}

// errorStrategies say whether the manifests after a broken one are used.
var errorStrategies = [...]strategy[bool]{
	{"next", true},
}

var headStrategies = [...]strategy[headReader]{
	{"yaml", readYAMLHead},
}

var tomlStrategies = [...]strategy[tomlDialect]{
	{"union", flatAndTable},
}

var identityStrategies = [...]strategy[identity]{
	{"declared", declaredElseFolder},
}

func (p *Parser) resolveStrategies() (err error) {
	if p.wantsMore, err = pick("merge", p.rules.Merge, mergeStrategies[:]); err != nil {
		return err
	}
	if p.goesOn, err = pick("on_error", p.rules.OnError, errorStrategies[:]); err != nil {
		return err
	}
	if p.readHead, err = pick("frontmatter", p.rules.Frontmatter, headStrategies[:]); err != nil {
		return err
	}
	if p.dialect, err = pick("toml", p.rules.TOML, tomlStrategies[:]); err != nil {
		return err
	}
	p.nameOf, err = pick("identity", p.rules.Identity, identityStrategies[:])
	return err
}

func pick[F any](knob, name string, known []strategy[F]) (F, error) {
	names := make([]string, len(known))
	for i, s := range known {
		if s.name == name {
			return s.do, nil
		}
		names[i] = s.name
	}
	var none F
	return none, fmt.Errorf("format.%s is %q; it can be %s", knob, name, strings.Join(names, ", "))
}
