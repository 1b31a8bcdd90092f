package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/sandbox"
)

// scripted is a runner that answers by itself. It gets what the inside gets.
type scripted func(p place, names []string, out io.Writer) sandbox.Result

func (f scripted) Run(_ context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	var p place
	if err := json.Unmarshal([]byte(spec.Argv[3]), &p); err != nil {
		return sandbox.Result{}, err
	}
	return f(p, spec.Argv[4:], spec.Stdout), nil
}

func (scripted) Expect(context.Context, sandbox.Spec) sandbox.Report { return sandbox.Report{} }

// say makes the controls true, and has other probes answered by what is given.
func say(t *testing.T, says func(p place, name string) []answer) scripted {
	return func(p place, names []string, out io.Writer) sandbox.Result {
		if err := os.WriteFile(filepath.Join(p.Work, "control"), []byte(p.Token), 0o600); err != nil {
			t.Error(err)
		}
		for _, name := range names {
			answers := []answer{{Name: name, Succeeded: true}}
			if !strings.HasPrefix(name, "control-") {
				answers = says(p, name)
			}
			for _, a := range answers {
				_ = json.NewEncoder(out).Encode(a)
			}
			if len(answers) == 0 || answers[len(answers)-1].Began {
				return sandbox.Result{Exit: -1, Signal: "killed"} // the rest gets no answer
			}
		}
		return sandbox.Result{}
	}
}

func options(t *testing.T, only ...string) Options {
	t.Helper()
	return Options{Program: attacker(t), Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir(), "CANARY=1"}, Only: only}
}

// What is believed, and what not.
func TestOutcomes(t *testing.T) {
	claim := func(p place, name string) []answer { return []answer{{Name: name, Succeeded: true}} }
	for name, c := range map[string]struct {
		probe string
		says  func(p place, name string) []answer
		want  Outcome
		why   string
	}{
		"reading is believed":          {"read-ssh-key", claim, Succeeded, ""},
		"writing is not, without file": {"write-home", claim, Blocked, "without effect outside"},
		"writing is, with it": {"write-home", func(p place, name string) []answer {
			if err := os.WriteFile(filepath.Join(p.Home, ".profile"), []byte(p.Token), 0o600); err != nil {
				t.Error(err)
			}
			return claim(p, name)
		}, Succeeded, ""},
		"a kept file is as it was":      {"keep-overwrite", claim, Blocked, "as it was"},
		"a signal hit somebody else":    {"signal", claim, Blocked, "without effect outside"},
		"a daemon is gone":              {"daemon", claim, Blocked, "did not outlive"},
		"a priority is as it was":       {"renice", claim, Blocked, "as it was"},
		"failed":                        {"read-ssh-key", func(_ place, name string) []answer { return []answer{{Name: name, Detail: "EACCES"}} }, Blocked, "EACCES"},
		"not tried":                     {"read-ssh-key", func(_ place, name string) []answer { return []answer{{Name: name, Untried: true, Detail: "why"}} }, Untried, "why"},
		"the sandbox ended, before":     {"read-ssh-key", func(place, string) []answer { return nil }, Untried, "the sandbox ended"},
		"the sandbox ended, in between": {"read-ssh-key", func(_ place, name string) []answer { return []answer{{Name: name, Began: true}} }, Blocked, "the sandbox ended"},
		"the sandbox ended, too late": {"write-home", func(p place, name string) []answer {
			if err := os.WriteFile(filepath.Join(p.Home, ".profile"), []byte(p.Token), 0o600); err != nil {
				t.Error(err)
			}
			return []answer{{Name: name, Began: true}}
		}, Succeeded, ""},
		"an answer to something else": {"read-ssh-key", func(place, string) []answer { return []answer{{Name: "write-home", Succeeded: true}} }, Untried, "the sandbox ended"},
	} {
		t.Run(name, func(t *testing.T) {
			opt := options(t, c.probe)
			found, err := Run(t.Context(), say(t, c.says), opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Probe.Name != c.probe || found[0].Outcome != c.want || !strings.Contains(found[0].Detail, c.why) {
				t.Errorf("got %+v", found)
			}
			if left, _ := os.ReadDir(opt.Dir); len(left) > 0 {
				t.Errorf("%v is left behind", left)
			}
		})
	}
}

// One that takes the sandbox along does not keep the others from being tried.
func TestOthersGoOn(t *testing.T) {
	found, err := Run(t.Context(), say(t, func(_ place, name string) []answer {
		if name == "list-ssh" {
			return nil
		}
		return []answer{{Name: name}}
	}), options(t, "read-ssh-key", "list-ssh", "memory"))
	if err != nil {
		t.Fatal(err)
	}
	var got []Outcome
	for _, f := range found {
		got = append(got, f.Outcome)
	}
	if diff := cmp.Diff([]Outcome{Blocked, Untried, Blocked}, got); diff != "" {
		t.Error(diff)
	}
}

// Where nothing works, everything is blocked, and that is no good news.
func TestNothingRan(t *testing.T) {
	for name, runner := range map[string]scripted{
		"silent": func(place, []string, io.Writer) sandbox.Result { return sandbox.Result{Exit: 127} },
		"all blocked": func(_ place, names []string, out io.Writer) sandbox.Result {
			for _, name := range names {
				_ = json.NewEncoder(out).Encode(answer{Name: name})
			}
			return sandbox.Result{}
		},
		"writing goes nowhere": func(_ place, names []string, out io.Writer) sandbox.Result {
			for _, name := range names {
				_ = json.NewEncoder(out).Encode(answer{Name: name, Succeeded: true})
			}
			return sandbox.Result{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if found, err := Run(t.Context(), runner, options(t)); !errors.Is(err, ErrNothingRan) || found != nil {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
	t.Run("no probes in it", func(t *testing.T) {
		opt := options(t)
		opt.Program = "/bin/true"
		if _, err := Run(t.Context(), say(t, nil), opt); !errors.Is(err, ErrNothingRan) {
			t.Error(err)
		}
	})
}

func TestUnknownProbe(t *testing.T) {
	if _, err := Run(t.Context(), say(t, nil), options(t, "read-mind")); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// A process that is none of ours goes its own way.
func TestChildLeavesOthersAlone(t *testing.T) {
	for _, args := range [][]string{nil, {"x"}, {"x", "list"}, {"x", childArg}, {"x", "y", childArg, "all", "{}"}} {
		if _, stage := Child(args); stage {
			t.Errorf("%q", args)
		}
	}
	for _, args := range [][]string{{"x", childArg, "all", "no json"}, {"x", childArg, "nothing", ""}, {"x", childArg, "one", "{}", "none"}} {
		if code, stage := Child(args); !stage || code == 0 {
			t.Errorf("%q", args)
		}
	}
}

// An attack that is killed by the kernel was tried; one that hangs as well.
func TestProcessesThatEnd(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	for script, want := range map[string]answer{
		`exit 1`:                         {Untried: true, Detail: "its process did not start: exit status 1"},
		`echo began; kill -SYS $$`:       {Detail: "it was ended: signal: bad system call"},
		`echo began; echo no json`:       {Detail: "it was ended: <nil>"},
		`echo began; echo '{"name":""}'`: {},
	} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\nulimit -c 0\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		begun := false
		got := ask(&place{Program: program}, "", "", func() { begun = true })
		if diff := cmp.Diff(want, got); diff != "" || begun == want.Untried {
			t.Errorf("%s: began %v\n%s", script, begun, diff)
		}
	}
}

func TestPromises(t *testing.T) {
	var names []string
	for _, l := range []sandbox.Layer{sandbox.Namespaces, sandbox.Bubblewrap, sandbox.Landlock} {
		for _, p := range All() {
			if !Promises(sandbox.Report{Layer: l}, p) {
				names = append(names, fmt.Sprint(l, p.Name))
			}
		}
	}
	if len(names) > 0 {
		t.Errorf("not promised: %v", names)
	}
	for _, p := range All() {
		want := p.Threatens == Resources || p.Threatens == Environment || p.Name == "daemon"
		if got := Promises(sandbox.Report{Layer: sandbox.Limits}, p); got != want {
			t.Errorf("limits: %s: %v", p.Name, got)
		}
	}
}

// A report that admits something is held to everything else.
func TestCheck(t *testing.T) {
	all := All()
	byName := func(name string) Probe {
		return all[slices.IndexFunc(all, func(p Probe) bool { return p.Name == name })]
	}
	findings := []Finding{
		{Probe: byName("tmp-size"), Outcome: Succeeded}, {Probe: byName("memory"), Outcome: Succeeded},
		{Probe: byName("read-ssh-key"), Outcome: Succeeded}, {Probe: byName("file-size"), Outcome: Blocked},
	}
	report := sandbox.Report{Layer: sandbox.Limits, Weak: []string{"the size of its tmp is not bounded"}}
	wrong := Check(report, findings)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "memory") {
		t.Errorf("got %v", wrong)
	}
	report.Weak = nil
	if wrong := Check(report, findings); len(wrong) != 2 {
		t.Errorf("got %v", wrong)
	}
	for _, a := range admissions {
		for _, name := range a.probes {
			if !slices.ContainsFunc(all, func(p Probe) bool { return p.Name == name }) {
				t.Errorf("%q admits %s, which is no probe", a.words, name)
			}
		}
	}
}

// The race detector is on in tests: this is the one round in this process.
func TestRunInThisProcess(t *testing.T) {
	opt := options(t)
	var report sandbox.Report
	opt.Reported = func(r sandbox.Report) { report = r }
	found, err := Run(t.Context(), sandbox.New(sandbox.Options{Program: opt.Program}), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(All()) {
		t.Errorf("%d findings", len(found))
	}
	for _, err := range Check(report, found) {
		t.Error(err)
	}
}
