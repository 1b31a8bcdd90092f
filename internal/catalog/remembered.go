package catalog

import "context"

// Remembered is the snapshot that the last load ended with, as far as the index
// has it: skills and their states, without a look at the directories. It is nil
// if there is no index to be used. Comparing it with a load tells what changed
// since.
func (c *Catalog) Remembered(ctx context.Context) (*Snapshot, error) {
	x := c.readIndex()
	if x == nil {
		return nil, nil
	}
	s := c.newScan()
	level := make([]node, 0, len(c.opt.Roots))
	for rank, root := range c.opt.Roots {
		r := &rootScan{Root: root, rank: rank, from: &anchor{real: root.Path}}
		r.layout, _ = c.layoutOf(&root) // was checked
		old := x.root(&root)
		switch {
		case root.FS != nil:
			r.from = &anchor{tree: fsTree{root.FS}}
		case old == nil:
			continue
		}
		s.roots = append(s.roots, r)
		level = append(level, *s.rootNode(r, old))
	}
	for len(level) > 0 {
		s.levels = append(s.levels, level)
		if err := s.parallel(ctx, len(level), func(w *worker, i int) { w.recall(&level[i]) }); err != nil {
			return nil, err
		}
		level = s.nextLevel(level)
	}
	return s.snapshot(), nil
}

// recall takes a folder from the index, whether or not it is still as it was.
// Embedded folders are not in the index and cannot have changed.
func (w *worker) recall(n *node) {
	if n.root.FS != nil {
		w.visit(n)
		return
	}
	if n.old.target != "" {
		n.from, n.in = &anchor{real: n.old.target}, "."
		if n.parent == nil {
			n.root.from = n.from
		}
	}
	n.files = n.old.files
	if len(n.files) > 0 {
		n.record = n.old.record
		w.unpack(n)
	}
	n.subs = make([]sub, len(n.old.children))
	for i := range n.old.children {
		child := &n.old.children[i]
		n.subs[i] = sub{child.name, child.link, child.doc, child}
	}
}
