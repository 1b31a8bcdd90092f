package files

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// kernels are the filesystems whose files are the kernel's answers. They look
// like regular files, hold what no tool is to see, and may never end.
var kernels = [...]uint32{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
	unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC,
	unix.SELINUX_MAGIC, unix.NSFS_MAGIC,
}

// madeUp reports whether the kernel makes up what is in a file.
func madeUp(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return true
	}
	var st unix.Statfs_t
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = unix.Fstatfs(int(fd), &st) }); err != nil || failed != nil {
		return true
	}
	return slices.Contains(kernels[:], uint32(st.Type))
}
