package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knackhq/knack/internal/durable"
	"github.com/knackhq/knack/internal/tree"
)

// ErrNotSet is matched by the error of [Unset] for a key that is not in the
// file.
var ErrNotSet = errors.New("is not set there")

// Set sets one key of a file to a value, which is read as a user types it:
// strings need no quotes, and a list is [a, b] or a, b. Everything else in the
// file stays as it is, comments included. The file is made if it is not there,
// for the user alone, since it may come to hold secrets.
//
// It fails, and leaves the file alone, if Knack does not know the key or the
// value is not of its type, and if the file cannot be read as it is.
func Set(ctx context.Context, file, key, value string) error {
	return SetAll(ctx, file, []Change{{key, value}})
}

// Change is a key and its new value, as a user types them.
type Change struct{ Key, Value string }

// SetAll makes several changes as [Set] does, all of them or none.
func SetAll(ctx context.Context, file string, changes []Change) error {
	edits, err := editsOf(changes, &ownForm)
	if err != nil {
		return err
	}
	return change(ctx, file, &ownSyntax, edits)
}

// editor changes the text of a file, of which doc is the content.
type editor func(data []byte, doc *tree.Node) ([]byte, error)

// form is how a file is to be written: its syntax and what its reader expects.
type form struct {
	*syntax
	// spell says how the file spells a key that it does not have yet, or why it
	// cannot have it.
	spell func(*KeyInfo, []string) ([]string, error)
	// restricted is a key with the choices that the reader has.
	restricted func(*KeyInfo) *KeyInfo
	exact      bool // names of entries count in their letter case
}

// ownForm is that of Knack's own files.
var ownForm = form{
	syntax:     &ownSyntax,
	spell:      func(_ *KeyInfo, path []string) ([]string, error) { return path, nil },
	restricted: func(info *KeyInfo) *KeyInfo { return info },
}

// editsOf makes one edit of several changes.
func editsOf(changes []Change, in *form) (editor, error) {
	edits := make([]editor, len(changes))
	for i, c := range changes {
		path, err := ParseKey(c.Key)
		if err != nil {
			return nil, err
		}
		if err := checkKey(path); err != nil {
			return nil, err
		}
		info, path, _ := lookup(path)
		spelling, err := in.spell(info, path)
		if err != nil {
			return nil, err
		}
		info = in.restricted(info)
		node, err := info.read(c.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; write %s", FormatKey(path), err, info.example(FormatKey(path), in.equals))
		}
		edits[i] = func(data []byte, doc *tree.Node) ([]byte, error) {
			if err := listedAgent(doc, path); err != nil {
				return nil, err
			}
			return in.put(data, doc, in.target(doc, info, path, spelling), node)
		}
	}
	return func(data []byte, doc *tree.Node) (_ []byte, err error) {
		for i, do := range edits {
			if i > 0 { // the one before has changed it
				if doc, err = in.parse(bytes.TrimPrefix(data, byteOrderMark)); err != nil {
					return nil, err
				}
			}
			if data, err = do(data, doc); err != nil {
				return nil, err
			}
		}
		return data, nil
	}, nil
}

// Unset takes one key out of a file. The key need not be one that Knack knows,
// so that a mistake can be undone, and may be a skill's whole entry; but tables
// above that are refused, for nobody means to lose them all.
func Unset(ctx context.Context, file, key string) error { return unset(ctx, file, &ownForm, key) }

func unset(ctx context.Context, file string, in *form, key string) error {
	path, err := ParseKey(key)
	if err != nil {
		return err
	}
	info, path, how := lookup(path)
	if how == branch && !inEntry(path) {
		return checkKey(path)
	}
	notSet := fmt.Errorf("%s %w", FormatKey(path), ErrNotSet)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", file, notSet) // and no directory is made for it
	}
	return change(ctx, file, in.syntax, func(data []byte, doc *tree.Node) ([]byte, error) {
		written := in.spelled(doc, info, path)
		if len(written) == 0 {
			return nil, notSet
		}
		for _, at := range written {
			if data, err = in.unset(data, at); err != nil {
				return nil, err
			}
		}
		return data, nil
	})
}

// CheckLocal reports why the file of a workspace may not set a key; nil if it
// may. [Load] refuses such a key, so a command should not write it there.
func CheckLocal(key string) error {
	path, err := ParseKey(key)
	if err != nil {
		return err
	}
	if info, _, how := lookup(path); how == leaf && !info.Workspace {
		return fmt.Errorf("a workspace's configuration may not set %s; set it in your own", key)
	}
	return nil
}

// change edits a file: one process at a time, in one step, or not at all.
func change(ctx context.Context, file string, in *syntax, with editor) (err error) {
	unlock, err := durable.LockBeside(ctx, file)
	if err != nil {
		return unwritable(file, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := readFile(file, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unreadable(file, err)
	}
	doc := &tree.Node{Kind: tree.Map}
	if len(bytes.TrimSpace(data)) > 0 {
		var bad *fileError
		if doc, bad = parse(file, data, in); bad != nil {
			return bad
		}
	}
	before := data
	if data, err = with(data, doc); err != nil {
		return inFile(file, err)
	}
	if bytes.Equal(before, data) {
		return nil // it says so already
	}
	if len(data) > maxBytes { // it could not be read again
		return fmt.Errorf("%s: the value does not fit, because the file would be larger than %d bytes", file, maxBytes)
	}
	if err := durable.WriteFile(file, data, 0o600); err != nil {
		return unwritable(file, err)
	}
	return nil
}

// inFile says in which file, and on which line if that is known, something is
// wrong.
func inFile(file string, err error) error {
	if at := (*tree.Error)(nil); errors.As(err, &at) && at.Line > 0 {
		return fmt.Errorf("%s:%d: %s", file, at.Line, at.Msg)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// unwritable says which file could not be written, not which step failed.
func unwritable(file string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s cannot be written: %w; check the permissions of %s", file, err, filepath.Dir(file))
}
