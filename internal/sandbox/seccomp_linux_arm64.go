package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0x40000000 // there are none
)

// There are no more of these here than elsewhere.
var (
	deniedHere, ownershipHere []uint32
	modeCallsHere             []modeCall
)
