package format

import (
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// maxRequirements bounds a list of requirements. The longest of 2,451 published
// skills has 9; lists are compared with each other, so they must not be endless.
const maxRequirements = 1000

// maxCompanions bounds the skills that one wants beside it; the system that
// knows them takes ten.
const maxCompanions = 10

// requires reads a block of requirements.
func (r *reading) requires(at *place, m *tree.Member, into *skill.Requirements) {
	r.stated = append(r.stated, spot{m.Value.Line, m.Value.Column})
	block, ok := r.mapping(m)
	if !ok {
		r.looseRequires(at, m, into)
		return
	}
	for i := range block.Map {
		r.requiresKey(at, &block.Map[i], into)
	}
	for i := range block.Dup {
		r.requiresKey(at, &block.Dup[i], into)
	}
}

// requirementKeys are those that a misspelled one may stand for.
var requirementKeys = [...]string{"bins", "anyBins", "env", "config", "os"}

func (r *reading) requiresKey(top *place, m *tree.Member, into *skill.Requirements) {
	at, usual := &place{up: top, key: m.Key}, m.Key
	switch r.parser.word(m.Key) {
	case "bins", "bin":
		usual = "bins"
		into.Bins = union(into.Bins, r.requirement(at, m.Value, into))
	case "anybins", "anybin":
		if m.Key != "any_bins" {
			usual = "anyBins"
		}
		if !bothAlternatives(into, r.requirement(at, m.Value, into)) {
			r.vague(at, m.Value, into)
		}
	case "env", "envs":
		usual = "env"
		into.Env = union(into.Env, r.requirement(at, m.Value, into))
	case "config", "configs":
		usual = "config"
		into.Config = union(into.Config, r.requirement(at, m.Value, into))
	case "os":
		r.systems(at, m.Value, into)
	case "primaryenv":
		r.namespaceText(&into.PrimaryEnv, at, m, true)
	case "skills":
		companions := r.words(at, m.Value)
		r.skill().Companions = union(r.skill().Companions, companions[:min(len(companions), maxCompanions)])
	default:
		if near.Best(m.Key, requirementKeys[:]) != "" && !isEmpty(m.Value) {
			r.vague(at, m.Value, into)
		}
		r.ignore(at, m, "")
		return
	}
	r.stated = append(r.stated, spot{m.Value.Line, m.Value.Column})
	if m.Key != usual {
		r.unusual(at, m, usual)
	}
}

// systems reads operating systems. Two lists in one block hold together.
func (r *reading) systems(at *place, n *tree.Node, into *skill.Requirements) {
	names := r.requirement(at, n, into)
	if !slices.ContainsFunc(names, func(name string) bool { return !isEverySystem(name) }) {
		return
	}
	var ok bool
	if into.OS, ok = bothSystems(into.OS, names); !ok {
		r.vague(at, n, into)
	}
}

// isEverySystem reports the words for no restriction at all.
func isEverySystem(name string) bool {
	name = strings.ToLower(name)
	return name == "all" || name == "any" || name == "*"
}

// vague records a requirement that cannot be understood.
func (r *reading) vague(at *place, n *tree.Node, into *skill.Requirements) {
	into.Unreadable = true
	r.report(skill.MetadataUnreadable, n.Line,
		at.text()+" is "+shape(n)+" that cannot be read, so nobody can say what the skill needs",
		"write one list of names, such as [one, two]")
}

// requirement reads one list of requirements: names, a text with commas, or
// maps with a name, of which those with required: false are left out.
func (r *reading) requirement(at *place, n *tree.Node, into *skill.Requirements) []string {
	if isEmpty(n) {
		return nil
	}
	names, ok := requiredNames(n)
	// A block that spells its three lists in many ways must not make them
	// endless either.
	if have := len(into.Bins) + len(into.Env) + len(into.Config); have+len(names) > 3*maxRequirements {
		r.vague(at, n, into)
		return nil
	}
	if !ok || len(names) > maxRequirements {
		r.vague(at, n, into)
	}
	return names[:min(len(names), maxRequirements)]
}

func requiredNames(n *tree.Node) (names []string, ok bool) {
	if n.Kind != tree.List {
		// A boolean names nothing, whatever it means.
		if n.Kind == tree.Bool {
			return nil, false
		}
		return scalars(n)
	}
	ok = true
	for i, item := range n.List {
		if isEmpty(item) {
			continue
		}
		if item.Kind == tree.Map {
			if isOptional(item) {
				continue
			}
			item = item.Get("name")
		}
		if name, scalar := item.Scalar(); scalar && name != "" {
			if names == nil {
				names = make([]string, 0, len(n.List)-i)
			}
			names = append(names, name)
		} else {
			ok = false
		}
	}
	return names, ok
}

// isOptional reports an entry that says itself that it is not required.
func isOptional(entry *tree.Node) bool {
	required, ok := entry.Get("required").Bool()
	optional, _ := entry.Get("optional").Bool()
	return ok && !required || optional && !required
}

// looseRequires reads requires that is no map. A list of plain program names
// is clear enough; anything else could mean anything.
func (r *reading) looseRequires(at *place, m *tree.Member, into *skill.Requirements) {
	names, ok := scalars(m.Value)
	for _, name := range names {
		ok = ok && isProgram(name)
	}
	if !ok || m.Value.Kind == tree.Bool || m.Value.Kind == tree.Number || len(names) > maxRequirements {
		into.Unreadable = true
		r.report(skill.MetadataUnreadable, m.Line,
			at.text()+" is "+shape(m.Value)+", so nobody can say what the skill needs", requiresHint)
		return
	}
	into.Bins = union(into.Bins, names)
	r.report(skill.ValueInvalid, m.Line, at.text()+" is "+shape(m.Value)+"; it is read as a list of programs", requiresHint)
}

const requiresHint = "write a map, such as {bins: [git], env: [API_KEY]}"

// isProgram reports a word that can only be the name of a program: no spaces,
// and not in the capitals of an environment variable.
func isProgram(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case isAlphanumeric(c):
		case i > 0 && strings.IndexByte("._+-", c) >= 0:
		default:
			return false
		}
	}
	return name != "" && (name != strings.ToUpper(name) || !strings.Contains(name, "_"))
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (r *reading) topRequires(m *tree.Member) {
	r.requires(&place{key: m.Key}, m, &r.direct)
	r.directly(m)
}

func (r *reading) topOS(m *tree.Member) {
	r.systems(&place{key: m.Key}, m.Value, &r.direct)
	r.directly(m)
}

func (r *reading) topAlways(m *tree.Member) {
	value := r.always(&place{key: m.Key}, m)
	r.direct.Always, r.saidAlways = value && (r.direct.Always || !r.saidAlways), true
	r.directly(m)
}

func (r *reading) topPrimaryEnv(m *tree.Member) {
	r.namespaceText(&r.direct.PrimaryEnv, &place{key: m.Key}, m, true)
	r.directly(m)
}

func (r *reading) topSkillKey(m *tree.Member) {
	r.namespaceText(&r.direct.SkillKey, &place{key: m.Key}, m, true)
	r.directly(m)
}

func (r *reading) topInstall(m *tree.Member) {
	if s := r.skill(); len(s.Installers) == 0 {
		s.Installers = r.parser.installers(r, &place{key: m.Key}, m)
	}
	r.directly(m)
}

// topEnv reads variables listed as maps with a name, which one dialect takes
// for requirements. In any other shape env is no requirement.
func (r *reading) topEnv(m *tree.Member) {
	at := &place{key: m.Key}
	if m.Value.Kind == tree.List && len(m.Value.List) > 0 && m.Value.List[0].Get("name") != nil {
		r.direct.Env = union(r.direct.Env, r.requirement(at, m.Value, &r.direct))
		r.directly(m)
		return
	}
	r.ignore(at, m, r.requirementHint(m.Key))
}

// allPermissions joins what one file states under several spellings; of several
// files the first that states any counts.
func (r *reading) allPermissions(m *tree.Member) {
	s := r.skill()
	before := s.Permissions
	if r.owner[fieldPermissions].file == r.file {
		s.Permissions = nil
	}
	if r.permissions(m); r.owner[fieldPermissions].file == r.file {
		s.Permissions = union(before, s.Permissions)
	}
	if len(before) == 0 && len(s.Permissions) > 0 {
		r.owner[fieldPermissions] = owner{r.file, m.Line}
	}
}

// directly remembers where the file states requirements of its own.
func (r *reading) directly(m *tree.Member) {
	if r.directLine == 0 {
		r.directLine = m.Line
	}
	r.honoured(m)
}
