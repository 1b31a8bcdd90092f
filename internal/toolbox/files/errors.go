package files

import "errors"

// What can be wrong with a path. Messages put the path before them.
var (
	errEmpty     = errors.New("a path is needed")
	errHome      = errors.New("~ is not expanded here: give a path relative to the workspace, or an absolute one; a file whose name starts with ~ is ./~name")
	errUp        = errors.New("write the path without .. in it, relative to the workspace or absolute")
	errNUL       = errors.New("no path has a NUL in it")
	errRelative  = errors.New("it has to be given by its absolute path")
	errLong      = errors.New("that is longer than any path")
	errOutside   = errors.New("it lies outside of the workspace and of the skills' folders")
	errLeadsOut  = errors.New("a link in it leads out of the workspace and of the skills' folders")
	errLinks     = errors.New("its links lead in a circle")
	errMissing   = errors.New("there is no such file or folder")
	errNotFolder = errors.New("a file stands where the path needs a folder")
	errFolder    = errors.New(`it is a folder: list it with glob_search, as {"pattern": "*", "path": "…"}`)
	errNoFolder  = errors.New("it is a file, not a folder")
	errSpecial   = errors.New("it is no regular file, but a pipe, socket, device or something else of the kernel's")
	errSwapped   = errors.New("it was changed while it was opened; try again")
	errChanged   = errors.New("it was changed by something else meanwhile; read it again")

	errTime = errors.New("that takes too long")

	errNoWorkspace = errors.New("there is no workspace here that a path could be relative to: give the absolute path of a skill's folder, or of something in it")
	errNowhere     = errors.New("there is no workspace here, and only files in one may be changed")

	errReadOnly = errors.New("only files in the workspace may be changed")
	errKept     = errors.New("it may only be read: skills, version control, lock files and configuration are not changed by tools")
	errBlocks   = errors.New("a folder belongs there that may only be read")
)

// What can be wrong with a pattern.
var (
	errPattern      = errors.New("it is not understood; * and ? stand for characters of a name, [a-z] for one of them, ** for folders, {a,b} for either")
	errAlternatives = errors.New("its braces stand for too many patterns; 64 are the most")
)

// errEndless tells of a line whose end is too far away.
var errEndless = errors.New("the line goes on for hundreds of megabytes")
