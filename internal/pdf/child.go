package pdf

import (
	"bytes"
	"errors"
	"io"
	"runtime/debug"
	"strconv"
)

// stageWord is the argument that makes a process the stage that reads a PDF.
const stageWord = "__pdf-text"

// The codes with which the stage ends.
const (
	exitWhole  = 0
	exitUsage  = 2
	exitFailed = 3 // what it wrote says why
	exitCut    = 4 // what it wrote lacks pages
)

const (
	maxFile = 64 << 20
	// maxStack is more than any file needs, and little of the memory of the stage.
	// A file can make the library call itself without end.
	maxStack = 32 << 20
)

// Child reads a PDF from stdin and writes its text to stdout, if the arguments of
// this process ask for that; stage tells whether. Main calls it before anything
// else, behind that of the sandbox, and exits with code then:
//
//	if code, stage := pdf.Child(os.Args, os.Stdin, os.Stdout); stage {
//		os.Exit(code)
//	}
func Child(args []string, stdin io.Reader, stdout io.Writer) (code int, stage bool) {
	if len(args) < 2 || args[1] != stageWord {
		return 0, false
	}
	if len(args) != 4 {
		return exitUsage, true
	}
	most, err := strconv.Atoi(args[3])
	if err != nil {
		return exitUsage, true
	}
	debug.SetMaxStack(maxStack)
	text, cut, err := fromStream(stdin, args[2], most)
	if err != nil {
		text, code = err.Error(), exitFailed
	} else if cut {
		code = exitCut
	}
	if _, err := io.WriteString(stdout, text); err != nil {
		return exitUsage, true
	}
	return code, true
}

func fromStream(r io.Reader, pages string, most int) (string, bool, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return "", false, err
	case len(data) > maxFile:
		return "", false, ErrLarge
	case most <= 0:
		return "", false, errors.New("there is no room for text")
	}
	return extract(bytes.NewReader(data), int64(len(data)), pages, most, usualWork)
}
