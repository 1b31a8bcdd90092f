package tool

import (
	"encoding/json"
	"testing"

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
