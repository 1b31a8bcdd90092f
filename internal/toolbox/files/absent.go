package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

const (
	// mostNames is how many entries of a folder are compared with a name that is
	// not there.
	mostNames = 2000
	// mostMeant is how many of them are shown.
	mostMeant = 3
)

// absent says that nothing is where the way led, and what may have been meant.
func (s *spot) absent(a *area) error {
	err := fmt.Errorf("%s: %w", wording.Quote(a.show(s.real)), errMissing)
	f, openErr := s.last().Open(".")
	if openErr != nil {
		return err
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostNames) // some are better than none
	slices.Sort(names)
	wanted := s.missing[0]
	close := near.Words(wanted, names, mostMeant)
	if len(close) == 0 {
		close = started(wanted, names)
	}
	folder := filepath.Dir(filepath.Join(s.folder(), wanted))
	for i, name := range close {
		close[i] = wording.Quote(a.show(filepath.Join(folder, name)))
	}
	switch {
	case len(close) > 0:
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(close, " or "))
	case len(s.missing) > 1:
		return fmt.Errorf("%w: there is no %s in %s", err, wording.Quote(wanted), wording.Quote(a.show(folder)))
	}
	return err
}

// started are the names that a name is the beginning of, but for what follows the
// last dot: config for config.toml, main.js for main.ts.
func started(wanted string, names []string) []string {
	stem := strings.TrimSuffix(wanted, filepath.Ext(wanted))
	if len(stem) < 3 { // as short, it is the beginning of too much
		return nil
	}
	var out []string
	for _, name := range names {
		if len(out) < mostMeant && strings.EqualFold(strings.TrimSuffix(name, filepath.Ext(name)), stem) {
			out = append(out, name)
		}
	}
	return out
}
