package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// longestHead is how much of a script is read for its first line: twice what
// Linux looks at.
const longestHead = 512

// interpreted puts the interpreter of a script in front of a command that begins
// with one which cannot be executed by itself: it has no x bit, which archives
// and web downloads lose, or its first line ends as on Windows.
func interpreted(dir, text string, shell []string) string {
	first, _, _ := strings.Cut(text, "\n")
	if n := strings.IndexAny(first, " \t;&|<>()"); n >= 0 {
		first = first[:n]
	}
	if !plainWord(first) || !strings.Contains(first, "/") || !filepath.IsLocal(filepath.FromSlash(first)) {
		return text
	}
	by := interpreter(dir, first, shell)
	if len(by) == 0 {
		return text
	}
	return line(by) + " " + text
}

// interpreter is the command that runs a script of a folder; none if it runs by
// itself or is no script.
func interpreter(dir, name string, shell []string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, longestHead))
	if err != nil {
		return nil
	}
	if bytes.HasPrefix(head, []byte("\x7fELF")) {
		return nil
	}
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	declared, returned := bytes.CutSuffix(first, []byte("\r"))
	if info.Mode().Perm()&0o111 != 0 && !returned {
		return nil
	}
	rest, ok := bytes.CutPrefix(declared, []byte("#!"))
	// As in Linux, all behind the program's name is one argument.
	program, argument, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(rest), "\t", " ")), " ")
	if !ok || program == "" || strings.IndexByte(program+argument, 0) >= 0 {
		return shell
	}
	if argument = strings.TrimSpace(argument); argument != "" {
		return []string{program, argument}
	}
	return []string{program}
}
