package knack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/prompt"
	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/toolbox"
	"github.com/knackhq/knack/skill"
	"github.com/knackhq/knack/tool"
)

// SessionOptions says what a session is given besides the skills.
type SessionOptions struct {
	// Toolbox is what the session can run, see [Session.Call]. With nil, the
	// embedder runs tools.
	Toolbox *Toolbox
	// Tools are what the embedder can run, without the skills' own and those of
	// Toolbox. With neither there is nothing to decide about, and no permission is
	// missing.
	Tools []tool.Spec
	// Pinned are the names of skills that are active from the start.
	Pinned []string
	// Mode is how skills are shown: full, compact or index. Empty is as
	// configured.
	Mode string
	// Note is put in front of the index of skills if it fits.
	Note string
}

// Session is one conversation. Its skills are those of the moment it was made;
// [Session.Turn] and [Session.Reload] are the only ways to newer ones. It is safe
// for use by many goroutines.
type Session struct {
	engine *Engine
	opt    SessionOptions
	box    *Toolbox
	tools  []tool.Tool // of box, without those of skills
	// secrets leaves out what is secret; it is the same for the whole session.
	secrets func() *toolbox.Redactor

	mu       sync.Mutex
	snap     *Snapshot
	commands *session.CommandSet
	own      map[*skill.Entry][]string     // names of skills' own tools
	whole    map[*skill.Entry]*skill.Entry // what was read of the snapshot so far
	active   session.Active
	chooser  *chooser                   // nil until somebody asks which skills fit
	onRead   map[string]session.Request // what the user called, to be active once it is read
	allowed  map[string]bool            // what the user allowed for this session
	places   func() skillPlaces         // where the skills of the snapshot really are
	// lingering are skills that are not trusted and that a model deactivated. It
	// has read them, so they go on taking tools away until the user says otherwise.
	lingering []session.Member
}

// NewSession loads the skills and starts a conversation. A pinned skill that
// cannot be activated is an error.
func (e *Engine) NewSession(ctx context.Context, opt SessionOptions) (*Session, error) {
	if modes := []string{"", "full", "compact", "index"}; !slices.Contains(modes, opt.Mode) {
		return nil, fmt.Errorf("there is no mode %q; there are %s", opt.Mode, strings.Join(modes[1:], ", "))
	}
	if opt.Toolbox != nil && opt.Toolbox.engine != e {
		return nil, errors.New("knack: SessionOptions.Toolbox is of another engine")
	}
	snap, err := e.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{engine: e, opt: opt, box: opt.Toolbox, allowed: map[string]bool{}}
	s.secrets = sync.OnceValue(s.redactor)
	s.see(snap)
	if s.box != nil {
		s.tools = s.box.tools(s)
		s.opt.Tools = append(slices.Clip(slices.Clone(opt.Tools)), specs(s.tools)...)
	}
	if err := distinct(s.opt.Tools); err != nil {
		return nil, err
	}
	s.activateAll(ctx)
	for _, name := range opt.Pinned {
		entry, err := snap.Find(name)
		if err != nil {
			return nil, err
		}
		if out := s.activate(ctx, session.Request{Name: entry.Name, Reason: session.Pinned}); !out[0].OK {
			return nil, errors.New(out[0].Message)
		}
	}
	if err := ctx.Err(); err != nil { // not all of them could be read
		return nil, err
	}
	return s, nil
}

// activateAll makes every usable skill active, where the host has it so.
func (s *Session) activateAll(ctx context.Context) {
	if !s.engine.profile.Activate.All {
		return
	}
	w := s.world()
	for _, entry := range s.snap.Entries() {
		if entry.Status == skill.Ready && entry.Source != remoteClass {
			s.activateIn(ctx, w, session.Request{Name: entry.Name, Reason: session.Always})
		}
	}
}

// remoteClass is the class of roots whose skills came from elsewhere and were
// never chosen one by one.
const remoteClass = "remote"

// see makes a snapshot the session's own.
func (s *Session) see(snap *Snapshot) {
	s.chooser = nil
	s.places = sync.OnceValue(func() skillPlaces { return placesOf(snap) })
	s.snap, s.whole = snap, map[*skill.Entry]*skill.Entry{}
	s.commands = s.engine.commands.With(snap.Entries())
	var ready []*skill.Entry
	for _, e := range snap.Entries() {
		if e.Status == skill.Ready {
			ready = append(ready, e)
		}
	}
	s.own = s.engine.names.Names(ready)
}

// Skills is the snapshot that the session works with.
func (s *Session) Skills() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snap
}

// Prompt is what a model is told about skills, and what of it did not fit.
type Prompt struct {
	Text   string `json:"text"`
	Index  string `json:"index"`  // the list of skills
	Bodies string `json:"bodies"` // the instructions of active ones
	Tokens int    `json:"tokens"` // estimated
	// Left are the skills that did not fit into the index, Shortened those whose
	// description was cut.
	Left      []string `json:"left"`
	Shortened []string `json:"shortened"`
}

// Prompt renders the skills for the system prompt: the index, and the
// instructions of active skills. The same session gives the same bytes.
func (s *Session) Prompt(ctx context.Context) (Prompt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.engine
	mode := s.opt.Mode
	if mode == "" {
		mode = e.settings.Skills.Mode
	}
	limits := &e.settings.Skills.Limits
	in := prompt.Input{
		Mode: mode, Workspace: e.opt.Workspace, Home: e.opt.UserHome, Note: s.opt.Note,
		MaxSkills: limits.MaxSkillsInPrompt, MaxChars: limits.MaxSkillsPromptChars,
	}
	load := s.loader()
	for _, entry := range s.snap.Entries() {
		if entry.Status != skill.Ready || entry.Invocation.ModelDisabled {
			continue
		}
		if mode == "full" { // whose renderers show instructions
			if whole, err := load(ctx, entry); err == nil { // else it is shown without
				in.Index = append(in.Index, s.item(whole, entry))
				continue
			}
			if err := ctx.Err(); err != nil {
				return Prompt{}, err
			}
		}
		in.Index = append(in.Index, s.item(entry, entry))
	}
	if mode == "full" && e.profile.Prompt.MaxTokens > 0 { // instructions have a budget of their own
		room := e.profile.Prompt.MaxTokens + e.settings.Skills.MaxContextTokens
		in.MaxTokens = &room
	}
	for _, m := range s.active.Members() {
		item := s.item(m.Entry, s.listed(m.Entry.Name))
		item.Args, item.Slash = m.Args, m.Called
		in.Active = append(in.Active, item)
	}
	p := Prompt(e.renderer.Render(in))
	if e.profile.Prompt.Default == noIndex {
		p.Left = nil // nothing was to be in it
	}
	return p, nil
}

// noIndex is the renderer of hosts that tell a model of active skills only.
const noIndex = "none"

// item is a skill for the renderer; listed is its entry in the snapshot.
func (s *Session) item(e, listed *skill.Entry) prompt.Item {
	return prompt.Item{
		Skill: &e.Skill, Dir: e.Path, Path: session.Manifest(e), Remote: e.Source == remoteClass, Tools: s.own[listed],
	}
}

// listed is the entry of that name that is ready; nil if there is none.
func (s *Session) listed(name string) *skill.Entry {
	for _, e := range s.snap.Entries() {
		if e.Name == name && e.Status == skill.Ready {
			return e
		}
	}
	return nil
}

// assembleSessions makes what every session of this engine works with.
func (e *Engine) assembleSessions() (err error) {
	p := e.profile
	if e.renderer, err = prompt.New(p.Prompt); err != nil {
		return err
	}
	if e.policy, err = policy.New(p.Policy); err != nil {
		return err
	}
	if e.activator, err = session.NewActivator(p.Activate); err != nil {
		return err
	}
	if e.commands, err = session.NewCommands(p.Command); err != nil {
		return err
	}
	if e.names, err = session.NewToolNamer(p.Tools); err != nil {
		return err
	}
	e.env, err = session.NewEnv(p.Env)
	return err
}
