package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// denied are the system calls that no skill's tool needs and that escapes are
// made of: reading other processes, mounts and namespaces, keys, modules, the
// clock, and young interfaces with a history of holes. They answer EPERM.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_PROCESS_MADVISE,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
	unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_CHROOT,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_ACCT, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// ownership are the calls that change the rights to files, of which Landlock
// knows nothing: a program could take its user's files from them, or give them to
// others, without being able to read one.
var ownership = []uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
}

// sharedIPC are the calls to memory, semaphores and queues of all processes of a
// user, which are apart only in an IPC namespace.
var sharedIPC = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// lending are the bits by which a file lends the rights of its user or group to
// whoever starts it, on the host and long after the program is gone.
const lending = unix.S_ISUID | unix.S_ISGID

// modeCall is a call that gives a file its mode.
type modeCall struct {
	nr    uint32
	mode  uint32 // which argument that is
	flags uint32 // which argument tells whether it counts; 0 if it always does
}

// modeCalls are refused with a mode that lends. What makes folders ignores such
// bits. On folders they would do no harm, but a filter does not see what a path
// is.
var modeCalls = []modeCall{
	{unix.SYS_FCHMOD, 1, 0}, {unix.SYS_FCHMODAT, 2, 0}, {unix.SYS_FCHMODAT2, 2, 0},
	{unix.SYS_MKNODAT, 2, 0}, {unix.SYS_OPENAT, 3, 2},
}

// creates are the flags of open with which it looks at a mode: O_CREAT, and the
// bit of O_TMPFILE that is not O_DIRECTORY.
const creates = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY

// newSpaces are the flags of clone that make namespaces.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

const (
	offsetNr   = 0
	offsetArch = 4
)

// offsetArg is where the low word of an argument is. What is looked at are ints
// and flags of 32 bits, of which the kernel reads no more.
func offsetArg(n uint32) uint32 { return 16 + 8*n }

const (
	answerAllow = unix.SECCOMP_RET_ALLOW
	answerEPERM = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// Libraries that know clone3 or openat2 fall back to clone or openat, whose
	// flags can be looked at.
	answerENOSYS = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	answerKill   = unix.SECCOMP_RET_KILL_PROCESS
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func mask(bits uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: bits}
}

func answer(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}

// jump skips instructions, t of them if the comparison holds, else f.
func jump(op uint16, k uint32, t, f uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, K: k, Jt: t, Jf: f}
}

// seccompFilter is the program that looks at every system call. Without a proxy
// there are no sockets at all; with one, TCP. A pair of sockets reaches nobody.
func seccompFilter(p *policy) []unix.SockFilter {
	const eq, ge, set = unix.BPF_JEQ, unix.BPF_JGE, unix.BPF_JSET
	f := []unix.SockFilter{
		load(offsetArch), jump(eq, auditArch, 1, 0), answer(answerKill),
		load(offsetNr), jump(ge, foreignCalls, 0, 1), answer(answerENOSYS),
	}
	// on adds a body that is run for one call and ends in an answer.
	on := func(nr uint32, body ...unix.SockFilter) {
		f = append(f, jump(eq, nr, 0, uint8(len(body))))
		f = append(f, body...)
	}
	lists := [][]uint32{denied, deniedHere}
	if p.Strict {
		lists = append(lists, ownership, ownershipHere)
	}
	if !p.Private {
		lists = append(lists, sharedIPC)
	}
	for _, nr := range slices.Concat(lists...) {
		on(nr, answer(answerEPERM))
	}
	for _, c := range slices.Concat(modeCalls, modeCallsHere) {
		body := []unix.SockFilter{load(offsetArg(c.mode)), jump(set, lending, 0, 1), answer(answerEPERM), answer(answerAllow)}
		if c.flags > 0 {
			body = slices.Concat([]unix.SockFilter{load(offsetArg(c.flags)), jump(set, creates, 0, 3)}, body)
		}
		on(c.nr, body...)
	}
	on(unix.SYS_OPENAT2, answer(answerENOSYS))
	on(unix.SYS_CLONE3, answer(answerENOSYS))
	on(unix.SYS_CLONE, load(offsetArg(0)), jump(set, newSpaces, 0, 1), answer(answerEPERM), answer(answerAllow))
	on(unix.SYS_IOCTL, load(offsetArg(1)),
		jump(eq, unix.TIOCSTI, 1, 0), jump(eq, unix.TIOCLINUX, 0, 1), answer(answerEPERM), answer(answerAllow))
	on(unix.SYS_PERSONALITY, load(offsetArg(0)),
		jump(eq, 0, 1, 0), jump(eq, ^uint32(0), 0, 1), answer(answerAllow), answer(answerEPERM))
	// Limits and priorities are its own to change, not those of other processes.
	on(unix.SYS_PRLIMIT64, load(offsetArg(0)), jump(eq, 0, 0, 1), answer(answerAllow), answer(answerEPERM))
	on(unix.SYS_SETPRIORITY, load(offsetArg(1)), jump(eq, 0, 0, 1), answer(answerAllow), answer(answerEPERM))
	on(unix.SYS_SOCKETPAIR, load(offsetArg(0)), jump(eq, unix.AF_UNIX, 0, 1), answer(answerAllow), answer(answerEPERM))
	if p.Proxy {
		on(unix.SYS_SOCKET,
			load(offsetArg(0)), jump(eq, unix.AF_INET, 1, 0), jump(eq, unix.AF_INET6, 0, 6),
			load(offsetArg(1)), mask(0xf), jump(eq, unix.SOCK_STREAM, 0, 3),
			load(offsetArg(2)), jump(eq, 0, 2, 0), jump(eq, unix.IPPROTO_TCP, 1, 0),
			answer(answerEPERM), answer(answerAllow))
	} else {
		on(unix.SYS_SOCKET, answer(answerEPERM))
	}
	return append(f, answer(answerAllow))
}
