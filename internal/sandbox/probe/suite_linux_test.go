package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/knackhq/knack/internal/sandbox"
)

// allLayers are those of the sandbox, and none.
var allLayers = []sandbox.Layer{"", sandbox.Namespaces, sandbox.Bubblewrap, sandbox.Landlock, sandbox.Limits}

// strong are the layers that let nothing through at all.
func strong(l sandbox.Layer) bool { return l == sandbox.Namespaces || l == sandbox.Bubblewrap }

// round is that of testdata/attacker.
type round struct {
	Layer    sandbox.Layer
	Dir      string
	Proxied  bool
	Trusted  bool
	Only     []string
	Works    bool
	Why      string
	Report   sandbox.Report
	Findings []Finding
	Error    string
	Script   string
	Mark     string
}

func (r round) succeeded() (names []string) {
	for _, f := range r.Findings {
		if f.Outcome == Succeeded {
			names = append(names, f.Probe.Name)
		}
	}
	return names
}

// open is a folder that every user may reach; those of the testing package are
// closed to others.
func open(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "probing-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// attacker is the program that probes are made with, built once.
func attacker(t testing.TB) string {
	t.Helper()
	program, err := buildAttacker()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestMain begins like every program that is probed with: the processes that are
// started of it attack.
func TestMain(m *testing.M) {
	if code, stage := sandbox.Child(os.Args); stage {
		os.Exit(code)
	}
	if code, stage := Child(os.Args); stage {
		os.Exit(code)
	}
	code := m.Run()
	if program, err := buildAttacker(); err == nil {
		os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

var buildAttacker = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "attacker-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "attacker")
	cmd := exec.Command("go", "build", "-o", program, "./testdata/attacker")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, os.Chmod(dir, 0o755) // for every user
})

// users are those that the suite can run as.
func users() []int {
	if os.Getuid() == 0 {
		return []int{0, nobody}
	}
	return []int{os.Getuid()}
}

// attack makes a round as a user, in a home that is the user's own.
func attack(t *testing.T, program string, uid int, r round) round {
	t.Helper()
	home := open(t)
	r.Dir = filepath.Join(home, "tmp")
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	if uid != os.Getuid() {
		for _, dir := range []string{home, r.Dir} {
			if err := os.Chown(dir, uid, uid); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+r.Dir, "PROBE_CANARY=a secret of the agent's")
	in, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	r.Only = slices.Clone(r.Only) // other rounds have the same
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(r.Dir); len(left) > 0 {
		t.Errorf("%s is left behind", left)
	}
	return r
}

// Every probe succeeds where nothing is contained, as somebody; none succeeds
// where everything is; and what a layer says of itself is true.
func TestLayers(t *testing.T) {
	program := attacker(t)
	var guard sync.Mutex
	ever := map[string]bool{}
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			free := attack(t, program, uid, round{})
			checkUncontained(t, uid, free)
			guard.Lock()
			for _, name := range free.succeeded() {
				ever[name] = true
			}
			guard.Unlock()
			var held bool
			for _, layer := range allLayers[1:] {
				r := attack(t, program, uid, round{Layer: layer})
				if r.Works && layer == sandbox.Landlock {
					checkContained(t, uid, attack(t, program, uid, round{Layer: layer, Trusted: true}), free)
				}
				if !r.Works {
					t.Logf("matrix: uid %d, %s: does not work here: %s", uid, layer, r.Why)
					continue
				}
				checkContained(t, uid, r, free)
				held = held || strong(layer)
			}
			if !held {
				t.Errorf("uid %d: neither namespaces nor bubblewrap work here", uid)
			}
		})
	}
	t.Cleanup(func() {
		for _, p := range All() {
			if !ever[p.Name] && (os.Getuid() == 0 || !p.NeedsRoot) {
				t.Logf("matrix: %s succeeds for nobody here, so that it is blocked says nothing", p.Name)
			}
		}
		t.Logf("matrix: %d of %d probes succeed without a sandbox", len(ever), len(All()))
	})
}

// checkUncontained wants every probe to succeed. What the machine does not offer
// is told by the probe itself, before it tries.
func checkUncontained(t *testing.T, uid int, r round) {
	t.Helper()
	if r.Error != "" {
		t.Fatal(r.Error)
	}
	var fails []string
	for _, f := range r.Findings {
		needless := f.Probe.NeedsRoot && uid != 0
		switch {
		case f.Outcome == Succeeded && needless && os.Getuid() == 0:
			t.Errorf("uid %d: %s needs no root", uid, f.Probe.Name)
		case f.Outcome == Succeeded || needless:
		case f.Outcome == Untried:
			fails = append(fails, f.Probe.Name+" ("+f.Detail+")")
		default:
			t.Errorf("uid %d, without a sandbox: %s failed: %s", uid, f.Probe.Name, f.Detail)
		}
	}
	t.Logf("matrix: uid %d, no sandbox: %d of %d succeed; not offered by this machine: %s",
		uid, len(r.succeeded()), len(r.Findings), list(fails))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkContained holds a round against what the layer promises. What succeeded
// without the sandbox must have been tried in it.
func checkContained(t *testing.T, uid int, r, free round) {
	t.Helper()
	if r.Error != "" {
		t.Errorf("uid %d, %s: %s", uid, r.Layer, r.Error)
		return
	}
	blocked := 0
	var untried []string
	for i, f := range r.Findings {
		switch {
		case f.Outcome == Blocked:
			blocked++
		case f.Outcome == Untried && free.Findings[i].Outcome != Succeeded:
			untried = append(untried, f.Probe.Name)
		case f.Outcome == Untried:
			t.Errorf("uid %d, %s: %s was not tried: %s", uid, r.Layer, f.Probe.Name, f.Detail)
		case f.Outcome == Succeeded && strong(r.Layer):
			t.Errorf("uid %d, %s: it %s (%s)", uid, r.Layer, f.Probe.Title, f.Probe.Name)
		}
	}
	if r.Report.Layer != r.Layer {
		t.Errorf("uid %d, %s: the report is of %q", uid, r.Layer, r.Report.Layer)
	}
	for _, err := range Check(r.Report, r.Findings) {
		t.Errorf("uid %d: %v", uid, err)
	}
	var terms string
	if r.Trusted {
		terms = " for a trusted skill"
	}
	if r.Proxied {
		terms += " with a proxy"
	}
	t.Logf("matrix: uid %d, %s%s: %d of %d blocked; succeeded: %s; nothing to try: %s",
		uid, r.Layer, terms, blocked, len(r.Findings), list(r.succeeded()), list(untried))
}

// With a proxy there is a network, of one address. Nothing else is reached.
func TestProxied(t *testing.T) {
	program := attacker(t)
	var only []string
	for _, p := range All() {
		if p.Threatens == Network {
			only = append(only, p.Name)
		}
	}
	for _, uid := range users() {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			t.Parallel()
			free := attack(t, program, uid, round{Only: only})
			for _, layer := range allLayers[1:] {
				r := attack(t, program, uid, round{Layer: layer, Only: only, Proxied: true})
				if r.Works {
					checkContained(t, uid, r, free)
				}
			}
		})
	}
}

func TestProbesAreDescribed(t *testing.T) {
	all := All()
	if len(all) < 34 {
		t.Errorf("there are %d probes", len(all))
	}
	seen := map[string]bool{}
	threats := []string{Files, Network, Processes, Resources, Environment}
	for _, p := range all {
		if p.Name == "" || p.Title == "" || seen[p.Name] || !slices.Contains(threats, p.Threatens) {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
}
