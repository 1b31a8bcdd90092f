package config

import "github.com/knackhq/knack/internal/tree"

// put writes a value to its place in a file. Of a list that is there only the
// items that are different are touched, so that the others keep their comments.
func (in *syntax) put(data []byte, doc *tree.Node, at []string, now *tree.Node) ([]byte, error) {
	if was := doc.Lookup(at...); was != nil && was.Kind == tree.List && now.Kind == tree.List {
		without, added := difference(was.List, now.List)
		more := make([]string, len(added))
		for i, item := range added {
			more[i] = in.format(item)
		}
		// A list that the file has in several pieces is refused below, with the
		// reason.
		if out, err := in.list(data, at, without, more); err == nil {
			return out, nil
		}
	}
	return in.set(data, at, in.format(now))
}

// difference says which items to take out of a list, by their places, and which
// to add to its end, to make another list of it.
func difference(was, now []*tree.Node) (without []int, more []*tree.Node) {
	kept := 0
	for i, item := range was {
		if kept < len(now) && item.Source() == now[kept].Source() {
			kept++
		} else {
			without = append(without, i)
		}
	}
	return without, now[kept:]
}
