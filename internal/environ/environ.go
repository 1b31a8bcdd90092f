// Package environ reads environments that are given in the form of os.Environ.
//
// All of Knack looks variables up here, so that no two parts of it see
// different values. Of a name that is given more than once the last value
// counts, as for programs started with os/exec: so a caller may override a
// variable by appending to the list. Windows does not tell the letter cases of
// names apart; the system is an argument, so that its rules can be tested on
// any other. A line without an equals sign gives nothing a value.
package environ

import "strings"

// Lookup returns a variable of an environment, and whether it is set.
func Lookup(environ []string, name, goos string) (string, bool) {
	name = fold(name, goos)
	for i := len(environ) - 1; i >= 0; i-- {
		if key, value, ok := split(environ[i]); ok && fold(key, goos) == name {
			return value, true
		}
	}
	return "", false
}

// Index returns a function that answers as [Lookup] does, with "" for a
// variable that is not set. It is the quicker way to many variables. Later
// changes of the list do not show, and many goroutines may call it.
func Index(environ []string, goos string) func(name string) string {
	values := make(map[string]string, len(environ))
	for _, line := range environ {
		if key, value, ok := split(line); ok {
			values[fold(key, goos)] = value
		}
	}
	return func(name string) string { return values[fold(name, goos)] }
}

// split takes a line apart. Windows keeps the current directory of each drive
// in variables such as "=C:", so the first sign is always part of the name.
func split(line string) (name, value string, ok bool) {
	if line == "" {
		return "", "", false
	}
	end := strings.IndexByte(line[1:], '=') + 1
	if end == 0 {
		return "", "", false
	}
	return line[:end], line[end+1:], true
}

func fold(name, goos string) string {
	if goos == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
