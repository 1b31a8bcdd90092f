package knack

import (
	"context"

	"github.com/knackhq/knack/internal/session"
	"github.com/knackhq/knack/internal/trust"
	"github.com/knackhq/knack/skill"
)

// Why says why a skill is active.
type Why string

// The reasons for which a skill may be activated.
const (
	ByAuthor  Why = "always"
	ByMatch   Why = "matched"
	ByModel   Why = "model"
	BySlash   Why = "slash"
	ByPinning Why = "pinned"
)

// ActiveSkill is a skill whose instructions count.
type ActiveSkill struct {
	Name   string      `json:"name"`
	Why    Why         `json:"why"`
	Trust  skill.Trust `json:"trust"`
	Tokens int         `json:"tokens"`
	// From names the skill that brought it along.
	From string `json:"from,omitempty"`
}

// Answer is what became of a request to activate or deactivate a skill, in
// words for the model or the user.
type Answer struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code"`
	Skill   string `json:"skill"`
	Message string `json:"message"`
}

// Active lists the active skills in order of activation.
func (s *Session) Active() []ActiveSkill {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []ActiveSkill
	for _, m := range s.active.Members() {
		out = append(out, ActiveSkill{Name: m.Entry.Name, Why: Why(m.Reason), Trust: m.Entry.Trust, Tokens: m.Entry.Tokens, From: m.From})
	}
	return out
}

// Activate adds a skill to the active set, by its exact name, and after it the
// companions it asks for. The first answer is that of the skill itself. A
// failure leaves the set as it was.
func (s *Session) Activate(ctx context.Context, name string, why Why) []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.activate(ctx, session.Request{Name: name, Reason: session.Reason(why)})
}

func (s *Session) activate(ctx context.Context, req session.Request) []Answer {
	return s.activateIn(ctx, s.world(), req)
}

func (s *Session) activateIn(ctx context.Context, w *session.World, req session.Request) []Answer {
	set, done := s.engine.activator.Activate(ctx, s.active, w, req)
	s.active = set
	out := make([]Answer, len(done))
	for i, o := range done {
		out[i] = Answer(o)
	}
	return out
}

// world is what activation depends on.
func (s *Session) world() *session.World {
	set := &s.engine.settings.Skills
	return &session.World{
		Off: !set.Enabled,
		Find: func(name string) *skill.Entry {
			var found *skill.Entry
			for _, e := range s.snap.Entries() {
				if e.Name == name && (found == nil || e.Status == skill.Ready) {
					found = e
				}
			}
			return found
		},
		Load: s.loader(),
		Missing: func(sk *skill.Skill) (string, bool) {
			if s.opt.Tools == nil {
				return "", false
			}
			permission, missing := s.engine.policy.Missing(sk.Permissions, s.opt.Tools)
			message := s.engine.policy.MissingReason(sk.Name, permission).Message
			if need, known := needs()[permission]; known && s.box != nil {
				message += ": " + need // what would have it there
			}
			return message, missing
		},
		MaxActive: s.maxActive(), MaxTokens: set.MaxContextTokens,
	}
}

// loader reads skills of the snapshot whole, each once: the session keeps what it
// read. How far that is trusted is asked anew, of decisions as they are at the
// first call.
func (s *Session) loader() func(context.Context, *skill.Entry) (*skill.Entry, error) {
	var book *trust.Book
	return func(ctx context.Context, listed *skill.Entry) (*skill.Entry, error) {
		full := s.whole[listed]
		if full == nil {
			var err error
			if full, err = s.engine.Load(ctx, listed); err != nil {
				return nil, err
			}
			s.whole[listed] = full
		}
		if book == nil {
			book, _ = trust.Open(s.engine.trustFile())
		}
		return s.engine.weighed(book, full), nil
	}
}

// maxActive bounds the set, except where the host has every skill active.
func (s *Session) maxActive() int {
	if s.engine.profile.Activate.All {
		return 0
	}
	return s.engine.settings.Skills.MaxActive
}

// Input is what a user's text asks for.
type Input struct {
	// Text is the request for the model. It is empty if there is nothing to ask
	// a model.
	Text string `json:"text"`
	// Answers are those of the skills that the text called or mentioned.
	Answers []Answer `json:"answers"`
	// OnRead names skills that the text tells the model to read; they become
	// active when it does.
	OnRead []string `json:"onRead,omitempty"`
	// Dispatch is a call of a tool to be made instead of asking a model.
	Dispatch *Dispatch `json:"dispatch,omitempty"`
	// Problem tells the user why nothing was done.
	Problem string `json:"problem,omitempty"`
}

// Read takes what a user wrote: it activates the skills that a slash command
// calls or that are mentioned as $name, and returns what is left for a model.
func (s *Session) Read(ctx context.Context, text string) Input {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.commands.Expand(text)
	in := Input{Text: x.Body, Problem: x.Problem, Answers: []Answer{}}
	switch {
	case x.Problem != "":
		in.Text = ""
		return in
	case x.Dispatch != nil:
		d := x.Dispatch
		if in.Text, in.Problem = "", s.refusal(ctx, d); in.Problem != "" {
			return in
		}
		in.Dispatch = &Dispatch{Tool: d.Tool, Command: d.Input.Command, Name: d.Input.CommandName, Skill: d.Input.SkillName}
		return in
	}
	for _, req := range x.Activate {
		if x.OnRead {
			if s.onRead == nil {
				s.onRead = map[string]session.Request{}
			}
			s.onRead[req.Name] = req
			in.OnRead = append(in.OnRead, req.Name)
			continue
		}
		in.Answers = append(in.Answers, s.activate(ctx, req)...)
	}
	return in
}

// Turn is called between two turns of a conversation. Where skills.load.watch is
// set it is a [Session.Reload]; else nothing changes.
func (s *Session) Turn(ctx context.Context) (changed bool, lost []Answer, err error) {
	if !s.engine.settings.Skills.Load.Watch {
		return false, nil, ctx.Err()
	}
	return s.Reload(ctx)
}

// Reload takes up what changed on disk and reports whether anything did. Active
// skills stay active with their new instructions; lost tells of those that are
// gone or can no longer be used.
func (s *Session) Reload(ctx context.Context) (changed bool, lost []Answer, err error) {
	snap, err := s.engine.Snapshot(ctx)
	if err != nil {
		return false, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if snap.Version() == s.snap.Version() {
		return false, nil, nil
	}
	before, read, active, lingering := s.snap, s.whole, s.active, s.lingering
	s.see(snap)
	s.active = session.Active{}
	for _, m := range active.Members() {
		if m.From == "" { // companions come with the one that brought them
			answer := s.activate(ctx, session.Request{Name: m.Entry.Name, Reason: m.Reason, Args: m.Args, Called: m.Called})[0]
			if !answer.OK {
				lost = append(lost, answer)
			}
		}
	}
	s.activateAll(ctx)
	s.linger(active.Members())
	if err := ctx.Err(); err != nil { // not all of them could be read
		s.see(before)
		s.whole, s.active, s.lingering = read, active, lingering
		return false, nil, err
	}
	return true, lost, nil
}
