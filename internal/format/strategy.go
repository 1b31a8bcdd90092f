package format

import "github.com/knackhq/knack/internal/strategy"

// mergeStrategies say, after so many manifests were read, whether the next one
// has anything to add.
var mergeStrategies = [...]strategy.Named[func(read int) bool]{
	{Name: "fields", Do: func(int) bool { return true }},
}

// errorStrategies say whether the manifests after a broken one are used.
var errorStrategies = [...]strategy.Named[bool]{
	{Name: "next", Do: true},
}

var headStrategies = [...]strategy.Named[headReader]{
	{Name: "yaml", Do: readYAMLHead},
}

var tomlStrategies = [...]strategy.Named[tomlDialect]{
	{Name: "union", Do: flatAndTable},
}

var identityStrategies = [...]strategy.Named[identity]{
	{Name: "declared", Do: declaredElseFolder},
}

func (p *Parser) resolveStrategies() (err error) {
	if p.wantsMore, err = strategy.Pick("format.merge", p.rules.Merge, mergeStrategies[:]); err != nil {
		return err
	}
	if p.goesOn, err = strategy.Pick("format.on_error", p.rules.OnError, errorStrategies[:]); err != nil {
		return err
	}
	if p.readHead, err = strategy.Pick("format.frontmatter", p.rules.Frontmatter, headStrategies[:]); err != nil {
		return err
	}
	if p.dialect, err = strategy.Pick("format.toml", p.rules.TOML, tomlStrategies[:]); err != nil {
		return err
	}
	p.nameOf, err = strategy.Pick("format.identity", p.rules.Identity, identityStrategies[:])
	return err
}
