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
	// Type is boolean, string, level, strings, directories, secret or any.
	Type string `json:"type"`
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
	return Setting{Key: v.Key, Value: v.Value, Type: string(config.TypeOf(v.Key)), Layer: v.Origin.Layer, File: v.Origin.File, Line: v.Origin.Line, Name: v.Origin.Name}
}

// ConfigFile is the file that holds the user's settings, or with local the
// workspace's. It need not exist; it is empty if there is no such place.
func (e *Engine) ConfigFile(local bool) string {
	if local {
		return e.localFile
	}
	return e.homeFile
}

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

// SetEnabled switches skills on or off in the user's configuration, all of them
// or none. Switching one on also takes it off the user's list of excluded skills.
// What a workspace switches off stays off; the entries of a new snapshot tell.
func (e *Engine) SetEnabled(ctx context.Context, enabled bool, entries ...*skill.Entry) error {
	if e.homeFile == "" {
		return ErrNoConfig
	}
	var changes []config.Change
	excluded := slices.Clone(e.settings.Skills.Excluded)
	for _, entry := range entries {
		changes = append(changes, config.Change{
			Key:   config.FormatKey([]string{"skills", "entries", e.settingsKey(entry), "enabled"}),
			Value: fmt.Sprint(enabled),
		})
		if enabled {
			excluded = slices.DeleteFunc(excluded, func(name string) bool {
				return strings.EqualFold(name, entry.Name) || strings.EqualFold(name, entry.Slug)
			})
		}
	}
	if len(excluded) < len(e.settings.Skills.Excluded) {
		changes = append(changes, config.Change{Key: "skills.excluded", Value: edit.FormatList(e.ownExcluded(excluded))})
	}
	return config.SetAll(ctx, e.homeFile, changes)
}

// ownExcluded are those of the names that the user's own file excludes; the
// others are the workspace's affair.
func (e *Engine) ownExcluded(names []string) []string {
	own, _ := config.Load(config.Input{Files: config.Files{Home: e.homeFile}})
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.Contains(own.Skills.Excluded, name)
	})
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

// LogLevel is the setting log: debug, info, warn, error or empty.
func (e *Engine) LogLevel() string { return e.settings.Log }
