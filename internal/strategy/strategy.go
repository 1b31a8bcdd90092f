// Package strategy resolves the names that a host profile gives to behaviour
// that values cannot express. Each step of the engine keeps its own tables from
// name to function; a strategy is named for what it does, never for a host.
package strategy

import (
	"fmt"
	"strings"
)

// Named is one row of a step's table.
type Named[F any] struct {
	Name string
	Do   F
}

// Pick finds the strategy that a knob of a profile names. The error of an
// unknown name lists those there are.
func Pick[F any](knob, name string, known []Named[F]) (F, error) {
	names := make([]string, len(known))
	for i, s := range known {
		if s.Name == name {
			return s.Do, nil
		}
		names[i] = s.Name
	}
	var none F
	return none, fmt.Errorf("%s is %q; it can be %s", knob, name, strings.Join(names, ", "))
}
