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
	n.subs = n.old.subFolders()
}

// unchanged takes a folder from the index, if it is still as it was. What its
// stamp cannot show is looked at anew: which of its links lead to folders.
func (w *worker) unchanged(n *node, tree tree) bool {
	st, _, err := tree.lstat(n.in)
	if err != nil || !st.same(n.old.stamp) {
		return false
	}
	for i := range n.old.files {
		f := &n.old.files[i]
		w.path = append(append(append(w.path[:0], n.in...), '/'), f.name...)
		st, _, err := tree.lstat(temporary(w.path))
		if err != nil || !st.same(f.stamp) {
			return false
		}
	}
	if len(n.old.files) > 0 {
		if n.record = n.old.record; !w.unpack(n) {
			return false
		}
		w.reused++
	}
	n.stamp, n.files, n.subs = n.old.stamp, n.old.files, n.old.subFolders()
	w.cut(n)
	w.changed = w.changed || len(n.problems) > 0
	return true
}

// subFolders returns the names that were found in a folder, each with what the
// index has of it.
func (f *oldFolder) subFolders() []sub {
	subs := make([]sub, len(f.children))
	for i := range f.children {
		child := &f.children[i]
		subs[i] = sub{child.name, child.link, child.doc, child}
	}
	return subs
}
