package catalog

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/knackhq/knack/internal/durable"
)

// writeIndex persists what a scan found, if that is not what x has.
func (c *Catalog) writeIndex(s *scan, x *index) error {
	if c.opt.Index == "" {
		return nil
	}
	data := s.encodeIndex(c.fingerprint)
	if x != nil && temporary(data) == x.data {
		c.touchIndex()
		return nil
	}
	if err := durable.WriteCache(c.opt.Index, data); err != nil {
		c.log.Debug("index cannot be written", "file", c.opt.Index, "cause", err)
		return err
	}
	c.pruneIndexes()
	return nil
}

func (s *scan) encodeIndex(fingerprint string) []byte {
	w := &wire{out: append(make([]byte, 0, 1<<20), indexMagic...), mem: &memory{}}
	w.string(&fingerprint)
	roots := s.rootsOnDisk()
	n := len(roots)
	w.count(&n, 0)
	for _, r := range roots {
		s.encodeRoot(w, r)
	}
	return sealIndex(w.out)
}

func (s *scan) rootsOnDisk() []*rootScan {
	var roots []*rootScan
	for _, r := range s.roots {
		if r.FS == nil {
			roots = append(roots, r)
		}
	}
	return roots
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// sealIndex appends the checksum.
func sealIndex(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, checksum(data))
}

func (s *scan) encodeRoot(w *wire, r *rootScan) {
	key, n := r.key(), 1+r.dirs
	w.string(&key)
	w.count(&n, 0)
	for _, level := range s.levels {
		for i := range level {
			if n := &level[i]; n.root == r {
				w.node(n)
			}
		}
	}
}

// node writes what [oldRoot.readFolder] reads. The index has no problems, so a
// folder with some is written as one that must be listed, to be told again.
func (w *wire) node(n *node) {
	target, st := n.target(), n.stamp
	if len(n.problems) > 0 {
		st = stamp{}
	}
	w.string(&n.name)
	w.flags(&n.link, &n.doc, &target)
	w.stamp(&st)
	subs, files := len(n.subs), len(n.files)
	w.count(&subs, 0)
	w.count(&files, 0)
	for i := range n.files {
		w.string(&n.files[i].name)
		w.stamp(&n.files[i].stamp)
	}
	if files > 0 {
		w.record(&n.record)
	}
}
