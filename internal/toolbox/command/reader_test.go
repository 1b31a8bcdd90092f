package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceholders(t *testing.T) {
	for text, want := range map[string]string{
		// What can be kept one word. <x> is a place without quotes, 'x' and "x" are
		// places between them; ! marks one where a hyphen could be an option's.
		`echo {{x}}`:                                 `echo <x!>`,
		`echo {{ x }}`:                               `echo <x!>`,
		`echo "{{x}}"`:                               `echo ""x!""`,
		`echo '{{x}}'`:                               `echo ''x!''`,
		`echo 'a{{x}}b' {{y}}`:                       `echo 'a'x'b' <y!>`,
		`echo --to={{x}} -n{{y}}`:                    `echo --to=<x> -n<y>`,
		`echo -- {{x}} "{{y}}"`:                      `echo -- <x> ""y""`,
		`echo -- a; echo {{x}}`:                      `echo -- a; echo <x!>`,
		`echo {{x}}{{y}}`:                            `echo <x!><y!>`,
		`echo a{{x}}{{y}}`:                           `echo a<x><y!>`,
		`echo $HOME{{x}} a$HOME/{{x}}`:               `echo $HOME<x!> a$HOME/<x>`,
		`echo "$(basename {{x}})" '{{y}}'`:           `echo "$(basename <x!>)" ''y!''`,
		"echo `date` {{x}}":                          "echo `date` <x!>",
		`echo ${HOME:-none}/{{x}}`:                   `echo ${HOME:-none}/<x>`,
		`echo $((1+2)){{x}}`:                         `echo $((1+2))<x!>`,
		"# it's {{x}}\necho {{x}}":                   "# it's {{x}}\necho <x!>",
		`echo a#'{{x}}'`:                             `echo a#''x''`,
		`echo \'{{x}}\'`:                             `echo \'<x>\'`,
		`echo "\"{{x}}\\"`:                           `echo "\""x"\\"`,
		`docker ps --format {{.Names}} {{x}}`:        `docker ps --format {{.Names}} <x!>`,
		`v=$(basename {{x}}); rm "$v"`:               `v=$(basename <x!>); rm "$v"`,
		`echo {{{x}}} {{z}}`:                         `echo {<x>} {{z}}`,
		`> {{x}} cat`:                                `> <x> cat`,
		`cat 2>&1 {{x}} | head -n {{y}}`:             `cat 2>&1 <x!> | head -n <y!>`,
		`V={{x}} env`:                                `V=<x> env`,
		`./scripts/{{x}}.sh`:                         `./scripts/<x>.sh`,
		`if test {{x}}; then echo {{y}}; fi`:         `if test <x!>; then echo <y!>; fi`,
		`f() { echo {{x}}; }; f a`:                   `f() { echo <x!>; }; f a`,
		`bash -c 'echo "$1"' _ {{x}}`:                `bash -c 'echo "$1"' _ <x!>`,
		`awk -v v={{x}} '{print v}' {{y}}`:           `awk -v v=<x> '{print v}' <y!>`,
		`bash deploy.sh -c {{x}}`:                    `bash deploy.sh -c <x!>`,
		`echo nice {{x}} | xargs -I {} run {} {{y}}`: `echo nice <x!> | xargs -I {} run {} <y!>`,
		`timeout {{x}} run {{y}}`:                    `timeout <x!> run <y!>`,
		`nice -n {{x}} run {{y}}`:                    `nice -n <x!> run <y!>`,
		`nice -n{{x}} run`:                           `nice -n<x> run`,
		`env V={{x}} ./bin/{{y}}`:                    `env V=<x> ./bin/<y>`,
		`env -u {{x}} -- run {{y}}`:                  `env -u <x!> -- run <y>`,
		`flock {{x}} run {{y}}`:                      `flock <x!> run <y!>`,
		`node --eval=1 {{x}}`:                        `node --eval=1 <x!>`,
		`node run.js --eval {{x}}`:                   `node run.js --eval <x!>`,
		`node --title={{x}} run.js`:                  `node --title=<x> run.js`,
		`python3.11 -m tool {{x}}`:                   `python3.11 -m tool <x!>`,
		`grep -c {{x}} sh`:                           `grep -c <x!> sh`,
		`case {{x}} in a) echo {{y}};; esac`:         `case <x!> in a) echo <y!>;; esac`,
		"echo a \\\n  {{x}}":                         "echo a \\\n  <x!>",
		`echo {{x}} <<E` + "\nit's\nE\n":             `echo <x!> <<E` + "\nit's\nE\n",
		`echo "a $(printf '%s' "{{x}}" | wc) {{y}}"`: `echo "a $(printf '%s' ""x!"" | wc) "y""`,
	} {
		src, err := read(text, []string{"x", "y"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := src.fill(func(p place) string {
			name := string("xy"[p.argument])
			if src.bare[p.argument] && bareAt(t, text, p) {
				name += "!"
			}
			if p.quote == 0 {
				return "<" + name + ">"
			}
			return string(p.quote) + name + string(p.quote)
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

// bareAt tells whether one place alone is bare.
func bareAt(t *testing.T, text string, p place) bool {
	t.Helper()
	// The others become words that no argument is named.
	only := strings.NewReplacer("{{x}}", "${X}", "{{y}}", "${Y}")
	src, err := read(only.Replace(text[:p.start])+"{{p}}"+text[p.end:], []string{"p"})
	if err != nil {
		t.Fatal(err)
	}
	return src.bare[0]
}

func TestRefusedPlaceholders(t *testing.T) {
	for text, want := range map[string]string{
		"cat <<E\n{{x}}\nE":                        "read in different ways",
		"cat <<'E'\n'\nE\necho {{x}}":              "read in different ways",
		"cat <<-E\n\t{{x}}\nE":                     "read in different ways",
		"cat <\\\n<E\n{{x}}\nE":                    "read in different ways",
		`cat <<< {{x}}`:                            "read in different ways",
		`cat <(echo {{x}})`:                        "read in different ways",
		`echo $(({{x}}+1))`:                        "arithmetic",
		`echo $((1)) $(( 1 + {{x}} ))`:             "arithmetic",
		`echo $((a[1])) {{x}}`:                     "read in different ways",
		`(({{x}}))`:                                "read in different ways",
		`echo $[{{x}}]`:                            "read in different ways",
		"echo `echo {{x}}`":                        "backquotes",
		"echo \"`echo '{{x}}'`\"":                  "backquotes",
		`echo ${{x}}`:                              "behind a $",
		`echo "${{x}}"`:                            "behind a $",
		`echo ${V:-{{x}}}`:                         "within ${ }",
		`echo "${V:-"{{x}}"}"`:                     "read in different ways",
		`echo \{{x}}`:                              "behind a backslash",
		`echo "\{{x}}"`:                            "behind a backslash",
		`echo $'{{x}}'`:                            "read in different ways",
		`echo "$(case a in a) echo {{x}};; esac)"`: "read in different ways",
		"alias q='cat <<E'\nq {{x}}":               "read in different ways",
		`{{x}}`:                                    "place of the program",
		`"{{x}}" a`:                                "place of the program",
		`a; {{x}}`:                                 "place of the program",
		`V=1 {{x}}`:                                "place of the program",
		`exec {{x}}`:                               "place of the program",
		`echo $({{x}})`:                            "place of the program",
		`if {{x}}; then :; fi`:                     "place of the program",
		`eval {{x}}`:                               "source of another",
		`eval "echo {{x}}"`:                        "source of another",
		`sh -c 'echo {{x}}'`:                       "source of another",
		`/bin/bash -ec "echo {{x}}"`:               "source of another",
		`bash -c -- {{x}}`:                         "source of another",
		`bash -c{{x}}`:                             "source of another",
		`xargs -n1 sh -c "rm {{x}}"`:               "source of another",
		`python3 -c 'print("{{x}}")'`:              "source of another",
		`perl -ne 'print if /{{x}}/'`:              "source of another",
		`awk '/{{x}}/' f`:                          "source of another",
		`awk -F : "/{{x}}/"`:                       "source of another",
		`[[ {{x}} -gt 1 ]]`:                        "source of another",
		`python3.11 -c {{x}}`:                      "source of another",
		`python3 -Ic {{x}}`:                        "source of another",
		`/usr/bin/lua5.4 -e "{{x}}"`:               "source of another",
		`node --eval {{x}}`:                        "source of another",
		`node --eval={{x}}`:                        "source of another",
		`node --no-warnings --print "{{x}}"`:       "source of another",
		`php --run {{x}}`:                          "source of another",
		`Rscript -e {{x}}`:                         "source of another",
		`timeout 3 sh -c {{x}}`:                    "source of another",
		`nice {{x}}`:                               "place of the program",
		`nice -n 5 {{x}}`:                          "place of the program",
		`nice -n5 "{{x}}"`:                         "place of the program",
		`env {{x}}`:                                "place of the program",
		`env -i A=1 -u B {{x}} c`:                  "place of the program",
		`env -S {{x}}`:                             "place of the program",
		`/usr/bin/env nice nohup {{x}}`:            "place of the program",
		`ls | xargs -n 1 {{x}}`:                    "place of the program",
		`timeout 5 {{x}}`:                          "place of the program",
		`timeout -s KILL {{x}} {{x}}`:              "place of the program",
		`timeout 5 nice "$1"`:                      "place of the program",
		`flock lock {{x}}`:                         "place of the program",
		`flock lock -c {{x}}`:                      "place of the program",
		`setsid {{x}}`:                             "place of the program",
		`run $1`:                                   "without quotes",
		`run a${1}b "$1"`:                          "without quotes",
		`run $@`:                                   "without quotes",
		`run ${*}`:                                 "without quotes",
		`run $KNACK_ARG_X`:                         "without quotes",
		"run `echo $1`":                            "backquotes",
		`run $((${1}))`:                            "read in different ways",
		`run $(($1))`:                              "arithmetic",
		`"$1"`:                                     "place of the program",
		`sh -c "$1"`:                               "source of another",
		`eval "$@"`:                                "source of another",
		`run $'a' "$1"`:                            "read in different ways",
		`rm $(basename {{x}})`:                     "without quotes around it",
		`rm $(echo "$(basename "$1")")`:            "without quotes around it",
		`bash -o pipefail -c "{{x}}"`:              "source of another",
		`su me -c "{{x}}"`:                         "source of another",
		"run " + strings.Repeat(`{{x}} `, 501):     "more than 500 places",
		`trap {{x}} EXIT`:                          "source of another",
		`echo "{{x}}`:                              "do not close",
		`echo '{{x}}`:                              "do not close",
		`echo "$(echo {{x}}`:                       "do not close",
		`echo {{x}} 'open`:                         "do not close",
		"echo $\\\n(echo {{x}})":                   "read in different ways",
	} {
		if src, err := read(text, []string{"x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q (%+v)", text, err, want, src)
		}
	}
}

func TestReferences(t *testing.T) {
	type answer struct {
		Appends, References bool
		Safe                string // of two arguments
	}
	for text, want := range map[string]answer{
		`./run.sh`:                  {Appends: true, Safe: "false false"},
		`./run.sh --`:               {Appends: true, Safe: "true true"},
		`exec ./run.sh -- `:         {Appends: true, Safe: "true true"},
		`./run.sh 2>&1`:             {Appends: true, Safe: "false false"},
		`awk '{print $1}'`:          {Appends: true, Safe: "false false"},
		`echo \$1`:                  {Appends: true, Safe: "false false"},
		`echo $HOME $(date | head)`: {Appends: true, Safe: "false false"},
		`./run.sh | head`:           {Safe: "false false"},
		`a; b`:                      {Safe: "false false"},
		"a # b":                     {Safe: "false false"},
		`cat >`:                     {Safe: "false false"},
		`echo \`:                    {Safe: "false false"},
		`echo "open`:                {Safe: "false false"},
		`for i in a; do b; done`:    {Safe: "false false"},
		`{ a; }`:                    {Safe: "false false"},
		`! a`:                       {Safe: "false false"},
		"cat <<E\nx\nE":             {Safe: "false false"},
		`run "$@"`:                  {References: true, Safe: "false false"},
		`run -- "$@"`:               {References: true, Safe: "true true"},
		`run "$1" -- "$2"`:          {References: true, Safe: "false true"},
		`run --a="$1"`:              {References: true, Safe: "true false"},
		`run $#`:                    {References: true, Safe: "false false"},
		"cat <<E\n$1\nE":            {References: true, Safe: "false false"},
		`echo "$KNACK_ARG_X"`:       {References: true, Safe: "false false"},
		`run {{x}} --b={{y}}`:       {References: true, Safe: "false true"},
		`run --b={{x}} {{x}}`:       {References: true, Safe: "false false"},
		`v=$1; run -- "$v"`:         {References: true, Safe: "true false"},
		`case $1 in a) run;; esac`:  {References: true, Safe: "false false"},
		`run ${#1} "$V" $V $9`:      {References: true, Safe: "false false"},
		`run --a={{x}}`:             {References: true, Safe: "true false"},
	} {
		src, err := read(strings.TrimSpace(text), []string{"x", "y"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := answer{src.appends(), src.references(), fmt.Sprint(src.dashSafe(0), " ", src.dashSafe(1))}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}
