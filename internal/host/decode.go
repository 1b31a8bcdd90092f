package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/knackhq/knack/internal/catalog"
	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/internal/gate"
)

// file is a profile's file: the profile, and what its program does otherwise.
type file struct {
	*Profile
	Shipped *rules `toml:"shipped"`
}

// rules are the parts of a profile that a program may differ in.
type rules struct {
	Discover catalog.Rules `toml:"discover"`
	Format   format.Rules  `toml:"format"`
	Gate     gate.Rules    `toml:"gate"`
}

// decode reads a profile over what it extends, so that only the keys it names
// are changed.
func decode(p *Profile, name string, sources []fs.FS, seen []string) error {
	data, below, err := readProfile(name, sources)
	if err != nil {
		return err
	}
	if slices.Contains(seen, name) {
		return fmt.Errorf("extends goes in a circle: %s", strings.Join(append(seen, name), " → "))
	}
	var parent struct {
		Extends string `toml:"extends"`
	}
	if err := toml.Unmarshal(data, &parent); err != nil {
		return describe(name, err)
	}
	switch parent.Extends {
	case "":
	case name: // of the user's own, the one compiled in
		if err := decode(p, name, below, seen); err != nil {
			return err
		}
	default:
		if err := decode(p, parent.Extends, sources, append(seen, name)); err != nil {
			return err
		}
	}
	// A host's list of roots replaces the one it inherits; a half-inherited
	// order of precedence would be nobody's.
	inherited := p.Roots
	p.Roots = nil
	f := file{Profile: p}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&f); err != nil {
		return describe(name, err)
	}
	if p.Roots == nil {
		p.Roots = inherited
	}
	if f.Shipped != nil {
		p.shipped = data
	}
	return nil
}

// AsShipped is the profile with the rules of the program where they differ
// from what the host's documents say.
func (p *Profile) AsShipped() *Profile {
	if p.shipped == nil {
		return p
	}
	real := *p
	f := struct {
		Shipped rules `toml:"shipped"`
	}{rules{p.Discover, p.Format, p.Gate}}
	if err := toml.Unmarshal(p.shipped, &f); err != nil {
		return p // it was decoded before
	}
	real.Discover, real.Format, real.Gate = f.Shipped.Discover, f.Shipped.Format, f.Shipped.Gate
	return &real
}

// readProfile reads a profile from the first source that has it. below are the
// sources after that.
func readProfile(name string, sources []fs.FS) (data []byte, below []fs.FS, err error) {
	for i, src := range sources {
		data, err := fs.ReadFile(src, name+".toml")
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return data, sources[i+1:], err
		}
	}
	return nil, nil, fmt.Errorf("extends %q, which does not exist", name)
}

func describe(name string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("%s.toml:%d: unknown key %s", name, row, strings.Join(strict.Errors[0].Key(), "."))
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, _ := at.Position()
		what, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "toml: "), " into struct field") // whose name says nothing to users
		return fmt.Errorf("%s.toml:%d: %s", name, row, what)
	}
	return fmt.Errorf("%s.toml: %w", name, err)
}
