package config

import "strings"

// Texts returns what a dotted key holds: its text, or those of its list. It is
// empty for a key that is not set and has no default, for a table and for a
// secret. Profiles use it to make paths of settings.
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
	if words := p.words(); len(words) > 0 {
		return words
	}
	if text := p.text(); strings.TrimSpace(text) != "" {
		return []string{text}
	}
	return nil
}
