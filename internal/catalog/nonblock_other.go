//go:build !unix

package catalog

// nonblock is not needed where pipes are no files.
const nonblock = 0
