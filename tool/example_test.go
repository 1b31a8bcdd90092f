package tool_test

import (
	"encoding/json"
	"fmt"

	"github.com/knackhq/knack/tool"
)

// A tool says what it touches; who may call it is decided from that.
func ExampleSpec() {
	specs := []tool.Spec{
		{Name: "calculator", Description: "Computes.", Schema: json.RawMessage(`{"type":"object"}`)},
		{Name: "file_read", Effects: tool.Effects{Read: true}},
		{Name: "web_fetch", Effects: tool.Effects{Network: true}},
		{Name: "skill_weather_report", Effects: tool.Effects{Read: true, Run: true}, Skill: "weather"},
	}
	for _, s := range specs {
		fmt.Println(s.Name, s.Effects.ReadOnly())
	}
	// Output:
	// calculator true
	// file_read true
	// web_fetch false
	// skill_weather_report false
}
