package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// follow finds out where the link leads that is a node's name, and whether its
// root's rule lets it be followed. Links are resolved anew on each load: what
// they lead to can change without them.
func (w *worker) follow(n *node) bool {
	if n.from.real == "" {
		return false // nothing in an embedded tree leads elsewhere
	}
	link := filepath.Join(n.parent.real(), n.name)
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		n.problems = append(n.problems, brokenLink(n.path(), link, err))
		return false
	}
	info, err := os.Stat(target)
	if err != nil {
		n.problems = append(n.problems, brokenLink(n.path(), link, err))
		return false
	}
	if !info.IsDir() {
		return false // a file that is no manifest does not matter
	}
	for p := n.parent; p != nil; p = p.parent {
		if _, loop := inside(p.real(), target); loop {
			n.problems = append(n.problems, skill.LinkLoop.New(n.path(), 0,
				"the link "+wording.Quote(n.path())+" leads back to "+wording.Quote(target)+", which it is in", "remove the link"))
			return false
		}
	}
	return w.allowed(n, target)
}

// allowed sets where the node is, if its root's rule lets a link go there.
func (w *worker) allowed(n *node, target string) bool {
	refuse := func(why, hint string) bool {
		n.problems = append(n.problems, skill.LinkRefused.New(n.path(), 0,
			"the link "+wording.Quote(n.path())+" to "+wording.Quote(target)+" was not followed: "+why, hint))
		return false
	}
	switch n.root.Links {
	case FollowLinks:
		n.from, n.in = &anchor{real: target}, "."
		return true
	case ContainedLinks:
		if below, ok := inside(target, n.root.from.real); ok {
			n.from, n.in = n.root.from, filepath.ToSlash(below)
			return true
		}
		within, err := n.root.within()
		if err != nil {
			return refuse("the directory that links must stay in cannot be read: "+cause(err), "check the permissions of "+wording.Quote(n.root.Within))
		}
		if below, ok := inside(target, within.real); ok {
			n.from, n.in = within, filepath.ToSlash(below)
			return true
		}
		for _, other := range n.root.targets() {
			if below, ok := inside(target, other.real); ok {
				n.from, n.in = other, filepath.ToSlash(below)
				return true
			}
		}
		return refuse("links below this root must stay in "+wording.Quote(within.real), "copy the folder there, or add its place to skills.extra_roots")
	default:
		return refuse("links below this root are not followed", "copy the folder to where the link is")
	}
}

func brokenLink(shown, link string, err error) skill.Diagnostic {
	if errors.Is(err, fs.ErrPermission) {
		return skill.DirUnreadable.New(shown, 0, "the link "+wording.Quote(shown)+" cannot be followed: "+cause(err), "check the permissions of what it leads to")
	}
	to := ""
	if target, err := os.Readlink(link); err == nil {
		to = " to " + wording.Quote(target)
	}
	return skill.LinkLoop.New(shown, 0, "the link "+wording.Quote(shown)+to+" leads to itself or to nothing", "remove the link or mend what it leads to")
}

// inside reports whether path is dir or below it, and returns the rest. Both
// are clean and have no links.
func inside(path, dir string) (string, bool) {
	if path == dir {
		return ".", true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) { // only "/" has it
		dir += string(filepath.Separator)
	}
	return strings.CutPrefix(path, dir)
}
