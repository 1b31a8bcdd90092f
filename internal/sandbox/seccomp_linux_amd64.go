package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// Calls from here on are those of x32, by numbers that the table does not know.
	foreignCalls = 0x40000000
)

// deniedHere are denied on this processor besides the rest.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB, unix.SYS__SYSCTL}

// ownershipHere change rights to files besides the rest.
var ownershipHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN}

// modeCallsHere give files their mode besides the rest.
var modeCallsHere = []modeCall{{unix.SYS_CHMOD, 1, 0}, {unix.SYS_CREAT, 1, 0}, {unix.SYS_MKNOD, 1, 0}, {unix.SYS_OPEN, 2, 1}}
