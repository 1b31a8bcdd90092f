package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// The capabilities that let root treat files of others as its own. Limits
// leaves them, for it contains no files; nothing else leaves any.
const fileCaps = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH |
	1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID

// confinement lists the calls between fork and exec for a policy. The order
// matters: what needs privileges comes before they are dropped, and what forbids
// system calls comes last.
func confinement(p *policy, path string, argv, env []string, rules int) (*steps, error) {
	s := &steps{}
	s.add("a session of its own", unix.SYS_SETSID)
	rlimits(s, p)
	for c := uintptr(0); c < 64; c++ {
		if p.Caps&(1<<c) == 0 {
			s.try(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c) // beyond the last one: EINVAL; without privileges: EPERM
		}
	}
	s.try(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL)
	if p.Switch {
		s.add("leaving groups", unix.SYS_SETGROUPS, 0, 0)
		s.add("changing the group", unix.SYS_SETRESGID, uintptr(p.GID), uintptr(p.GID), uintptr(p.GID))
		s.add("changing the user", unix.SYS_SETRESUID, uintptr(p.UID), uintptr(p.UID), uintptr(p.UID))
	}
	dropCaps(s, p.Caps)
	// The stage ends everything when it ends; should it be killed, its child is.
	s.add("ending with the stage", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	s.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	s.add("closing files", unix.SYS_CLOSE_RANGE, 3, uintptr(^uint32(0)), unix.CLOSE_RANGE_CLOEXEC)
	s.signals()
	if rules >= 0 {
		s.add("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0)
	}
	if p.Confine {
		filter := seccompFilter(p)
		prog := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		s.add("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, point(s, prog))
	}
	file, err := s.text(path)
	if err != nil {
		return nil, err
	}
	args, err := s.vector(argv)
	if err != nil {
		return nil, err
	}
	vars, err := s.vector(env)
	if err != nil {
		return nil, err
	}
	s.add(path, unix.SYS_EXECVE, file, args, vars)
	return s, nil
}

// dropCaps leaves the capabilities of a mask, of those that there are.
func dropCaps(s *steps, mask uint64) {
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if mask != 0 {
		if err := unix.Capget(header, &have[0]); err != nil {
			have = [2]unix.CapUserData{}
		}
	}
	for i := range have {
		word := uint32(mask >> (32 * i))
		have[i].Effective &= word
		have[i].Permitted &= word
		have[i].Inheritable = 0
	}
	s.add("dropping capabilities", unix.SYS_CAPSET, point(s, header), point(s, &have))
}

// rlimits puts bounds on each process.
func rlimits(s *steps, p *policy) {
	// A user namespace counts anew, with the stage; else the user's others count.
	others := stageThreads
	if !p.Private {
		others += threadsOf(p.UID)
	}
	for _, l := range resourceLimits(p.Bounds, others) {
		want := &unix.Rlimit{Cur: l.value, Max: l.value}
		s.add("bounding "+l.what, unix.SYS_PRLIMIT64, 0, uintptr(l.limit), point(s, want))
	}
}

// resourceLimit is one of setrlimit.
type resourceLimit struct {
	what  string
	limit int
	value uint64
}

// resourceLimits are the bounds of each process, or what bounds this one
// already, where that is less. RLIMIT_DATA counts what can be written to, so that
// runtimes which reserve address space work; RLIMIT_AS would not let them.
func resourceLimits(b Bounds, others int) []resourceLimit {
	out := []resourceLimit{
		{"memory", unix.RLIMIT_DATA, uint64(b.Memory)},
		{"processes", unix.RLIMIT_NPROC, uint64(b.Processes + others)},
		{"file size", unix.RLIMIT_FSIZE, uint64(b.FileSize)},
		{"open files", unix.RLIMIT_NOFILE, uint64(b.Files)},
		{"processor time", unix.RLIMIT_CPU, uint64((b.CPU + time.Second - 1) / time.Second)},
		{"core dumps", unix.RLIMIT_CORE, 0},
	}
	for i := range out {
		var now unix.Rlimit
		if unix.Getrlimit(out[i].limit, &now) == nil {
			out[i].value = min(out[i].value, now.Max)
		}
	}
	return out
}
