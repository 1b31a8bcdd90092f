package term

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Detect makes an output of a file, by what it is and what the environment
// says:
//
//	NO_COLOR        not empty: no colour, whatever else is set
//	CLICOLOR_FORCE  not empty and not 0: colour even without a terminal
//	CLICOLOR        0: no colour
//	TERM            dumb: no colour, no progress
//	COLUMNS         the width, where the terminal does not tell
//	LC_ALL, LC_CTYPE, LANG  the first that is set decides whether glyphs may
//	                be Unicode; with none set they may, since terminals are
func Detect(f *os.File, environ []string) *Output {
	env := environment(environ)
	tty := IsTerminal(f)
	width := 0
	if tty {
		if width, _ = Size(f); width == 0 {
			width, _ = strconv.Atoi(env.get("COLUMNS"))
		}
	}
	o := New(f, tty, false, width)
	o.dumb = env.get("TERM") == "dumb" || tty && !enableEscapes(f)
	o.color = env.color(tty && !o.dumb)
	o.ascii = !env.unicode(runtime.GOOS)
	return o
}

// environment is a list of NAME=value, the last of a name counting.
type environment []string

func (e environment) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(e[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

func (e environment) color(capable bool) bool {
	if e.get("NO_COLOR") != "" {
		return false
	}
	if force := e.get("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return capable && e.get("CLICOLOR") != "0"
}

// unicode reports whether the locale can show characters beyond ASCII. Windows
// has no such variables, and its console takes Unicode from Go programs.
func (e environment) unicode(goos string) bool {
	if goos == "windows" {
		return true
	}
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(e.get(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}
