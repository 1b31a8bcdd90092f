//go:build !linux

package catalog

// openTree opens a directory on disk.
func openTree(path string) (tree, error) { return openRootTree(path) }
