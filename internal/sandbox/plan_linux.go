package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// plan is how a spec is run in a layer: the process to start and what it is told.
type plan struct {
	argv   []string
	attr   *syscall.SysProcAttr
	policy policy
	group  *cgroup
	weak   []string
	undo   []func()
}

func (p *plan) release() {
	for i := len(p.undo) - 1; i >= 0; i-- {
		p.undo[i]()
	}
}

// spaces are the namespaces of the strongest layer.
const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// plan makes the plan of a spec. It is to be released.
func (b *Box) plan(layer Layer, spec Spec) (p *plan, err error) {
	p = &plan{argv: []string{b.options.Program, stageWord}}
	defer func() {
		if err != nil {
			p.release()
		}
	}()
	me := os.Geteuid()
	uid, gid := runAs(me, spec)
	p.policy = policy{
		Layer: layer, Argv: spec.Argv, Env: spec.Env, Dir: spec.Dir, Bounds: spec.Bounds,
		Switch: uid != me, UID: uid, GID: gid, Proxy: spec.Proxy != nil,
	}
	switch layer {
	case Namespaces:
		err = p.namespaces(spec)
	case Limits:
		p.policy.Caps, p.policy.Switch = fileCaps, false
		p.attr = &syscall.SysProcAttr{Setsid: true}
	default:
		err = fmt.Errorf("%s: not made yet", layer)
	}
	if err != nil {
		return p, err
	}
	p.bound(uid)
	return p, nil
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
func (p *plan) namespaces(spec Spec) error {
	places, weak, err := view(spec, p.policy.UID, p.policy.GID)
	if err != nil {
		return err
	}
	p.weak = append(p.weak, weak...)
	p.policy.View, p.policy.Private, p.policy.Confine = places, true, true
	// The private root has nothing else, so that it can be read as a whole.
	p.policy.Read, p.policy.Devices = []string{"/"}, systemDevices
	p.policy.Write = append([]string{privateTmp}, spec.Write...)
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

// bound sets up what counts processes and memory over all of them.
func (p *plan) bound(uid int) {
	p.group = newCgroup(p.policy.Bounds)
	p.undo = append(p.undo, p.group.remove)
	if p.group.memory == "" {
		p.weak = append(p.weak, "memory is bounded for each process, not for all together")
	}
	if p.group.pids == "" && uid == 0 {
		p.policy.Count = p.policy.Bounds.Processes
		p.weak = append(p.weak, "processes are counted a few times a second's hundredth, not by the kernel")
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
	defer p.release()
	return p.report(applied{Landlock: landlockABI(), Seccomp: p.policy.Confine}), nil
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
	return r
}

// wordings are what reports say of each layer.
var wordings = map[Layer]words{
	Namespaces: {
		"a private root: system folders and what it was given", "its own only", "none", "only a proxy that decides about each connection",
	},
	Limits: uncontained,
}
