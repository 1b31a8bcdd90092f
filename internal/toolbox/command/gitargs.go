package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/knackhq/knack/internal/wording"
)

// subcommand is what git can be told to do.
type subcommand struct {
	writes bool
	// options are given with every call.
	options []string
}

// subcommands are those that work on a repository alone.
var subcommands = sync.OnceValue(func() map[string]subcommand {
	return map[string]subcommand{
		"blame":       {},
		"cat-file":    {},
		"describe":    {},
		"diff":        {options: []string{"--no-ext-diff"}},
		"grep":        {},
		"log":         {options: []string{"--no-ext-diff"}},
		"ls-files":    {},
		"ls-tree":     {},
		"merge-base":  {},
		"rev-parse":   {},
		"shortlog":    {},
		"show":        {options: []string{"--no-ext-diff"}},
		"status":      {},
		"add":         {writes: true},
		"branch":      {writes: true},
		"checkout":    {writes: true},
		"cherry-pick": {writes: true},
		"commit":      {writes: true},
		"merge":       {writes: true},
		"mv":          {writes: true},
		"reset":       {writes: true},
		"restore":     {writes: true},
		"revert":      {writes: true},
		"rm":          {writes: true},
		"stash":       {writes: true},
		"switch":      {writes: true},
		"tag":         {writes: true},
	}
})

// remote are subcommands that other machines or repositories have a part in.
var remote = []string{"push", "fetch", "pull", "clone", "remote", "submodule", "ls-remote", "bundle", "send-pack", "archive"}

// refusedOptions run programs, write elsewhere, or lead to other repositories.
// Git takes any beginning of a long option for it, so beginnings are refused too.
var refusedOptions = []string{
	"--output", "--output-directory", "--ext-diff", "--textconv", "--open-files-in-pager", "--exec", "--exec-path",
	"--git-dir", "--work-tree", "--namespace", "--config-env", "--upload-pack", "--receive-pack", "--remote",
	"--recurse-submodules", "--gpg-sign", "--show-signature", "--verify-signatures", "--filters",
}

// harmlessOptions are the beginning of a refused one, or one, and mean something
// else to these subcommands.
var harmlessOptions = map[string][]string{
	"--text":    {"diff", "log", "show", "grep", "stash"},
	"--git-dir": {"rev-parse"},
}

// strategies are the ways of merging that are part of git. Others would be
// programs.
var strategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

func subcommandNames() []string { return slices.Sorted(maps.Keys(subcommands())) }

// checkGit refuses what is not for the git tool, and tells whether the call
// writes to the repository.
func checkGit(args []string) (writes bool, err error) {
	if len(args) == 0 {
		return false, errors.New("args is empty: give a subcommand, such as status")
	}
	name := args[0]
	sub, ok := subcommands()[name]
	switch {
	case strings.HasPrefix(name, "-"):
		return false, fmt.Errorf("git %s: the subcommand comes first; options of git itself are not taken", wording.Name(name))
	case slices.Contains(remote, name):
		return false, fmt.Errorf("git %s needs other machines or repositories, which the git tool does not reach; use the shell tool, or ask the user to run it", name)
	case !ok:
		return false, fmt.Errorf("git %s is not one of %s; use the shell tool, or ask the user to run it", wording.Quote(wording.Name(name)), strings.Join(subcommandNames(), ", "))
	}
	for i, arg := range args[1:] {
		if strings.IndexByte(arg, 0) >= 0 {
			return false, fmt.Errorf("git %s: an argument has a NUL byte in it", name)
		}
		if len(arg) >= longestWord {
			return false, fmt.Errorf("git %s: an argument is longer than %d KiB", name, longestWord>>10)
		}
		// Options are also looked for behind "--": a path that looks like one can
		// be written ./--so.
		if !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--" {
			continue
		}
		if reason := refusedOption(name, arg, args[i+2:]); reason != "" {
			return false, fmt.Errorf("git %s %s: %s; use the shell tool, or ask the user to run it", name, wording.Name(arg), reason)
		}
	}
	return sub.writes, nil
}

// refusedOption says why an option is refused; rest is what follows it.
func refusedOption(sub, arg string, rest []string) string {
	long, value, assigned := strings.Cut(arg, "=")
	if !strings.HasPrefix(arg, "--") {
		return refusedShort(sub, arg, rest)
	}
	if sub == "merge" || sub == "cherry-pick" || sub == "revert" {
		if long != "--s" && begins(long, "--strategy") {
			if !assigned && len(rest) > 0 {
				value = rest[0]
			}
			return refusedStrategy(value)
		}
	}
	if slices.Contains(harmlessOptions[long], sub) {
		return ""
	}
	for _, refused := range refusedOptions {
		if begins(long, refused) {
			return "it stands for " + refused + ", which runs programs or leads elsewhere"
		}
	}
	return ""
}

// begins reports whether a long option is the beginning of another.
func begins(given, option string) bool { return len(given) > 2 && strings.HasPrefix(option, given) }

// refusedShort looks at letters up to the first that takes the rest for its value.
func refusedShort(sub, arg string, rest []string) string {
	letters := arg[1:]
	switch sub {
	case "grep":
		if n := strings.IndexAny(letters, "OefABCm"); n >= 0 && letters[n] == 'O' {
			return "it opens files in a program"
		}
	case "merge", "cherry-pick", "revert":
		if n := strings.IndexAny(letters, "smFSX"); n >= 0 && letters[n] == 's' && (sub == "merge" || n+1 < len(letters)) {
			value := letters[n+1:]
			if value == "" && len(rest) > 0 {
				value = rest[0]
			}
			return refusedStrategy(value)
		}
	}
	return ""
}

func refusedStrategy(name string) string {
	if slices.Contains(strategies, name) {
		return ""
	}
	return "a strategy that is not part of git is a program"
}

// withOptions adds what is given with every call.
func withOptions(args []string) []string {
	return slices.Concat(args[:1], subcommands()[args[0]].options, args[1:])
}
