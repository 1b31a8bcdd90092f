package catalog

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// record is what was read from one skill's folder, packed: the skill without
// its text, and what there is to say about its files, which are named relative
// to the folder. Every entry is made from a record, whether its files were
// read just now or its record comes from the index, so the two cannot differ.
type record struct {
	packed string
	// sum stands for packed in the snapshot's version.
	sum [sumSize]byte
}

// sumSize bytes hold two checksums, which tell records apart as those of the
// files do; see [skill.Manifest].
const sumSize = 8

// pack makes a record. buf is scratch space, returned grown. The record keeps
// nothing of the result in memory, so that a header does not keep the file
// alive that it was cut from.
func pack(r *format.Result, buf []byte, mem *memory) (record, []byte) {
	header := r.Skill
	header.Body, header.Prompts, header.Resources = skill.Text{}, nil, nil
	w := mem.wire(wire{out: buf[:0]})
	w.bool(&r.Usable)
	w.skill(&header)
	list(w, &r.Diagnostics, &mem.diagnostics, diagnosticBytes, (*wire).diagnostic)
	rec := record{packed: string(w.out)}
	binary.LittleEndian.PutUint32(rec.sum[:], checksum(w.out))
	binary.LittleEndian.PutUint32(rec.sum[4:], crc32.ChecksumIEEE(w.out))
	return rec, w.out
}

// unpack fills the skill and the diagnostics of e. It reports whether the
// files made a skill at all, and whether the record could be read.
func (r *record) unpack(e *skill.Entry, mem *memory) (usable, ok bool) {
	w := mem.wire(wire{reading: true, in: r.packed})
	w.bool(&usable)
	w.skill(&e.Skill)
	list(w, &e.Diagnostics, &mem.diagnostics, diagnosticBytes, (*wire).diagnostic)
	return usable, !w.bad && w.in == ""
}

// The least bytes that elements of lists take: one for each field that can be
// empty. They bound what garbage can allocate.
const (
	diagnosticBytes = 6
	fieldBytes      = 4
	manifestBytes   = 4
	toolBytes       = 7
	argBytes        = 3
	installBytes    = 12
	resourceBytes   = 3
)

func (w *wire) diagnostic(d *skill.Diagnostic) {
	w.string((*string)(&d.Code))
	w.string((*string)(&d.Severity))
	w.string(&d.File)
	w.int(&d.Line)
	w.string(&d.Message)
	w.string(&d.Hint)
}

func (w *wire) skill(s *skill.Skill) {
	w.string(&s.Name)
	w.string(&s.Slug)
	w.text(&s.Description)
	w.string(&s.Version)
	w.string(&s.Author)
	w.string(&s.Category)
	w.string(&s.License)
	w.string(&s.Homepage)
	w.string(&s.Emoji)
	w.strings(&s.Tags)
	w.strings(&s.Triggers)
	w.text(&s.Compatibility)
	w.strings(&s.Permissions)
	w.strings(&s.AllowedTools)
	w.strings(&s.DisallowedTools)
	w.strings(&s.Companions)
	w.activation(&s.Activation)
	w.requirements(&s.Requires)
	w.bool(&s.Invocation.UserDisabled)
	w.bool(&s.Invocation.ModelDisabled)
	w.text(&s.Invocation.ArgumentHint)
	w.string(&s.Dispatch.Kind)
	w.string(&s.Dispatch.Tool)
	w.string(&s.Dispatch.ArgMode)
	list(w, &s.Tools, &w.mem.tools, toolBytes, (*wire).tool)
	list(w, &s.Recipes, &w.mem.installs, installBytes, (*wire).install)
	list(w, &s.Installers, &w.mem.installs, installBytes, (*wire).install)
	list(w, &s.Extra, &w.mem.fields, fieldBytes, (*wire).field)
	w.string(&s.Format)
	list(w, &s.Manifests, &w.mem.manifests, manifestBytes, (*wire).manifest)
	w.int(&s.Tokens)
	w.string((*string)(&s.Trust))
	w.string(&s.Provenance.Source)
	w.string(&s.Digest)
	list(w, &s.Prompts, &w.mem.texts, 1, (*wire).text)
	w.text(&s.Body)
	list(w, &s.Resources, &w.mem.resources, resourceBytes, (*wire).resource)
}

func (w *wire) activation(a *skill.Activation) {
	w.strings(&a.Keywords)
	w.strings(&a.ExcludeKeywords)
	w.strings(&a.Patterns)
	w.strings(&a.Tags)
	w.int(&a.MaxContextTokens)
}

func (w *wire) requirements(r *skill.Requirements) {
	w.strings(&r.OS)
	w.strings(&r.Bins)
	w.strings(&r.AnyBins)
	w.strings(&r.Env)
	w.strings(&r.Config)
	w.bool(&r.Always)
	w.string(&r.SkillKey)
	w.string(&r.PrimaryEnv)
	w.bool(&r.Unreadable)
}

func (w *wire) tool(t *skill.ToolDecl) {
	w.string(&t.Name)
	w.text(&t.Description)
	w.string(&t.Kind)
	w.string(&t.Command)
	w.string(&t.Method)
	w.string(&t.URL)
	list(w, &t.Args, &w.mem.args, argBytes, (*wire).arg)
}

func (w *wire) arg(a *skill.ToolArg) {
	w.string(&a.Name)
	w.text(&a.Description)
	w.bool(&a.Dash)
}

func (w *wire) install(i *skill.InstallSpec) {
	w.string(&i.ID)
	w.string(&i.Kind)
	w.text(&i.Label)
	w.strings(&i.OS)
	w.strings(&i.Bins)
	w.string(&i.Package)
	w.string(&i.URL)
	w.string(&i.Archive)
	w.bool(&i.Extract)
	w.int(&i.StripComponents)
	w.string(&i.TargetDir)
	w.string(&i.SHA256)
}

func (w *wire) field(f *skill.Field) {
	w.string(&f.Key)
	w.text(&f.Value)
	w.string(&f.File)
	w.int(&f.Line)
}

func (w *wire) manifest(m *skill.Manifest) {
	w.string(&m.File)
	w.int64(&m.Size)
	w.string(&m.SHA256)
	w.uint64(&m.Sum)
}

func (w *wire) resource(r *skill.Resource) {
	w.string(&r.Path)
	w.int64(&r.Size)
	w.bool(&r.Executable)
}
