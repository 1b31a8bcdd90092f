package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/knackhq/knack/skill"
)

// snapshot resolves what was found.
func (s *scan) snapshot() *Snapshot {
	found := s.resolve()
	snap := &Snapshot{Entries: make([]*skill.Entry, len(found)), Diagnostics: s.diagnostics()}
	for i := range found {
		snap.Entries[i] = found[i].entry
	}
	for _, w := range s.workers {
		snap.Stats.Parsed += w.parsed
		snap.Stats.Reused += w.reused
	}
	for _, r := range s.roots {
		snap.Stats.Dirs += 1 + r.dirs
	}
	snap.Version = s.version(found, snap.Diagnostics)
	return snap
}

// diagnostics are those of roots and of folders that are no skills.
func (s *scan) diagnostics() []skill.Diagnostic {
	out := append([]skill.Diagnostic{}, s.problems...)
	for _, level := range s.levels {
		for i := range level {
			out = append(out, level[i].problems...)
		}
	}
	skill.SortDiagnostics(out)
	return out
}

// changed reports whether something is not as the index has it. A root that the
// index does not have is seen when it is visited, one that is gone is not.
func (s *scan) changed(x *index) bool {
	if x == nil || len(x.roots) != len(s.rootsOnDisk()) {
		return true
	}
	for _, w := range s.workers {
		if w.changed {
			return true
		}
	}
	return false
}

// versionSize bytes make an accidental collision as unlikely as one of UUIDs.
const versionSize = 16

// version names the result. It covers all that a snapshot says, records by
// their sums, and nothing that may differ while it says the same, such as the
// times of files.
func (s *scan) version(found []candidate, diagnostics []skill.Diagnostic) string {
	h := hasher{sum: sha256.New()}
	for _, r := range s.c.opt.Roots {
		h.string(&r.Path)
		h.string(&r.Class)
		h.string((*string)(&r.Trust))
	}
	for i := range found {
		c := &found[i]
		h.int(&c.root.rank)
		h.string(&c.shown)
		if c.root.Real {
			h.string(&c.entry.Path)
		}
		h.out = append(h.out, c.record.sum[:]...)
		h.string((*string)(&c.entry.Status))
		h.string((*string)(&c.entry.Trust))
		for j := range c.entry.TrustReasons {
			h.string((*string)(&c.entry.TrustReasons[j].Code))
		}
		for j := range c.entry.Reasons {
			r := &c.entry.Reasons[j]
			h.string((*string)(&r.Code))
			h.string(&r.Message)
			h.string(&r.Hint)
		}
		h.flush()
	}
	for i := range diagnostics {
		h.diagnostic(&diagnostics[i])
		h.flush()
	}
	h.sum.Write(h.out)
	return hex.EncodeToString(h.sum.Sum(nil)[:versionSize])
}

// hasher is a wire that leads to a hash.
type hasher struct {
	wire
	sum hash.Hash
}

// flush hashes what was written, if it is worth the call.
func (h *hasher) flush() {
	if len(h.out) >= 16<<10 { // what a processor's nearest cache holds
		h.sum.Write(h.out)
		h.out = h.out[:0]
	}
}
