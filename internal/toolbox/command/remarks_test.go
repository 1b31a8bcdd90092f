package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemarks(t *testing.T) {
	unused := func(name, variable string) Remark {
		return Remark{`no place of the command takes the argument "` + name + `"; it is in the variable ` + variable + ` only`, "write {{" + name + "}} where it belongs, or leave the argument out"}
	}
	stranger := func(name, hint string) Remark {
		return Remark{"{{" + name + "}} names no declared argument, so it stays as it is", hint}
	}
	city, both := []Arg{{Name: "city"}}, []Arg{{Name: "city"}, {Name: "log-level"}}
	for _, c := range []struct {
		command string
		args    []Arg
		want    []Remark
	}{
		{`curl wttr.in/{{city}}`, city, nil},
		{`./run.sh`, both, nil},
		{`./run.sh {{args}}`, nil, nil},
		{`./run.sh`, nil, nil},
		{`echo "$@" | sort`, both, nil},
		{`echo "$2" "$1" | sort`, both, nil},
		{`while [ $# -gt 0 ]; do echo "$1"; shift; done`, both, nil},
		{`f() { echo "$1"; shift; echo "$1"; }; f "$1"; shift; f "$1"`, both, nil},
		{`echo "$KNACK_ARG_CITY" {{log-level}}`, both, nil},
		{`docker ps --format '{{range .Names}}{{.}}{{end}}' {{city}}`, city, nil},
		{`echo {{city}}`, both, []Remark{unused("log-level", "KNACK_ARG_LOG_LEVEL")}},
		{`echo "$1"`, both, []Remark{unused("log-level", "KNACK_ARG_LOG_LEVEL")}},
		{`cd sub && ./run.sh`, city, []Remark{unused("city", "KNACK_ARG_CITY")}},
		{`echo {{citi}} {{citi}}`, city, []Remark{stranger("citi", "did you mean {{city}}?")}},
		{`echo {{loglevel}} {{city}} {{log-level}}`, both, []Remark{stranger("loglevel", "did you mean {{log-level}}?")}},
		{`echo {{city}} {{ country }}`, city, []Remark{stranger("country", `declare it: args = { country = "what it is" }`)}},
		{`echo {{country}}`, nil, []Remark{stranger("country", `declare it: args = { country = "what it is" }`)}},
		{`docker ps --format '{{.Names}}{{end}}' {{citi}} {{city}}`, city, []Remark{stranger("citi", "did you mean {{city}}?")}},
		{`eval {{citi}} {{city}}`, city, nil}, // it is refused
	} {
		if diff := cmp.Diff(c.want, Remarks(SkillTool{Command: c.command, Args: c.args})); diff != "" {
			t.Errorf("%s:\n%s", c.command, diff)
		}
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(" {{" + strings.Repeat("x", i+1) + "}}")
	}
	if n := len(Remarks(SkillTool{Command: "echo" + many.String()})); n != 20 {
		t.Errorf("%d remarks", n)
	}
}
