package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/internal/tree"
)

// maxBytes of a configuration file: the largest that were seen have a few
// kilobytes, and ten thousand entries fit.
const maxBytes = 1 << 20

// limits of a document. Keys nest five deep, values of other programs a few
// levels more; ten thousand entries have two values each.
var limits = tree.Limits{Depth: maxKeyParts, Nodes: 30_000}

// fileError says why a file could not be used.
type fileError struct {
	file string
	line int
	what string
	hint string
}

func (e *fileError) Error() string {
	if e.line > 0 {
		return fmt.Sprintf("%s:%d: %s; %s", e.file, e.line, e.what, e.hint)
	}
	return fmt.Sprintf("%s: %s; %s", e.file, e.what, e.hint)
}

// readDocument reads a file; the document is nil if the file is not there. If
// within is set, the file must lie in that directory, even by way of links.
func readDocument(file, within string, in *syntax) (*tree.Node, *fileError) {
	data, err := readFile(file, within)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(file, err)
	}
	return parse(file, data, in)
}

func unreadable(file string, err error) *fileError {
	return &fileError{file, 0, "the file could not be read: " + reason(err), "check what it is and who may read it, or move it away"}
}

func parse(file string, data []byte, in *syntax) (*tree.Node, *fileError) {
	doc, err := in.parse(bytes.TrimPrefix(data, byteOrderMark))
	if err == nil && doc.Kind != tree.Map {
		err = &tree.Error{Line: doc.Line, Msg: "the document must be a table, not " + describe(doc)}
	}
	if err == nil {
		return doc, nil
	}
	bad := &fileError{file, 0, err.Error(), "mend that line, or move the file away"}
	if at := (*tree.Error)(nil); errors.As(err, &at) {
		bad.line, bad.what = at.Line, at.Msg
		if what, way, ok := strings.Cut(at.Msg, "; "); ok { // it knows the way out itself
			bad.what, bad.hint = what, way
		}
	}
	return nil, bad
}

var (
	errNotRegular = errors.New("it is not a regular file")
	errTooLarge   = fmt.Errorf("it is larger than %d bytes", maxBytes)
)

// byteOrderMark is what some editors of Windows put before UTF-8.
var byteOrderMark = []byte("\ufeff")

func readFile(file, within string) ([]byte, error) {
	f, err := openRegular(file, within)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = errTooLarge
	}
	return data, err
}

// openRegular looks before it opens, because to open a pipe is to wait for
// whoever writes to it.
func openRegular(file, within string) (*os.File, error) {
	stat, open := os.Stat, os.Open
	if within != "" {
		root, err := os.OpenRoot(within)
		if err != nil {
			return nil, err
		}
		defer func() { _ = root.Close() }() // the opened file outlives it
		if file, err = filepath.Rel(within, file); err != nil {
			return nil, err
		}
		stat, open = root.Stat, root.Open
	}
	info, err := stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return open(file)
}

// reason is an error without the path, which the message names already.
func reason(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// sameFile reports whether both paths are one file: the home directory may be
// the workspace, and its file is then the user's own.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
