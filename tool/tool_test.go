package tool

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadOnly(t *testing.T) {
	for i := range 16 {
		e := Effects{Read: i&1 != 0, Write: i&2 != 0, Run: i&4 != 0, Network: i&8 != 0}
		if got, want := e.ReadOnly(), i < 2; got != want {
			t.Errorf("%+v: %v", e, got)
		}
	}
}

// The wire form is part of the interface.
func TestSpecJSON(t *testing.T) {
	for want, spec := range map[string]Spec{
		`{"name":"clock","description":"","effects":{}}`: {Name: "clock"},
		`{"name":"skill_weather_now","description":"Weather.","schema":{"type":"object"},"effects":{"read":true,"write":true,"run":true,"network":true},"skill":"weather"}`: {
			Name: "skill_weather_now", Description: "Weather.", Schema: json.RawMessage(`{"type":"object"}`),
			Effects: Effects{Read: true, Write: true, Run: true, Network: true}, Skill: "weather",
		},
	} {
		data, err := json.Marshal(spec)
		if err != nil || string(data) != want {
			t.Errorf("got %s, %v\nwant %s", data, err, want)
		}
		var back Spec
		if err := json.Unmarshal(data, &back); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(spec, back); diff != "" {
			t.Error(diff)
		}
	}
}

// A head never has half a character, nor more bytes than it may, and what it
// leaves out is counted.
func TestHead(t *testing.T) {
	for _, c := range []struct {
		text  string
		bytes int
		want  string
	}{
		{"", 100, ""},
		{"short\n", 100, "short\n"},
		{strings.Repeat("x", 2000), MostContent, strings.Repeat("x", 2000)},
		{strings.Repeat("x", 2001), MostContent, strings.Repeat("x", 2000) + "… 1 more"},
		{strings.Repeat("ä", 40), 80, strings.Repeat("ä", 40)},
		{strings.Repeat("ä", 41), 81, strings.Repeat("ä", 24) + "… 17 more"},
		{"\xff\xfe", 100, "\ufffd"},
		{strings.Repeat("x", 50), 10, "… 50 more"},
	} {
		if got := Head(c.text, c.bytes); got != c.want {
			t.Errorf("%.20q in %d: %q", c.text, c.bytes, got)
		}
	}
	for text := range strings.SplitSeq("x,ä,€,😀", ",") {
		if got := Head(strings.Repeat(text, 1<<20), MostContent); len(got) > MostContent || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes", text, len(got))
		}
	}
}

func TestSamePlan(t *testing.T) {
	p := Plan{Subject: "s", Command: "c", Dir: "d", Request: "r", Content: "x", Write: []string{"w"}}
	contained := p
	contained.Sandbox = &Sandbox{Layer: "limits"}
	if !p.Same(contained) {
		t.Error("it matters how it is contained")
	}
	for i, change := range []func(*Plan){
		func(p *Plan) { p.Subject = "" }, func(p *Plan) { p.Command = "" }, func(p *Plan) { p.Dir = "" },
		func(p *Plan) { p.Request = "" }, func(p *Plan) { p.Content = "" }, func(p *Plan) { p.Write = nil },
	} {
		o := p
		if change(&o); p.Same(o) {
			t.Errorf("change %d does not matter", i)
		}
	}
}
