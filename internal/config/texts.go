package config

import (
	"slices"
	"strings"
)

// Texts returns what a dotted key holds: its text, or those of its list. It is
// empty for a key that is not set and has no default, for a table and for a
// secret. Profiles use it to make paths of settings, so variables that the file of
// a host names are replaced.
func (s *Settings) Texts(key string) []string {
	path, err := ParseKey(key)
	if err != nil {
		return nil
	}
	path = s.canonical(path)
	p := s.merged.find(path...)
	if p == nil || p.value == nil {
		p = s.effective(path...)
	}
	if p == nil || p.key != nil && p.key.Type == Secret {
		return nil
	}
	texts := p.words()
	if len(texts) == 0 {
		if strings.TrimSpace(p.text()) == "" {
			return nil
		}
		texts = []string{p.text()}
	}
	if s.templates && p.key == nil && p.origin.Layer == layerHost {
		for i := range texts {
			if text, missing := expand(texts[i], s.environ); missing == "" {
				texts[i] = text
			}
		}
	}
	return texts
}

// WorkspaceTexts are those of [Settings.Texts] that the workspace's file alone
// puts on a list. They are nobody's word but the workspace's.
func (s *Settings) WorkspaceTexts(key string) []string {
	path, err := ParseKey(key)
	if err != nil {
		return nil
	}
	p := s.effective(s.canonical(path)...)
	if p == nil {
		return nil
	}
	var theirs, others []string
	for _, part := range p.layers() {
		if part.origin.Layer == layerWorkspace {
			theirs = append(theirs, part.words()...)
		} else {
			others = append(others, part.words()...)
		}
	}
	return slices.DeleteFunc(theirs, func(text string) bool { return slices.Contains(others, text) })
}
