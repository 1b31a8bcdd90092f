package format

import (
	"fmt"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// reading is one call of Parse: the skill as far as it is known, and what was
// found on the way. Manifests are read in order of precedence, so whoever sets
// a field leaves it alone if it is set.
type reading struct {
	parser *Parser
	result Result
	store  tree.Store        // of the nodes that are being read
	owner  [fieldCount]owner // who set a field
	places *fieldPlaces      // where fields stand, if somebody asks
	// dropped: the rules want no such skill, and it was said why.
	dropped bool

	// Of the file being read:
	file       string
	kind       manifestKind
	keys       *readable          // nil for all
	direct     skill.Requirements // what it requires outside of metadata
	directLine int
	saidAlways bool           // direct.Always was set
	command    skill.Dispatch // its command-* keys so far
	remarks    int            // reported so far
	strays     []strayGate    // requirements where none are read
	stated     []spot         // values that were read as requirements
	unsaid     int            // not reported, because there are too many
}

// owner is the place that set a field.
type owner struct {
	file string
	line int
}

// manifestKind is what a file may say.
type manifestKind uint8

const (
	inMarkdown manifestKind = iota
	inSkillTOML
	inManifestTOML
)

// maxRemarks bounds what is said about one file. Nobody reads more, and a file
// of nothing but mistakes should not cost more to report than to read.
const maxRemarks = 100

func (r *reading) skill() *skill.Skill { return &r.result.Skill }

// begin starts on a file.
func (r *reading) begin(file string, rank int) {
	r.file, r.kind, r.keys = file, r.parser.manifests[rank].kind, r.parser.reads[rank]
	r.direct, r.directLine, r.saidAlways = skill.Requirements{}, 0, false
	r.strays, r.stated = r.strays[:0], r.stated[:0]
	r.remarks, r.unsaid = 0, 0
}

// end closes the file's account.
func (r *reading) end() {
	r.require(&r.direct, r.directLine)
	r.endStrays()
	if r.unsaid > 0 {
		r.add(skill.LimitExceeded, 0, fmt.Sprintf("%d further remarks about this file were left out", r.unsaid), "")
	}
}

// report says something about the file being read.
func (r *reading) report(code skill.Code, line int, message, hint string) {
	if r.remarks++; r.remarks > maxRemarks && code != skill.MetadataUnreadable {
		r.unsaid++
		return
	}
	r.add(code, line, message, hint)
}

func (r *reading) add(code skill.Code, line int, message, hint string) {
	r.result.Diagnostics = append(r.result.Diagnostics, code.New(r.file, line, message, hint))
}

// wrongShape reports a value that is not what its key needs.
func (r *reading) wrongShape(at *place, n *tree.Node, want string) {
	r.strayValue(at, n)
	r.report(skill.ValueInvalid, n.Line, at.text()+" is "+shape(n)+"; it has no effect", "write "+want)
}

// unreadable records requirements that are there but cannot be understood.
func (r *reading) unreadable(line int, message, hint string) {
	r.skill().Requires.Unreadable = true
	r.report(skill.MetadataUnreadable, line, message, hint)
}

// keep puts a key without effect into the skill's extra fields.
func (r *reading) keep(at *place, m *tree.Member) {
	r.stray(at, m)
	s := r.skill()
	s.Extra = append(s.Extra, skill.Field{
		Key: at.path(), Value: skill.NewText(m.Value.Source()), File: r.file, Line: m.Line,
	})
}

// ignore keeps a key that has no effect and says so.
func (r *reading) ignore(at *place, m *tree.Member, hint string) {
	r.keep(at, m)
	r.report(skill.KeyIgnored, m.Line, at.text()+" has no effect", hint)
}

// unusual tells that a key was read although it is not spelled as documented.
func (r *reading) unusual(at *place, m *tree.Member, usual string) {
	r.report(skill.KeySpelling, m.Line, at.text()+" is read as "+usual, "write "+usual+"; other hosts ignore "+shown(m.Key))
}

// shape describes a value to a person.
func shape(n *tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "empty"
	case tree.List:
		return "a list"
	case tree.Map:
		return "a map"
	default:
		return quoted(n.Text)
	}
}
