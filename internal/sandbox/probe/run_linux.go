package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/sandbox"
)

func run(ctx context.Context, r sandbox.Runner, opt Options, chosen []Probe) ([]Finding, error) {
	s, err := set(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(s) // attacks look for it in this process
	defer s.clear()

	missing := map[string]string{}
	var names []string
	for _, p := range slices.Concat(controls(), chosen) {
		if p.offered != nil {
			if err := p.offered(s); err != nil {
				missing[p.Name] = err.Error()
				continue
			}
		}
		names = append(names, p.Name)
	}
	answers, err := s.askAll(ctx, r, opt, names)
	if err != nil {
		return nil, err
	}
	judge := func(p Probe) Finding {
		if why, ok := missing[p.Name]; ok {
			return Finding{Probe: p, Outcome: Untried, Detail: why}
		}
		return s.judge(p, answers[p.Name])
	}
	for _, p := range controls() {
		if f := judge(p); f.Outcome != Succeeded {
			err = errors.Join(err, fmt.Errorf("%s: %s", p.Title, f.Detail))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNothingRan, err)
	}
	findings := make([]Finding, 0, len(chosen))
	for _, p := range chosen {
		findings = append(findings, judge(p))
	}
	return findings, nil
}

// askAll runs the named attacks in the sandbox. Where one takes the whole sandbox
// along, the others run in another.
func (s *stage) askAll(ctx context.Context, r sandbox.Runner, opt Options, names []string) (map[string]answer, error) {
	answers := map[string]answer{}
	for len(names) > 0 {
		var out, problems bytes.Buffer
		spec, err := s.spec(opt, names)
		if err != nil {
			return nil, err
		}
		spec.Stdout, spec.Stderr = &out, &problems
		result, err := r.Run(ctx, spec)
		if errors.Is(err, sandbox.ErrUncontained) && spec.Contained {
			opt.Trusted = true
			continue
		}
		if err != nil {
			return nil, err
		}
		if opt.Reported != nil {
			opt.Reported(result.Report)
		}
		names = hear(&out, names, answers)
		if len(names) > 0 {
			last := answers[names[0]]
			last.Name, last.Untried = names[0], !last.Began
			last.Detail = fmt.Sprintf("the sandbox ended: exit %d %s %s", result.Exit, result.Signal, firstLine(problems.String()))
			answers[names[0]] = last
			if len(answers) <= len(controls()) {
				return answers, nil // nothing works: it will not get better
			}
			names = names[1:]
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// hear takes down what the inside says, and returns who has not answered.
func hear(out io.Reader, names []string, answers map[string]answer) []string {
	for lines := bufio.NewScanner(out); len(names) > 0 && lines.Scan(); {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) != nil || a.Name != names[0] {
			continue
		}
		answers[a.Name] = a
		if !a.Began {
			names = names[1:]
		}
	}
	return names
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// judge believes what the outside has seen.
func (s *stage) judge(p Probe, a answer) Finding {
	switch {
	case a.Name == "":
		return Finding{Probe: p, Outcome: Untried, Detail: "no answer"}
	case a.Untried:
		return Finding{Probe: p, Outcome: Untried, Detail: a.Detail}
	case a.Began && p.seen != nil && p.seen(s) == nil:
		return Finding{Probe: p, Outcome: Succeeded, Detail: a.Detail}
	case !a.Succeeded:
		return Finding{Probe: p, Outcome: Blocked, Detail: a.Detail}
	}
	if p.seen != nil {
		if err := p.seen(s); err != nil {
			return Finding{Probe: p, Outcome: Blocked, Detail: "without effect outside: " + err.Error()}
		}
	}
	return Finding{Probe: p, Outcome: Succeeded, Detail: a.Detail}
}

// spec is that of a skill's tool.
func (s *stage) spec(opt Options, names []string) (sandbox.Spec, error) {
	description, err := json.Marshal(s.place)
	if err != nil {
		return sandbox.Spec{}, err
	}
	spec := sandbox.Spec{
		Argv: append([]string{s.Program, childArg, "all", string(description)}, names...),
		// One thread of Go less is one process less to account for.
		Env:    []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "GOMAXPROCS=1"},
		Dir:    s.Workspace,
		Stdin:  s.input(),
		Read:   []string{s.Program, s.Skill},
		Write:  []string{s.Workspace},
		Bounds: s.Bounds, Contained: !opt.Trusted,
	}
	for _, name := range keeps() {
		spec.Keep = append(spec.Keep, filepath.Join(s.Workspace, name))
	}
	if opt.Proxied {
		spec.Proxy = refuse
	}
	return spec, nil
}

// isOurs reports a variable that the inside gets on purpose.
func isOurs(name string) bool {
	return slices.Contains([]string{
		"PATH", "LANG", "GOMAXPROCS", "HOME", "TMPDIR", "PWD", "TMP", "TEMP",
		"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy",
	}, name)
}

// refuse is a proxy that lets nothing through.
func refuse(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		closes(conn)
	}
}
