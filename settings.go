package knack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/config"
	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/host"
	"github.com/knackhq/knack/skill"
)

// Setting is one configuration value and where it came from. Secrets are masked.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as TOML
	// Layer is default, home, workspace, environment or flag; File and Line,
	// or Name, say where exactly.
	Layer string `json:"layer"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Name  string `json:"name,omitempty"`
}

// Settings lists every value in force, sorted by key.
func (e *Engine) Settings() []Setting {
	values := e.settings.Values()
	out := make([]Setting, len(values))
	for i, v := range values {
		out[i] = setting(v)
	}
	return out
}

// Setting returns the value of one key and whether it has one.
func (e *Engine) Setting(key string) (Setting, bool) {
	v, ok := e.settings.Get(key)
	return setting(v), ok
}

func setting(v config.Value) Setting {
	return Setting{Key: v.Key, Value: v.Value, Layer: v.Origin.Layer, File: v.Origin.File, Line: v.Origin.Line, Name: v.Origin.Name}
}

// ConfigFile is the file that holds the user's settings, or with local the
// workspace's. It need not exist; it is empty if there is no such place.
func (e *Engine) ConfigFile(local bool) string {
	if local {
		return e.localFile
	}
	return e.homeFile
}

// HoldsDirectories reports whether a setting is a list of directories, which a
// file gives relative to itself.
func HoldsDirectories(key string) bool { return config.TypeOf(key) == config.Directories }

// ErrNoConfig is returned when a setting is to be written and there is no file
// to write it to, because Options named no home or workspace.
var ErrNoConfig = errors.New("there is no configuration file here")

// Set writes a setting to the user's file, or with local to the workspace's.
// Everything else in that file stays as it is. The engine itself keeps the
// settings it was opened with.
func (e *Engine) Set(ctx context.Context, key, value string, local bool) error {
	file := e.ConfigFile(local)
	if file == "" {
		return ErrNoConfig
	}
	if local {
		if err := config.CheckLocal(key); err != nil {
			return err
		}
	}
	if key == "host" {
		if _, err := host.Load(value, e.hostFiles()...); err != nil {
			return err
		}
	}
	return config.Set(ctx, file, key, value)
}

// Unset removes a setting from the user's file, or with local the workspace's.
func (e *Engine) Unset(ctx context.Context, key string, local bool) error {
	file := e.ConfigFile(local)
	if file == "" {
		return ErrNoConfig
	}
	return config.Unset(ctx, file, key)
}

// SetEnabled switches a skill on or off in the user's configuration. Switching
// it on also takes it off the list of excluded skills, if that is in the same
// file.
func (e *Engine) SetEnabled(ctx context.Context, entry *skill.Entry, enabled bool) error {
	if enabled && hasReason(entry, skill.ReasonExcluded) {
		if err := e.include(ctx, entry); err != nil {
			return err
		}
	}
	key := config.FormatKey([]string{"skills", "entries", e.settingsKey(entry), "enabled"})
	return e.Set(ctx, key, fmt.Sprint(enabled), false)
}

// settingsKey is the entry's key in the configuration, spelled as it is there
// already, since keys count in any letter case.
func (e *Engine) settingsKey(entry *skill.Entry) string {
	for key := range e.settings.Skills.Entries {
		if strings.EqualFold(key, entry.Key()) {
			return key
		}
	}
	return entry.Key()
}

func (e *Engine) include(ctx context.Context, entry *skill.Entry) error {
	v, ok := e.settings.Get("skills.excluded")
	if ok && v.Origin.File != e.ConfigFile(false) {
		return fmt.Errorf("%s is excluded by %s:%d; take it off that list", entry.Name, v.Origin.File, v.Origin.Line)
	}
	rest := slices.DeleteFunc(slices.Clone(e.settings.Skills.Excluded), func(x string) bool {
		return x == entry.Name || x == entry.Slug
	})
	return e.Set(ctx, "skills.excluded", edit.FormatList(rest), false)
}

func hasReason(entry *skill.Entry, code skill.Code) bool {
	return slices.ContainsFunc(entry.Reasons, func(r skill.Reason) bool { return r.Code == code })
}
