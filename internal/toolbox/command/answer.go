package command

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/knackhq/knack/tool"
)

// uncontained is what a call is told where nothing contains its program.
func uncontained(err error) tool.Result {
	return failure("a skill that is not trusted is not run where nothing contains it: " + err.Error() +
		"; see knack doctor sandbox, or trust the skill with knack trust once you have read it")
}

// denied is what programs say when they are kept from something.
var denied = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)permission denied|operation not permitted|read-only file system|could not resolve|name resolution|network is unreachable`)
})

func failure(text string) tool.Result { return tool.Result{Text: text, Failed: true} }

// answer words how a program ended, then what it wrote.
func (e *ending) answer(advice string) tool.Result {
	stdout, stderr := e.stdout.String(), e.stderr.String()
	out := tool.Result{Cut: e.stdout.Cut() || e.stderr.Cut(), Sandbox: contained(e.Report)}
	switch {
	case e.TimedOut:
		out.Failed = true
		out.Text = "Command timed out after " + seconds(e.timeout) + marked("stdout", stdout) + marked("stderr", stderr)
	case e.Signal != "":
		out.Failed = true
		out.Text = "Command was ended by a signal (" + e.Signal + "): " + strings.TrimRight(stderr, "\n") + marked("stdout", stdout)
	case e.Exit != 0:
		out.Failed = true
		out.Text = "Command exited with code " + strconv.Itoa(e.Exit) + ": " + strings.TrimRight(stderr, "\n") + marked("stdout", stdout)
	case stdout == "":
		out.Text = strings.TrimPrefix(marked("stderr", stderr), "\n")
	default:
		out.Text = strings.TrimRight(stdout, "\n") + marked("stderr", stderr)
	}
	if out.Failed && e.Report.Layer.Contains() && denied().MatchString(stderr) {
		out.Text += fmt.Sprintf("\nit ran contained (%s): %s", e.Report.Layer, advice)
	}
	return out
}

// marked is a stream with its name above, or nothing if it is empty.
func marked(name, text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return "\n" + name + ":\n" + text
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s" }
