package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// maxKeys is how many keys of a malformed head are read. Skills have up to
// twenty; each key costs a run of the YAML reader.
const maxKeys = 500

// repair reads a head that YAML refuses, key by key: a key whose own lines are
// valid is read as it stands, the others are mended one by one. It returns nil
// if there is not a single key.
func (r *headRead) repair(region string, line int) *tree.Node {
	if n := r.flow(region, &block{line: line, text: region}); n != nil && n.Kind == tree.Map {
		r.report(skill.FrontmatterRepaired, line, "the frontmatter is JSON5; YAML cannot read it", "write it as YAML, or as plain JSON")
		return n
	}
	said := len(r.diagnostics)
	blocks := r.split(region, line)
	if len(blocks) > maxKeys {
		r.report(skill.FrontmatterTooDeep, blocks[maxKeys].line, fmt.Sprintf("the frontmatter has more than %d keys; the rest was not read", maxKeys),
			"remove keys that no host knows")
		r.unreadAll(region, blocks[maxKeys].line)
		blocks = blocks[:maxKeys]
	}
	if len(blocks) == 0 {
		r.diagnostics = r.diagnostics[:said] // the caller says it in one
		return nil
	}
	root := emptyMap(blocks[0].line)
	build := tree.Builder{Node: root}
	for i := range blocks {
		if m, ok := r.member(&blocks[i]); ok {
			build.Add(m)
		}
	}
	return root
}

// block is a key with the lines that belong to it.
type block struct {
	keyed
	line int
	// text are the lines, the key's first and without indentation. Lines that
	// were taken out are left blank, so that those below keep their number.
	text    string
	start   int  // of text in the splitter's output
	torn    bool // lines inside it were taken out
	slipped bool // the key is indented by mistake
}

// isData reports whether the value must be read as it stands or not at all:
// the key is one that holds data, or an unknown one with a map as its value.
func (b *block) isData() bool {
	brackets := b.value != "" && (b.value[0] == '{' || b.value[0] == '[')
	switch {
	case isStructured(b.key):
		return true
	case isGate(b.key) && brackets:
		return true
	case isTextKey(b.key):
		return false
	case b.value != "":
		return b.value[0] == '{'
	}
	first := strings.TrimLeft(b.below(), " \t\n")
	first, _ = lineAt(first, 0)
	_, ok := keyLine(first)
	return ok
}

// below are the lines under the key's own.
func (b *block) below() string {
	_, next := lineAt(b.text, 0)
	return b.text[next:]
}

// raw is the value as written: the rest of the key's line and the lines below.
func (b *block) raw() string {
	if b.value == "" {
		return b.below()
	}
	return b.text[b.at:]
}

// member reads one key with its value.
func (r *headRead) member(b *block) (tree.Member, bool) {
	m := tree.Member{Key: b.key, Line: b.line}
	if b.torn && (b.isData() || isGate(b.key)) {
		r.unreadKey(b, "lines inside it could not be read", "mend the lines named above")
		return m, false
	}
	if !b.sound {
		r.escaped = r.escaped || strings.IndexByte(b.text[:b.at], '\\') >= 0
		b.text = b.key + ": " + b.text[b.at:]
		b.at = len(b.key) + 2
	}
	n, err := r.strict(b.text, b.line)
	switch {
	case err == nil && n.Kind == tree.Map && len(n.Map) == 1 && n.Map[0].Key == b.key:
		m.Value = n.Map[0].Value
		if b.slipped {
			r.repaired(b.key, b.line, valueText(m.Value), b.key+" is indented below another key; it was read as a key of its own",
				"remove the blanks in front of it")
		} else if !b.sound {
			r.repaired(b.key, b.line, valueText(m.Value), b.key+" is not written as YAML writes keys; it was read as one",
				fmt.Sprintf("write %s: with nothing around it and a blank behind the colon", b.key))
		}
	case errors.Is(err, tree.ErrLimit):
		r.report(skill.FrontmatterTooDeep, b.line, fmt.Sprintf("%s: %v", b.key, message(err)), "shorten or flatten it")
		r.unread(b.key, b.line)
		return m, false
	case b.isData():
		if m.Value = r.mendData(b); m.Value == nil {
			r.unreadKey(b, message(err), dataHint(b))
			return m, false
		}
		r.repaired(b.key, b.line, valueText(m.Value), fmt.Sprintf("%s is not valid YAML (%s); it was read all the same", b.key, message(err)),
			"write it as one line of JSON")
	default:
		m.Value = r.mendText(b, err)
	}
	return m, true
}

func (r *headRead) unreadKey(b *block, why, hint string) {
	r.unread(b.key, b.line)
	r.report(skill.FrontmatterInvalid, b.line, fmt.Sprintf("%s could not be read: %s", b.key, why), hint)
}

// valueText is a value as it could be written behind a key.
func valueText(n *tree.Node) string {
	if n.IsScalar() {
		return n.Text
	}
	return n.Source()
}

// dataHint says what to do about data that cannot be read.
func dataHint(b *block) string {
	if open, shut := strings.Count(b.text, "{"), strings.Count(b.text, "}"); open != shut {
		return fmt.Sprintf("it has %d { and %d }; they must match", open, shut)
	}
	if open, shut := strings.Count(b.text, "["), strings.Count(b.text, "]"); open != shut {
		return fmt.Sprintf("it has %d [ and %d ]; they must match", open, shut)
	}
	return "write it as one line of JSON and check that line with a JSON tool"
}

// message is a reader's complaint without the line, which is said elsewhere.
func message(err error) string {
	var at *tree.Error
	switch {
	case errors.As(err, &at):
		return at.Msg
	case err == nil:
		return errUnsound.Error()
	}
	return err.Error()
}
