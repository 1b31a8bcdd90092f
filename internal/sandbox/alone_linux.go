package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// hostFiles are what landlock lets be read besides the system's files: a private
// root has its own of these.
var hostFiles = []string{
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems",
	"/proc/sys/kernel/osrelease", "/proc/sys/kernel/pid_max", "/proc/sys/kernel/cap_last_cap", "/proc/sys/vm/overcommit_memory",
}

// landlock confines without namespaces, on the host's own root.
func (p *plan) landlock(spec Spec) error {
	p.policy.Confine = true
	p.policy.Read = append(append(append([]string{}, systemDirs...), systemFiles...), hostFiles...)
	p.policy.Read, p.policy.Devices = append(p.policy.Read, spec.Read...), systemDevices
	p.attr = &syscall.SysProcAttr{Setsid: true}
	p.weak = append(p.weak, tmpUnbounded, "the names of the machine's users can be read",
		"names, sizes and dates of any file can be learnt", "dates of files of its user can be changed")
	if p.policy.Strict = spec.Contained; spec.Contained {
		p.weak = append(p.weak, "rights to files cannot be changed, also not to its own")
	} else {
		p.weak = append(p.weak, "rights to all files of its user can be changed")
	}
	abi := landlockABI()
	for _, since := range []struct {
		abi  int
		lack string
	}{
		{3, "files that may only be read can be cut off where permissions allow it"},
		{landlockScopes, "other processes of the same user can be sent signals, the supervisor among them"},
	} {
		if abi < since.abi {
			p.weak = append(p.weak, since.lack)
		}
	}
	for _, base := range spec.Write {
		if err := p.writeBelow(filepath.Clean(base), spec); err != nil {
			return err
		}
	}
	switch {
	case spec.Proxy == nil:
	case abi >= 4:
		p.weak = append(p.weak, "the port of its proxy can be reached on any machine")
	default:
		p.weak = append(p.weak, "any machine can be reached by TCP")
	}
	return nil
}

// maxRules is how many entries of a folder get a rule of their own. More make a
// start slow.
const maxRules = 4096

// writeBelow allows writing below a folder. Landlock cannot except anything, so
// what is kept is kept by leaving out the folders around it: nothing can be made,
// removed or renamed directly in those. Programs that need not be contained get
// the folder whole instead.
func (p *plan) writeBelow(base string, spec Spec) error {
	var inside []string
	for _, e := range keeps(spec) {
		if e.Kind != pinned && innermost(e.Path, spec.Write) == base {
			inside = append(inside, e.Path)
		}
	}
	if len(inside) == 0 {
		p.policy.Write = append(p.policy.Write, base)
		return nil
	}
	if !spec.Contained {
		p.policy.Write = append(p.policy.Write, base)
		p.weak = append(p.weak, keepsNothing(inside))
		return nil
	}
	real, err := filepath.EvalSymlinks(base)
	if err != nil {
		return err
	}
	p.policy.Read = append(p.policy.Read, base)
	for i, path := range inside {
		inside[i] = filepath.Join(real, strings.TrimPrefix(path, base))
	}
	return p.writeAround(real, inside)
}

// writeAround allows writing what is in a folder but for some of it.
func (p *plan) writeAround(dir string, but []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	p.weak = append(p.weak, fmt.Sprintf("nothing can be made, removed or renamed in %s itself, to keep what is in it", dir))
	if len(entries) > maxRules {
		p.weak = append(p.weak, fmt.Sprintf("%s has too many entries: it can only be read", dir))
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		var below []string
		keep := false
		for _, k := range but {
			if k == path {
				keep = true
			} else if strings.HasPrefix(k, path+"/") {
				below = append(below, k)
			}
		}
		switch {
		case keep, e.Type()&os.ModeSymlink != 0:
		case len(below) > 0 && e.IsDir():
			if err := p.writeAround(path, below); err != nil {
				return err
			}
		case len(below) == 0:
			p.policy.Inside = append(p.policy.Inside, path)
		}
	}
	return nil
}
