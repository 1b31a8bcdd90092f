package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
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
func gitEnvironment(repository, author string) map[string]string {
	env := map[string]string{
		"GIT_DIR": repository, "GIT_COMMON_DIR": repository, "GIT_WORK_TREE": filepath.Dir(repository),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
		"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GIT_SSH_COMMAND": "false",
		"GIT_PAGER": "cat", "GIT_EDITOR": ":", "GIT_SEQUENCE_EDITOR": ":",
		"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0",
	}
	name, address, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(author), ">"), "<")
	if name = strings.TrimSpace(name); name != "" {
		for _, role := range []string{"AUTHOR", "COMMITTER"} {
			env["GIT_"+role+"_NAME"], env["GIT_"+role+"_EMAIL"] = name, strings.TrimSpace(address)
		}
	}
	return env
}

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

// overrides asks git which programs the repository's configuration names, as only
// git reads that as git does, and returns what keeps them from running.
func (o Options) overrides(ctx context.Context, spec sandbox.Spec) ([]setting, error) {
	var keys, problem bytes.Buffer
	spec.Argv = []string{"git", "config", "--list", "--includes", "--name-only", "-z"}
	spec.Write, spec.Keep = nil, nil
	spec.Read = append(spec.Read[:len(spec.Read):len(spec.Read)], o.Workspace)
	spec.Stdout, spec.Stderr = &limited{left: 1 << 20, to: &keys}, &limited{left: 4 << 10, to: &problem}
	ctx, cancel := context.WithTimeout(ctx, o.timeout())
	defer cancel()
	result, err := o.Runner.Run(ctx, spec)
	switch {
	case err != nil:
		return nil, err
	case result.Exit != 0 || result.TimedOut || result.Signal != "":
		return nil, fmt.Errorf("git cannot read the repository's configuration: %s", strings.TrimSpace(problem.String()))
	}
	settings, seen := append([]setting(nil), fixed...), map[string]bool{}
	for _, key := range strings.Split(keys.String(), "\x00") {
		for _, s := range instead(key) {
			if !seen[s.key] {
				seen[s.key] = true
				settings = append(settings, s)
			}
		}
	}
	if len(settings) > mostOverrides || keys.Len() >= 1<<20 {
		return nil, errors.New("the repository's configuration names too many programs to keep them all from running")
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
