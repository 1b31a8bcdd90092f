//go:build !windows

package durable

import (
	"errors"
	"os"
	"syscall"
)

// syncDir brings a directory to disk. File systems that cannot do that say so
// with EINVAL or ENOTSUP; nothing more can be done on them.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
