package gate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/edit"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// installers are the ways to install a program: the program that does it,
// empty if none is needed, and the command's beginning.
var installers = [...]struct{ kind, program, command string }{
	{"brew", "brew", "brew install "},
	{"node", "npm", "npm install -g "},
	{"npm", "npm", "npm install -g "},
	{"go", "go", "go install "},
	{"uv", "uv", "uv tool install "},
	{"download", "", "download "},
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// consists reports whether text is not empty, not longer than limit, and made
// of the given characters only.
func consists(text, of string, limit int) bool {
	return text != "" && len(text) <= limit && strings.Trim(text, of) == ""
}

// safePackage reports whether a name means the same to a shell as to a reader:
// it can be no option, no path and no second command. 214 is the longest name
// that npm allows.
func safePackage(name string) bool {
	return consists(name, letters+digits+"@._/+-", 214) &&
		!strings.ContainsRune("._/+-", rune(name[0])) && !strings.Contains(name, "..")
}

// safeURL reports whether an address has no character that a shell would act
// on, and no name before the host, as in https://github.com@example.net, which
// misleads readers. 2048 is a length that every browser takes.
func safeURL(text string) bool {
	if !consists(text, letters+digits+"._/+:%~=@-", 2048) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.User == nil && u.Host != ""
}

// canExport reports whether a shell can set a variable of that name. 255 is
// generous: the longest names in use have about 60 letters.
func canExport(name string) bool {
	return consists(name, letters+digits+"_", 255) && !strings.ContainsRune(digits, rune(name[0]))
}

// installHint says how to install one of the given programs. It prefers an
// installer whose own program is here, then the author's order.
func (q *question) installHint(bins ...string) string {
	first := ""
	for _, bin := range bins {
		for _, spec := range q.providers(bin) {
			program, command := installCommand(spec)
			if command != "" && (program == "" || q.env.HasBin(program)) {
				return command
			}
			if first == "" {
				first = command
			}
		}
	}
	switch {
	case first != "":
		return first
	case len(bins) == 1:
		return "install " + wording.Name(bins[0]) + " and make sure it is on your PATH"
	default:
		return "install one of them and make sure it is on your PATH"
	}
}

// providers are the install entries of the skill for this system that bring
// the program. An entry that does not say what it brings is believed to bring
// it only where it is the only one.
func (q *question) providers(bin string) []skill.InstallSpec {
	all := slices.Concat(q.skill.Installers, q.skill.Recipes)
	all = slices.DeleteFunc(all, func(spec skill.InstallSpec) bool {
		return len(spec.OS) > 0 && !q.fits(spec.OS, q.env.OS)
	})
	if len(all) == 1 && len(all[0].Bins) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(spec skill.InstallSpec) bool { return !slices.Contains(spec.Bins, bin) })
}

// installCommand is the command of an install entry and the program it runs;
// no command if the entry's text is not safe to show as one.
func installCommand(spec skill.InstallSpec) (program, command string) {
	for _, way := range installers {
		if way.kind != strings.ToLower(spec.Kind) {
			continue
		}
		target := strings.TrimSpace(spec.Package)
		switch way.kind {
		case "download":
			if target = strings.TrimSpace(spec.URL); !safeURL(target) {
				return "", ""
			}
			return way.program, way.command + target
		case "go":
			if target != "" && !strings.Contains(target, "@") {
				target += "@latest"
			}
		}
		if !safePackage(target) {
			return "", ""
		}
		return way.program, way.command + target
	}
	return "", ""
}

// variableHint says how to set a variable, in every place that counts.
func (q *question) variableHint(name string) string {
	if !canExport(name) {
		return "no variable can have this name; the skill's author has to mend requires.env"
	}
	ways := make([]string, len(q.sources))
	for i, source := range q.sources {
		ways[i] = source.hint(q, name)
	}
	return strings.Join(ways, ", or ")
}

func exportHint(q *question, name string) string {
	if q.env.OS == "windows" {
		return "set " + name + "=…"
	}
	return "export " + name + "=…"
}

func configHint(q *question, name string) string {
	setting := []string{"env", name}
	if name == q.skill.Requires.PrimaryEnv {
		setting = []string{"api_key"}
	}
	parts := append([]string{"skills", "entries", q.skill.Key()}, setting...)
	return "knack config set " + configKey(parts...) + " VALUE"
}

// configKey writes a configuration key as one word of a shell command. Parts
// that a skill chose may hold anything.
func configKey(parts ...string) string {
	return wording.ShellWord(edit.FormatKey(parts))
}
