package command

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
)

// setting is one line of configuration.
type setting struct{ key, value string }

// fixed is the configuration that counts whatever a repository says. Each line
// keeps a program from being started, the network from being used, or the
// configuration from being written.
var fixed = []setting{
	{"core.hooksPath", "/dev/null"},
	{"core.fsmonitor", "false"},
	{"core.pager", "cat"},
	{"core.editor", ":"},
	{"sequence.editor", ":"},
	{"core.sshCommand", "false"},
	{"core.gitProxy", "false"},
	{"core.askPass", "false"},
	{"core.alternateRefsCommand", "false"},
	{"core.attributesFile", "/dev/null"},
	{"credential.helper", ""},
	{"interactive.diffFilter", "cat"},
	{"diff.external", ""},
	{"diff.ignoreSubmodules", "all"},
	{"status.submoduleSummary", "false"},
	{"submodule.recurse", "false"},
	{"log.showSignature", "false"},
	{"merge.verifySignatures", "false"},
	{"commit.gpgSign", "false"},
	{"tag.gpgSign", "false"},
	{"tag.forceSignAnnotated", "false"},
	{"gpg.program", "false"},
	{"gpg.openpgp.program", "false"},
	{"gpg.x509.program", "false"},
	{"gpg.ssh.program", "false"},
	{"gpg.ssh.defaultKeyCommand", "false"},
	{"pull.twohead", "recursive"},
	{"pull.octopus", "octopus"},
	{"protocol.allow", "never"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"safe.bareRepository", "explicit"},
	{"branch.autoSetupMerge", "false"},
	{"user.useConfigOnly", "true"},
}

// named is the configuration of what a repository gives names to: what the key
// begins and ends with, and what is put in its place so that nothing runs.
var named = []struct {
	section, key string
	instead      []setting
}{
	{"filter.", ".clean", inert}, {"filter.", ".smudge", inert}, {"filter.", ".process", inert}, {"filter.", ".required", inert},
	{"diff.", ".textconv", []setting{{".textconv", "cat"}}},
	{"diff.", ".command", []setting{{".command", "false"}}},
	{"merge.", ".driver", []setting{{".driver", "false"}}}, // a conflict, left to be solved
	{"trailer.", ".command", []setting{{".command", "false"}}},
	{"trailer.", ".cmd", []setting{{".cmd", "false"}}},
	{"hook.", ".command", []setting{{".command", "true"}, {".enabled", "false"}}},
	{"submodule.", ".ignore", []setting{{".ignore", "all"}}},
	{"submodule.", ".update", []setting{{".update", "none"}}},
	{"alias.", "", []setting{{"", "version"}}},
}

var inert = []setting{{".clean", ""}, {".smudge", ""}, {".process", ""}, {".required", "false"}}

// gitEnvironment names the repository, so that git looks for no other, and leaves
// out all configuration but its own.
func gitEnvironment(repository string) map[string]string {
	return map[string]string{
		"GIT_DIR": repository, "GIT_COMMON_DIR": repository, "GIT_WORK_TREE": filepath.Dir(repository),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
		"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GIT_SSH_COMMAND": "false",
		"GIT_PAGER": "cat", "GIT_EDITOR": ":", "GIT_SEQUENCE_EDITOR": ":",
		"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0",
	}
}

// identity is who commits, as the environment gives it to git. What the
// repository's configuration says counts before it, as it does for everybody who
// works there.
func identity(author string, keys []string) []string {
	name, address, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(author), ">"), "<")
	var env []string
	for _, part := range []struct{ key, variable, value string }{
		{"name", "NAME", strings.TrimSpace(name)}, {"email", "EMAIL", strings.TrimSpace(address)},
	} {
		for _, role := range []string{"author", "committer"} {
			if part.value != "" && !slices.Contains(keys, "user."+part.key) && !slices.Contains(keys, role+"."+part.key) {
				env = append(env, "GIT_"+strings.ToUpper(role)+"_"+part.variable+"="+part.value)
			}
		}
	}
	return env
}

const (
	// asksWho is in what git says, in every language, where it does not know who
	// commits.
	asksWho = "git config --global user."
	nobody  = "\ngit does not know who commits: the user has to run git config user.name NAME and git config user.email ADDRESS, " +
		"in the repository or with --global; it is not to be made up"
)

// configured are settings as the environment gives them to git.
func configured(settings []setting) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings))}
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

// mostOverrides is more than any repository has need of, and fits an environment.
const mostOverrides = 2000

// longestKeys are the names in any configuration that people write.
const longestKeys = 1 << 20

// keys asks git what the repository's configuration sets, as only git reads that as
// git does.
func (o Options) keys(ctx context.Context, spec sandbox.Spec) ([]string, error) {
	var keys, problem bytes.Buffer
	spec.Argv = []string{"git", "config", "--list", "--includes", "--name-only", "-z"}
	spec.Write, spec.Keep = nil, nil
	spec.Read = append(spec.Read[:len(spec.Read):len(spec.Read)], o.Workspace)
	spec.Stdout, spec.Stderr = &limited{left: longestKeys, to: &keys}, &limited{left: 4 << 10, to: &problem}
	ctx, cancel := context.WithTimeout(ctx, o.timeout())
	defer cancel()
	result, err := o.Runner.Run(ctx, spec)
	switch {
	case err != nil:
		return nil, err
	case result.Exit != 0 || result.TimedOut || result.Signal != "":
		return nil, fmt.Errorf("git cannot read the repository's configuration: %s", strings.TrimSpace(problem.String()))
	case keys.Len() >= longestKeys:
		return nil, errConfiguration
	}
	return strings.Split(keys.String(), "\x00"), nil
}

// overrides are the settings that keep the programs from running which a
// configuration with these keys names.
func overrides(keys []string) ([]setting, error) {
	settings, seen := slices.Clone(fixed), map[string]bool{}
	for _, key := range keys {
		for _, s := range instead(key) {
			if !seen[s.key] {
				seen[s.key] = true
				settings = append(settings, s)
			}
		}
	}
	if len(settings) > mostOverrides {
		return nil, errConfiguration
	}
	return settings, nil
}

// instead is what takes the place of a key that names a program. Git writes the
// first and the last part of a key in lower case.
func instead(key string) []setting {
	for _, n := range named {
		if !strings.HasPrefix(key, n.section) || !strings.HasSuffix(key, n.key) || len(key) <= len(n.section)+len(n.key) {
			continue
		}
		var out []setting
		for _, s := range n.instead {
			out = append(out, setting{strings.TrimSuffix(key, n.key) + s.key, s.value})
		}
		return out
	}
	return nil
}

// limited takes what fits and drops the rest.
type limited struct {
	left int
	to   *bytes.Buffer
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(l.left, len(p))
	l.left -= n
	l.to.Write(p[:n])
	return len(p), nil
}
