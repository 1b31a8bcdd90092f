package format

import "github.com/knackhq/knack/internal/strategy"

// mergeStrategies say, after so many manifests were read, whether the next one
// has anything to add.
var mergeStrategies = [...]strategy.Named[func(read int) bool]{
	{Name: "fields", Do: func(int) bool { return true }},
	{Name: "replace", Do: func(read int) bool { return read == 0 }},
}

// errorStrategies say whether the manifests after a broken one are used.
var errorStrategies = [...]strategy.Named[bool]{
	{Name: "next", Do: true},
	{Name: "drop", Do: false},
}

var headStrategies = [...]strategy.Named[headReader]{
	{Name: "yaml", Do: readYAMLHead},
	{Name: "texts", Do: readTextsHead},
	{Name: "strict", Do: readStrictHead},
	{Name: "quoted", Do: readQuotedHead},
	{Name: "forgiving", Do: readForgivingHead},
	{Name: "lines", Do: readLinesHead},
	{Name: "scalars", Do: readScalarsHead},
}

var tomlStrategies = [...]strategy.Named[tomlDialect]{
	{Name: "union", Do: flatAndTable},
	{Name: "flat", Do: flatOnly},
	{Name: "table", Do: tableOnly},
}

// keyStrategies say whether only the documented spellings of keys count.
var keyStrategies = [...]strategy.Named[bool]{
	{Name: "any", Do: false},
	{Name: "exact", Do: true},
}

// identityStrategies say whether a declared name is a skill's name.
var identityStrategies = [...]strategy.Named[bool]{
	{Name: "declared", Do: true},
	{Name: "directory", Do: false},
}

// describeStrategies make a description of the instructions.
var describeStrategies = [...]strategy.Named[func(body string) string]{
	{Name: "prose", Do: firstProse},
	{Name: "line", Do: firstLineBelow},
	{Name: "declared", Do: func(string) string { return "" }},
}

var installStrategies = [...]strategy.Named[installReader]{
	{Name: "any", Do: (*reading).installs},
	{Name: "registry", Do: (*reading).registryInstalls},
}

func (p *Parser) resolveStrategies() error {
	rules := &p.rules
	for _, err := range [...]error{
		pick(&p.wantsMore, "format.merge", rules.Merge, mergeStrategies[:]),
		pick(&p.goesOn, "format.on_error", rules.OnError, errorStrategies[:]),
		pick(&p.readHead, "format.frontmatter", rules.Frontmatter, headStrategies[:]),
		pick(&p.dialect, "format.toml", rules.TOML, tomlStrategies[:]),
		pick(&p.exact, "format.keys", rules.Keys, keyStrategies[:]),
		pick(&p.declared, "format.identity", rules.Identity, identityStrategies[:]),
		pick(&p.describe, "format.describe", rules.Describe, describeStrategies[:]),
		pick(&p.installers, "format.install", rules.Install, installStrategies[:]),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// pick resolves one knob.
func pick[F any](into *F, knob, name string, known []strategy.Named[F]) (err error) {
	*into, err = strategy.Pick(knob, name, known)
	return err
}
