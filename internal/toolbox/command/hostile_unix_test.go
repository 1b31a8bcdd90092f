//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/knackhq/knack/internal/toolbox/output"
	"pgregory.net/rapid"
)

// fragments are what breaks out of a shell's words.
var fragments = []string{
	`'`, `"`, "`", `$(`, `)`, `${`, `}`, `$@`, `$1`, `$`, `\`, "\n", "\r\n", "\t", " ", "  ", ";", "&&", "||", "|", "&", "(", ")", "{", "}", "{{x}}", "{{v0}}",
	"<", ">", ">>", "<<E\nE\n", "2>&1", "*", "?", "[a-z]", "~", "~root", "#", "!", "!!", "=", "A=b", "%s", "%n", `\0`, `\n`, `\'`, `\"`, "--", "-", "-rf", "-e",
	"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"; touch pwned; \"", "$IFS", "${IFS}", "$((1+1))", "a[$(touch pwned)]", "() { :; }; touch pwned",
	"\x01", "\x1b[2J", "\x7f", "\u00a0", "\u2028", "\u202e", "\U0001f600", "é", "ß", "日本", "\ufeff", "\u0000", "x", "0", "abc", "eval", "exec", "\x81", "\x88",
}

// hostile makes a value; leading hyphens only where they may be.
func hostile(r *rand.Rand, dash bool) string {
	var out strings.Builder
	for range r.IntN(8) {
		out.WriteString(fragments[r.IntN(len(fragments))])
	}
	value := out.String()
	if r.IntN(500) == 0 {
		value += strings.Repeat(value+"'", 1+60000/(len(value)+1))
	}
	value = strings.ReplaceAll(value, "\x00", "")
	value = strings.ToValidUTF8(value, "\ufffd") // as JSON has it
	if !dash {
		value = strings.TrimLeft(value, "-")
	}
	return value
}

// states are places for a value, and what the program must get there. VALUE is
// the value; a word may only be a part of one.
var states = []struct {
	text string
	want []string
}{
	{`{{v}}`, []string{"VALUE"}},
	{`a{{v}}b`, []string{"aVALUEb"}},
	{`"{{v}}"`, []string{"VALUE"}},
	{`"a {{v}} b"`, []string{"a VALUE b"}},
	{`'{{v}}'`, []string{"VALUE"}},
	{`'a {{v}} b'"c"`, []string{"a VALUE bc"}},
	{`--k={{v}} "--k={{v}}"`, []string{"--k=VALUE", "--k=VALUE"}},
	{`{{v}}{{v}} next`, []string{"VALUEVALUE", "next"}},
	{`"$(printf '%s.' {{v}})" '$('{{v}}`, []string{"VALUE.", "$(VALUE"}},
	{`"$(printf '%s.' "{{v}}" "$(printf %s '{{v}}' x)")" last`, []string{"VALUE.VALUEx.", "last"}},
	{`'"'{{v}}'"' "'{{v}}'" \"{{v}}\'`, []string{`"VALUE"`, `'VALUE'`, `"VALUE'`}},
	{"a \\\n {{v}} # {{v}} '", []string{"a", "VALUE"}},
	{`"\\{{v}}\$" "${HOME:-none}{{v}}"`, []string{`\VALUE$`, "noneVALUE"}},
	{`"$V_ENV"`, []string{"VALUE"}},
	{`"$V_AT"`, []string{"VALUE"}},
}

// howMany values are tried: more where the time is there.
func howMany(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("KNACK_HOSTILE_VALUES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 1_000
}

// shells are the ones there are here that read as sh does.
func shells() (found [][]string) {
	for _, argv := range [][]string{{"sh"}, {"bash", "--posix"}, {"busybox", "sh"}, {"mksh"}} {
		if _, err := exec.LookPath(argv[0]); err == nil {
			found = append(found, argv)
		}
	}
	return found
}

// No value changes the number of a program's arguments or the place of another,
// wherever it stands in the command.
func TestHostileValues(t *testing.T) {
	for _, shell := range shells() {
		t.Run(shell[0], func(t *testing.T) { hostileValues(t, shell, howMany(t)/len(shells())) })
	}
}

func hostileValues(t *testing.T, shell []string, count int) {
	const batch = 20 // values for one shell, each in every state
	random := rand.New(rand.NewPCG(1, uint64(count)))
	o, run := setup(t)
	o.Shell = shell
	o.MaxOutput = 1 << 10
	declared := SkillTool{Name: "skill_a_show", Skill: "a", Dir: o.Workspace}
	var command strings.Builder
	command.WriteString("show() { printf '%s\\0' \"$#\" \"$@\"; }\n")
	for i := range batch {
		name := fmt.Sprintf("v%d", i)
		declared.Args = append(declared.Args, Arg{Name: name, Dash: true})
		for _, state := range states {
			text := strings.NewReplacer("{{v}}", "{{"+name+"}}", "$V_ENV", "$"+variable(name), "$V_AT", fmt.Sprintf("${%d}", i+1)).Replace(state.text)
			command.WriteString("show " + text + "\n")
		}
	}
	command.WriteString(`show "$@"` + "\n")
	declared.Command = command.String()
	it := Skill(o, declared)
	tried := 0
	for tried < count {
		given, values := map[string]string{}, make([]string, batch)
		for i, arg := range declared.Args {
			values[i] = hostile(random, true)
			given[arg.Name] = values[i]
		}
		run.raw.Reset()
		if out := call(t, it, given); out.Failed {
			t.Fatalf("%q: %s", values, out.Text)
		}
		var want bytes.Buffer
		for _, value := range values {
			for _, state := range states {
				fmt.Fprintf(&want, "%d\x00", len(state.want))
				for _, w := range state.want {
					want.WriteString(strings.ReplaceAll(w, "VALUE", value) + "\x00")
				}
			}
		}
		fmt.Fprintf(&want, "%d\x00%s\x00", batch, strings.Join(values, "\x00"))
		if !bytes.Equal(run.raw.Bytes(), want.Bytes()) {
			reportFirst(t, run.raw.Bytes(), want.Bytes(), values)
		}
		tried += batch
	}
	if entries, err := os.ReadDir(o.Workspace); err != nil || len(entries) > 0 {
		t.Errorf("something ran: %v %v", entries, err)
	}
	t.Logf("%d values in %d places each: every argument whole and in its place", tried, len(states)+1)
}

func reportFirst(t *testing.T, got, want []byte, values []string) {
	t.Helper()
	g, w := bytes.Split(got, []byte{0}), bytes.Split(want, []byte{0})
	for i := range w {
		if i >= len(g) || !bytes.Equal(g[i], w[i]) {
			t.Fatalf("argument %d: got %.300q, want %.300q (%.300q)", i, g[min(i, len(g)-1)], w[i], values)
		}
	}
	t.Fatalf("got %d arguments, want %d", len(g), len(w))
}

// Appended values are words of their own as well, and what is shown is what runs.
func TestHostileAppended(t *testing.T) {
	o, run := setup(t)
	put(t, o.Workspace+"/scripts/show.sh", "printf '%s\\0' \"$#\" \"$@\"\n", 0o644)
	it := Skill(o, SkillTool{Name: "n", Command: "./scripts/show.sh first", Dir: o.Workspace, Args: []Arg{{Name: "a"}, {Name: "b", Dash: true}}})
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		a, b := hostile(random, false), hostile(random, true)
		run.raw.Reset()
		call(t, it, map[string]string{"a": a, "b": b})
		want := "3\x00first\x00" + a + "\x00" + b + "\x00"
		if run.raw.String() != want {
			rt.Fatalf("got %.300q, want %.300q", run.raw.String(), want)
		}
		plan, err := it.Plan(t.Context(), encoded(t, map[string]string{"a": a, "b": b}))
		if err != nil {
			rt.Fatal(err)
		}
		if len(plan.Subject) > longestWord/2 {
			return // no shell takes that as one command
		}
		run.raw.Reset()
		call(t, Shell(o), map[string]string{"command": "sh " + plan.Subject})
		if run.raw.String() != want {
			rt.Fatalf("the plan does something else: %.300q", plan.Subject)
		}
	})
}

// What is shown of values in the environment is what the program gets.
func TestHostileShown(t *testing.T) {
	o, run := setup(t)
	put(t, o.Workspace+"/show.sh", "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$1\" \"$KNACK_ARG_B\"\n", 0o755)
	for _, command := range []string{"./show.sh {{a}}", "true; ./show.sh {{a}}", `./show.sh "$KNACK_ARG_A"`} {
		it := Skill(o, SkillTool{Name: "n", Command: command, Dir: o.Workspace, Args: []Arg{{Name: "a", Dash: true}, {Name: "b", Dash: true}}})
		random := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			given := map[string]string{"a": hostile(random, true), "b": hostile(random, true)}
			plan, err := it.Plan(t.Context(), encoded(t, given))
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Subject) > longestWord/2 {
				continue // no shell takes that as one command
			}
			run.raw.Reset()
			call(t, it, given)
			did := run.raw.String()
			if want := "1\x00" + given["a"] + "\x00" + given["b"] + "\x00"; did != want {
				t.Fatalf("%s: got %.300q, want %.300q", command, did, want)
			}
			run.raw.Reset()
			call(t, Shell(o), map[string]string{"command": plan.Subject})
			if run.raw.String() != did {
				t.Fatalf("%s: the plan does something else: %.300q", command, plan.Subject)
			}
		}
	}
}

// grammar makes an author's text around placeholders: the pieces are put together
// at random, so that most of it is odd.
var grammar = []string{
	"show ", "{{x}}", "{{x}}", " ", "\n", ";", "'", "'", `"`, `"`, "$(show ", ")", "`", "\\", "$", "#", "a", "b ", "${V}", "${V:-", "}", "$((1+1))", "((", "<<E", "\nE\n",
	"$'", "[", "]", "--", "=", "case a in a) ", " esac", "|", "&&", ">", "/dev/null ", "\\\n", "{", "(", "if true; then ", "; fi", "\\\"", "\\'", "$1", "~", "*",
}

// Whatever the author wrote: a placeholder is refused, or it is one word or a part
// of one. Two values without anything special and with everything must give the
// same number of arguments at every call, and the value whole in the same places.
func checkAnyText(t fataler, o Options, run *plain, text, hostileValue string) (taken bool) {
	it := Skill(o, SkillTool{Name: "n", Command: "show() { printf '%s\\0' \"$#\" \"$@\"; }\n" + text, Dir: o.Workspace, Args: []Arg{{Name: "x", Dash: true}}})
	if it.(*skillTool).broken != nil || len(it.(*skillTool).source.places) == 0 {
		return false
	}
	with := func(value string) (string, int) {
		run.raw.Reset()
		out, err := it.Run(context.Background(), json.RawMessage(`{"x":`+strconv.QuoteToASCII(value)+`}`))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return strings.ReplaceAll(run.raw.String(), value, "VALUE"), strings.Count(out.Text, "syntax error")
	}
	tame, errTame := with("tamevalue")
	wild, errWild := with(hostileValue)
	if tame != wild || errTame != errWild {
		t.Fatalf("%q with %q:\n%q\n%q", text, hostileValue, tame, wild)
	}
	return tame != ""
}

type fataler interface{ Fatalf(string, ...any) }

const wildValue = `';touch "$(pwned)" ` + "`x`" + ` * a[$(b)]\ #"{{x}} ) ((` + "\n" + `E`

func TestAnyText(t *testing.T) {
	for _, shell := range shells() {
		t.Run(shell[0], func(t *testing.T) { anyText(t, shell) })
	}
}

func anyText(t *testing.T, shell []string) {
	taken := 0
	o, run := setup(t)
	o.Shell, o.Env = shell, append(o.Env, "V=v")
	rapid.Check(t, func(rt *rapid.T) {
		text := "show " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(grammar), 1, 14).Draw(rt, "text"), "")
		if strings.Contains(text, ">") && !strings.Contains(text, ">/dev/null ") || strings.Contains(text, "$$") || strings.Contains(text, "|&") {
			return // files named by values, numbers of processes
		}
		if checkAnyText(rt, o, run, text, wildValue) {
			taken++
		}
	})
	if taken < 5 {
		t.Errorf("only %d texts ran: this proves nothing", taken)
	}
}

// FuzzReader: any text is read without a panic, and read the same when the places
// are filled with what a place becomes.
func FuzzReader(f *testing.F) {
	for _, state := range states {
		f.Add("show " + strings.ReplaceAll(state.text, "{{v}}", "{{x}}"))
	}
	f.Add("cat <<E\n{{x}}\nE")
	f.Fuzz(func(t *testing.T, text string) {
		src, err := read(text, []string{"x"})
		if err != nil {
			return
		}
		at := 0
		for _, p := range src.places {
			if p.start < at || p.end > len(text) || !strings.HasPrefix(text[p.start:], "{{") || !strings.HasSuffix(text[:p.end], "}}") {
				t.Fatalf("%q: place %+v", text, p)
			}
			at = p.end
		}
		// What is shown is as many placeholder-free words, for any value.
		filled := src.fill(func(p place) string {
			switch p.quote {
			case '"':
				return withinDouble(wildValue[:40])
			case '\'':
				return withinSingle(wildValue[:40])
			}
			return quoted(wildValue[:40])
		})
		again, err := read(filled, nil)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, filled, err)
		}
		if len(src.places) > 0 && again.simple != src.simple {
			t.Fatalf("%q became %q", text, filled)
		}
	})
}

// Output at the cap never splits a character, wherever it begins.
func TestOutputAtTheCap(t *testing.T) {
	o, _ := setup(t)
	cuts := 0
	for _, unit := range []string{"é", "日", "\U0001f600", "aé日\U0001f600"} {
		for limit := 32; limit < 32+2*len(unit); limit++ {
			for offset := range 2 * len(unit) {
				o.MaxOutput = limit
				text := strings.Repeat("a", offset) + strings.Repeat(unit, 40)
				out := call(t, Shell(o), map[string]string{"command": "printf %s '" + text + "'; printf %s '" + text + "' >&2"})
				if !out.Cut || strings.Contains(out.Text, "\ufffd") || out.Text != output.Clean(out.Text) || out.Failed {
					t.Fatalf("limit %d, offset %d: %q", limit, offset, out.Text)
				}
				rest := strings.Trim(strings.NewReplacer("stderr:", "", "left out", "", "bytes", "").Replace(out.Text), "\n 0123456789[]…")
				if strings.Trim(rest, "aé日\U0001f600\n[]… 0123456789") != "" {
					t.Fatalf("limit %d, offset %d: %q", limit, offset, out.Text)
				}
				cuts += 2
			}
		}
	}
	t.Logf("%d streams cut, none within a character", cuts)
}
