package knack

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/route"
	"github.com/knackhq/knack/skill"
)

// newChooser makes the chooser of skills: the stored one if it is of these very
// skills, else from it what did not change and from disk what did.
func (s *Session) newChooser(ctx context.Context, entries []*skill.Entry) (route.Chooser, error) {
	keys := make([]uint64, len(entries))
	for i, e := range entries {
		keys[i] = contentKey(e)
	}
	stored, ok := s.storedRoute()
	if ok && stored.version == s.routeVersion() {
		return stored.chooser, nil
	}
	same := make([]int, len(entries))
	for i := range same {
		same[i] = -1
	}
	if ok {
		places := make(map[uint64]int, len(stored.keys))
		for place, key := range stored.keys {
			places[key] = place
		}
		for i, key := range keys {
			if place, known := places[key]; known {
				same[i] = place
			}
		}
	}
	skills, all, err := s.readChanged(ctx, entries, same)
	if err != nil {
		return nil, err
	}
	rules := s.engine.profile.Route
	var made route.Chooser
	if ok {
		made, err = route.Update(rules, stored.chooser, skills, same)
	} else {
		made, err = route.New(rules, skills)
	}
	if err == nil && all {
		s.storeRoute(made, keys)
	}
	return made, err
}

// contentKey stands for all that a chooser reads of a skill.
func contentKey(e *skill.Entry) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", e.Name, e.Slug)
	for _, m := range e.Manifests {
		fmt.Fprintf(h, " %q %d %x", m.File, m.Size, m.Sum)
	}
	return h.Sum64()
}

// readChanged reads the skills whole that have no place in what is stored. Of one
// that cannot be read now, the header still answers; all says that there is none.
func (s *Session) readChanged(ctx context.Context, entries []*skill.Entry, same []int) (skills []*skill.Skill, all bool, err error) {
	skills, all = make([]*skill.Skill, len(entries)), true
	for i, e := range entries {
		skills[i] = &e.Skill
		if same[i] >= 0 {
			continue
		}
		whole, err := s.engine.Load(ctx, e)
		switch {
		case err == nil:
			skills[i] = &whole.Skill
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		default:
			all = false
		}
	}
	return skills, all, nil
}

// storedRoute is a chooser as an earlier process left it, beside the index of
// the skills. Its file has the version of the skills, what else it depends on,
// the key of each skill, and the chooser, which has a checksum.
type storedRoute struct {
	version string
	keys    []uint64
	chooser route.Chooser
}

// routeFile is where it is; "" keeps none.
func (e *Engine) routeFile() string {
	dir, name := filepath.Split(e.index)
	if name == "" {
		return ""
	}
	return filepath.Join(dir, strings.Replace(name, "index-", "route-", 1))
}

func (s *Session) routeVersion() string { return s.snap.Version() + "\n" }

// routeBase stands for all that a chooser depends on besides the skills.
func (s *Session) routeBase() string {
	return shortHash(s.engine.opt.Build, s.engine.fingerprint(), fmt.Sprintf("%+v", s.engine.profile.Route)) + "\n"
}

// storedRoute reads the file. One that is damaged or of another build is as good
// as none.
func (s *Session) storedRoute() (storedRoute, bool) {
	file := s.engine.routeFile()
	if file == "" {
		return storedRoute{}, false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return storedRoute{}, false
	}
	line := strings.IndexByte(string(data[:min(len(data), 256)]), '\n') + 1
	rest, ok := strings.CutPrefix(string(data[line:]), s.routeBase())
	if line == 0 || !ok {
		return storedRoute{}, false
	}
	count, n := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
	if n <= 0 || count > uint64(len(rest)-n)/8 {
		return storedRoute{}, false
	}
	out := storedRoute{version: string(data[:line]), keys: make([]uint64, count)}
	rest = rest[n:]
	for i := range out.keys {
		out.keys[i] = binary.LittleEndian.Uint64([]byte(rest[8*i : 8*i+8]))
	}
	out.chooser, err = route.Decode(s.engine.profile.Route, []byte(rest[8*count:]))
	return out, err == nil
}

// storeRoute keeps a chooser for the next process, if it can be kept.
func (s *Session) storeRoute(c route.Chooser, keys []uint64) {
	file := s.engine.routeFile()
	data := binary.AppendUvarint([]byte(s.routeVersion()+s.routeBase()), uint64(len(keys)))
	for _, key := range keys {
		data = binary.LittleEndian.AppendUint64(data, key)
	}
	if data, ok := route.Append(data, c); ok && file != "" {
		_ = durable.WriteCache(file, data) // the next process takes longer, that is all
	}
}
