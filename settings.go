package knack

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	// Type is boolean, integer, number, string, level, choice, strings,
	// directory, directories, secret or any.
	Type string `json:"type"`
	// Layer is default, host, home, workspace, environment or flag; File and
	// Line, or Name, say where exactly.
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

// Target says which configuration file is meant.
type Target string

// The files that settings are read from.
const (
	User      Target = "user"      // in Knack's home
	Workspace Target = "workspace" // of the workspace
	HostsOwn  Target = "host"      // of the system that Knack behaves as
)

// ConfigFile is the path of a configuration file. It need not exist; it is
// empty if there is no such place.
func (e *Engine) ConfigFile(of Target) string {
	switch of {
	case Workspace:
		return e.localFile
	case HostsOwn:
		return e.foreign.File
	default:
		return e.homeFile
	}
}

// ErrNoConfig is returned when a setting is to be written and there is no file
// to write it to, because Options named no home or workspace, or the host keeps
// none.
var ErrNoConfig = errors.New("there is no configuration file here")

// Set writes a setting to a file. Everything else in that file stays as it is.
// The engine itself keeps the settings it was opened with.
func (e *Engine) Set(ctx context.Context, in Target, key, value string) error {
	switch {
	case in == HostsOwn:
		return e.setHosts(config.SetHost(ctx, e.foreign, []config.Change{{Key: key, Value: value}}))
	case e.ConfigFile(in) == "":
		return ErrNoConfig
	case in == Workspace:
		if err := config.CheckLocal(key); err != nil {
			return err
		}
	}
	if key == "host" {
		if _, err := host.Load(value, e.hostFiles()...); err != nil {
			return err
		}
	}
	return config.Set(ctx, e.ConfigFile(in), key, value)
}

// setHosts explains why there is nothing to write to, natively.
func (e *Engine) setHosts(err error) error {
	if e.profile.Name == host.Native {
		return fmt.Errorf("%w: the host in force is Knack itself, whose file is %s", ErrNoConfig, e.homeFile)
	}
	return err
}

// Unset removes a setting from a file.
func (e *Engine) Unset(ctx context.Context, in Target, key string) error {
	switch file := e.ConfigFile(in); {
	case in == HostsOwn:
		return e.setHosts(config.UnsetHost(ctx, e.foreign, key))
	case file == "":
		return ErrNoConfig
	default:
		return config.Unset(ctx, file, key)
	}
}

// SetEnabled switches skills on or off in the user's configuration or the
// host's own, all of them or none. Switching one on also takes it off the file's
// list of excluded skills. What another file switches off stays off; the entries
// of a new snapshot tell.
func (e *Engine) SetEnabled(ctx context.Context, in Target, enabled bool, entries ...*skill.Entry) error {
	if in == HostsOwn {
		names := make([]string, len(entries))
		for i, entry := range entries {
			names[i] = e.settingsKey(entry)
		}
		return e.setHosts(config.SetHostEnabled(ctx, e.foreign, enabled, names))
	}
	file := e.ConfigFile(in)
	if file == "" {
		return ErrNoConfig
	}
	var changes []config.Change
	own := ownExcluded(file)
	excluded := slices.Clone(own)
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
	if len(excluded) < len(own) {
		changes = append(changes, config.Change{Key: "skills.excluded", Value: edit.FormatList(excluded)})
	}
	return config.SetAll(ctx, file, changes)
}

// ownExcluded are the names that one file excludes; others are not its affair.
func ownExcluded(file string) []string {
	own, _ := config.Load(config.Input{Files: config.Files{Home: file}})
	return own.Skills.Excluded
}

// settingsKey is the entry's key in the configuration, spelled as it is there
// already, where keys count in any letter case.
func (e *Engine) settingsKey(entry *skill.Entry) string {
	key := entry.Key()
	if _, exact := e.settings.Skills.Entries[key]; exact || e.foreign.ExactNames {
		return key
	}
	for _, spelled := range slices.Sorted(maps.Keys(e.settings.Skills.Entries)) {
		if strings.EqualFold(spelled, key) {
			return spelled
		}
	}
	return key
}

// LogLevel is the setting log: debug, info, warn, error or empty.
func (e *Engine) LogLevel() string { return e.settings.Log }
