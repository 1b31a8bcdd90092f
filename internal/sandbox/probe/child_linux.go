package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// childArg is the first argument of a process that is a part of a probe.
const childArg = "__probe"

// began is what the process of one attack prints first: from there on it has
// been tried, however it ends.
const began = "began\n"

// answer is what the inside says of one attack: that it began, and then how it
// ended. Of one that took everything along, only the first arrives.
type answer struct {
	Name      string `json:"name"`
	Began     bool   `json:"began,omitempty"`
	Succeeded bool   `json:"succeeded"`
	Untried   bool   `json:"untried,omitempty"`
	Detail    string `json:"detail,omitempty"`
}

// Child does the part of a probe that runs in a process of its own, if the
// arguments of this process ask for one; stage tells whether. Main exits with
// code then, as after that of the sandbox:
//
//	if code, stage := probe.Child(os.Args); stage {
//		os.Exit(code)
//	}
func Child(args []string) (code int, stage bool) {
	if len(args) < 4 || args[1] != childArg {
		return 0, false
	}
	switch args[2] {
	case "all":
		return all(args[3], args[4:]), true
	case "one":
		return one(args[3], args[4:]), true
	case "helper":
		return help(args[3]), true
	case "daemon":
		return daemon(args[3:]), true
	}
	return 2, true
}

// attacks are all that a child can be asked for.
func attacks() []Probe { return slices.Concat(controls(), All()) }

// all makes the named attacks one after the other, each in a process of its own,
// since some end theirs. Answers are printed as they come.
func all(description string, names []string) int {
	var p place
	if err := json.Unmarshal([]byte(description), &p); err != nil {
		return 2
	}
	p.Above = os.Getppid()
	known, err := json.Marshal(p)
	if err != nil {
		return 2
	}
	out := json.NewEncoder(os.Stdout)
	for _, name := range names {
		a := ask(&p, string(known), name, func() { _ = out.Encode(answer{Name: name, Began: true}) })
		if err := out.Encode(a); err != nil {
			return 1
		}
	}
	return 0
}

// patience is the most one attack may take. What hangs has got nowhere.
const patience = 5 * time.Second

func ask(p *place, description, name string, tried func()) answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Program, childArg, "one", description, name)
	h := &hearing{tried: tried}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = os.Stdin, h, time.Second
	err := cmd.Run()
	rest, began := bytes.CutPrefix(h.said.Bytes(), []byte(began))
	var a answer
	switch {
	case !began:
		return answer{Name: name, Untried: true, Detail: fmt.Sprintf("its process did not start: %v", err)}
	case json.Unmarshal(rest, &a) == nil:
		return a
	case ctx.Err() != nil:
		return answer{Name: name, Detail: "it hung and was ended"}
	}
	return answer{Name: name, Detail: fmt.Sprintf("it was ended: %v", err)}
}

// hearing keeps what an attack says, and passes on that it began.
type hearing struct {
	said  bytes.Buffer
	tried func()
}

func (h *hearing) Write(data []byte) (int, error) {
	if h.said.Len() == 0 && bytes.HasPrefix(data, []byte(began)) {
		h.tried()
	}
	return h.said.Write(data)
}

// one makes a single attack.
func one(description string, names []string) int {
	var p place
	if err := json.Unmarshal([]byte(description), &p); err != nil || len(names) != 1 {
		return 2
	}
	every := attacks()
	i := slices.IndexFunc(every, func(p Probe) bool { return p.Name == names[0] })
	if i < 0 {
		return 2
	}
	fmt.Print(began)
	a := answer{Name: names[0], Succeeded: true}
	if err := every[i].attack(&p); err != nil {
		a = answer{Name: names[0], Untried: errors.Is(err, errUntried), Detail: err.Error()}
	}
	if json.NewEncoder(os.Stdout).Encode(a) != nil {
		return 1
	}
	return 0
}

// controls are what every tool must be able to do.
func controls() []Probe {
	return []Probe{
		{Name: "control-read", Title: "reads the skill's folder", attack: func(p *place) error {
			_, err := os.ReadFile(filepath.Join(p.Skill, "SKILL.md"))
			return err
		}},
		{Name: "control-write", Title: "writes the workspace", attack: func(p *place) error {
			return os.WriteFile(filepath.Join(p.Work, "control"), []byte(p.Token), 0o600)
		}, seen: func(s *stage) error { return holdsToken(filepath.Join(s.Work, "control"), s.Token) }},
		{Name: "control-tmp", Title: "writes its private tmp", attack: func(*place) error {
			dir, err := os.MkdirTemp(tmpDir(), "control-")
			return errors.Join(err, os.Remove(dir))
		}},
		{Name: "control-shell", Title: "runs a shell", attack: func(p *place) error {
			out, err := exec.CommandContext(context.Background(), "/bin/sh", "-c", "echo $((6*7)) | cat").Output()
			if err == nil && string(out) != "42\n" {
				err = fmt.Errorf("it said %q", out)
			}
			return err
		}},
	}
}

// daemon leaves its parent and its session, tells that it lives and stays for a
// while: the second of two processes, or the first, that starts the second.
func daemon(args []string) int {
	ready, isSecond := args[0], len(args) > 2
	if isSecond {
		if os.WriteFile(ready, nil, 0o600) != nil {
			return 1
		}
		time.Sleep(daemonLife)
		return 0
	}
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return 1
	}
	// The marker is the last argument: that is how it is found outside.
	cmd := exec.CommandContext(context.Background(), self, childArg, "daemon", ready, "second", args[1])
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return 1
	}
	return 0
}

// daemonLife is how long a daemon lives that nobody ends: longer than any run
// of all probes, and not for ever.
const daemonLife = 20 * time.Second
