package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// plan is how a spec is run in a layer: the process to start and what it is told.
type plan struct {
	path    string // of what to start: the program, or what starts that
	argv    []string
	program *os.File
	attr    *syscall.SysProcAttr
	policy  policy
	group   *cgroup
	weak    []string

	reserved []string   // to be kept from being made, by us
	told     bool       // the process tells whose child is the stage
	texts    []string   // of files that the process gets after its program
	files    []*os.File // those
	undo     []func()
}

func (p *plan) release() {
	for i := len(p.undo) - 1; i >= 0; i-- {
		p.undo[i]()
	}
}

// spaces are the namespaces of the strongest layer.
const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// plan makes the plan of a spec. Nothing is changed by it.
func (b *Box) plan(layer Layer, spec Spec) (p *plan, err error) {
	p = &plan{path: programPath, argv: []string{b.options.Program, stageWord}, program: b.program}
	if spec, err = keepProgram(spec, b.program); err != nil {
		return nil, err
	}
	m := b.machine()
	me := os.Geteuid()
	uid, gid := runAs(me, spec)
	p.policy = policy{
		Layer: layer, Argv: spec.Argv, Env: spec.Env, Dir: spec.Dir, Bounds: spec.Bounds,
		Switch: uid != me, UID: uid, GID: gid, Proxy: spec.Proxy != nil,
	}
	switch layer {
	case Namespaces:
		err = p.namespaces(spec)
	case Bubblewrap:
		var bwrap string
		if bwrap, err = m.bwrap(); err == nil {
			err = p.bubblewrap(bwrap, spec)
		}
	case Landlock:
		err = p.landlock(spec)
	default:
		p.limits(spec)
	}
	p.weigh(m.bounds)
	return p, err
}

// prepare makes what a plan needs. It is to be released in any case.
func (p *plan) prepare(m *machine, spec Spec) error {
	if !p.policy.Private {
		removeReserved(spec)
	}
	for _, path := range p.reserved {
		release, err := reserveIn(spec, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		p.undo = append(p.undo, release)
	}
	for _, text := range p.texts {
		file, err := textFile(text)
		if err != nil {
			return err
		}
		p.files = append(p.files, file)
		p.undo = append(p.undo, func() { file.Close() })
	}
	if spec.Proxy != nil && !p.policy.Private {
		port, stop, err := serveHere(spec.Proxy)
		if err != nil {
			return err
		}
		p.policy.Port = port
		p.undo = append(p.undo, stop)
	}
	p.group = newCgroup(m.groups, p.policy.Bounds)
	p.undo = append(p.undo, p.group.remove)
	if m.bounds != p.group.bounds {
		return errors.New("control groups can no longer be made")
	}
	return nil
}

// runAs says as whom a program runs. Root lends its files to nobody: a program
// that works in the folder of another user is that user.
func runAs(me int, spec Spec) (uid, gid int) {
	if me != 0 {
		return me, os.Getegid()
	}
	for _, list := range [][]string{spec.Write, spec.Read} {
		for _, path := range list {
			var stat unix.Stat_t
			if unix.Stat(path, &stat) == nil {
				return int(stat.Uid), int(stat.Gid)
			}
		}
	}
	return 0, 0
}

// namespaces makes a private root in namespaces of its own.
func (p *plan) namespaces(spec Spec) (err error) {
	if p.policy.View, err = p.privateRoot(spec); err != nil {
		return err
	}
	p.attr = &syscall.SysProcAttr{
		Cloneflags: spaces, Setsid: true,
		UidMappings: mappings(os.Geteuid(), "/proc/self/uid_map"), GidMappings: mappings(os.Getegid(), "/proc/self/gid_map"),
		GidMappingsEnableSetgroups: os.Geteuid() == 0,
	}
	if os.Geteuid() != 0 {
		// Who is not root in a namespace loses its capabilities by exec.
		p.attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT}
	}
	return nil
}

// privateRoot lists the places of a private root.
func (p *plan) privateRoot(spec Spec) ([]place, error) {
	places, err := view(spec, p.policy.UID, p.policy.GID)
	p.policy.Private, p.policy.Confine = true, true
	// The private root has nothing else, so that it can be read as a whole.
	p.policy.Read, p.policy.Devices = []string{"/"}, systemDevices
	p.policy.Write = append([]string{privateTmp}, spec.Write...)
	return places, err
}

// limits only bounds. Root stays root, for else it would not see its own files.
func (p *plan) limits(spec Spec) {
	p.policy.Caps, p.policy.Switch, p.policy.UID = fileCaps, false, os.Geteuid()
	p.attr = &syscall.SysProcAttr{Setsid: true}
	p.weak = append(p.weak, tmpUnbounded)
	if len(spec.Keep) > 0 {
		p.weak = append(p.weak, keepsNothing(spec.Keep))
	}
	if spec.Proxy != nil {
		p.weak = append(p.weak, pastProxy)
	}
}

// mappings are of the ids in the user namespace: everyone is who they are
// outside. Root maps all that it knows, so that it can become the owner of a
// workspace; others may map only themselves.
func mappings(me int, file string) []syscall.SysProcIDMap {
	if me != 0 {
		return []syscall.SysProcIDMap{{ContainerID: me, HostID: me, Size: 1}}
	}
	var out []syscall.SysProcIDMap
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		var from, to, size int64
		if n, _ := fmt.Sscan(line, &from, &to, &size); n == 3 {
			out = append(out, syscall.SysProcIDMap{ContainerID: int(from), HostID: int(from), Size: int(size)})
		}
	}
	return out
}

// weigh says how far processes and memory are bounded over all of them.
func (p *plan) weigh(can bounded) {
	if !can.memory {
		p.weak = append(p.weak, "memory is bounded for each process, not for all together")
	}
	if !can.pids && p.policy.UID == 0 {
		p.policy.Count = p.policy.Bounds.Processes
		p.weak = append(p.weak, "processes are bounded by counting them every few milliseconds")
	}
}

// expect is the report of a spec that is not run.
func (b *Box) expect(_ context.Context, layer Layer, spec Spec) (Report, error) {
	if b.options.Program == "" {
		return plainReport(spec), nil
	}
	p, err := b.plan(layer, spec)
	if err != nil {
		return Report{}, err
	}
	told := applied{Seccomp: p.policy.Confine}
	if p.policy.Confine {
		told.Landlock = landlockABI()
		told.Weak = withoutLandlock(told.Landlock)
	}
	return p.report(told), nil
}

// report puts into words what was applied.
func (p *plan) report(told applied) Report {
	r := Report{Layer: p.policy.Layer, Weak: append(append([]string{}, p.weak...), told.Weak...)}
	r.Landlock = told.Landlock
	words := wordings[p.policy.Layer]
	r.Files, r.Processes, r.Network = words.files, words.processes, words.network
	if p.policy.Proxy {
		r.Network = words.proxy
	}
	if p.policy.Layer == Landlock && told.Landlock < landlockScopes {
		r.Processes = "does not see others, but can signal those of its user"
	}
	return r
}

// wordings are what reports say of each layer.
var wordings = map[Layer]words{
	Namespaces: apart,
	Bubblewrap: apart,
	Landlock: {
		files: "system folders and what it was given, on the host's own root", processes: "neither sees nor signals others",
		network: "none", proxy: "TCP to the port of its proxy",
	},
	Limits: uncontained,
}

// apart is what reports say of layers with a private root.
var apart = words{
	files: "a private root with system folders and what it was given", processes: "its own only",
	network: "none", proxy: "its proxy only",
}
