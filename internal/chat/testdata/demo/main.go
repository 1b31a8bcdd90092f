// Command demo is the chat with an agent that plays a script, to look at it: go
// run ./internal/chat/testdata/demo, with -plain or -lines.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/chat"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/tool"
)

const answer = `## Weather in Zürich

It is **sunny** and ` + "`21 °C`" + `, says [the service](https://weather.example.com/zurich). 天气预报说明天也是晴天。👩‍💻

1. Go outside
   - take water
   - take a *hat*
2. Come back

` + "```go\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n```" + `

| city | temperature | remark |
|:-----|------------:|:------:|
| Zürich | 21 | sunny, with a light breeze from the lake |
| 北京 | 9 | 晴 |

> Who has no shadow walks in the night.
`

type script struct {
	chat   *chat.Chat
	skills []knack.ActiveSkill
}

func (s *script) Send(ctx context.Context, text string, on func(agent.Event)) (agent.Turn, error) {
	if strings.HasPrefix(text, "fail") {
		return agent.Turn{End: agent.EndFailed}, fmt.Errorf("the model is gone; try another with /model")
	}
	s.skills = []knack.ActiveSkill{{Name: "weather", Why: knack.ByMatch, Trust: "installed", Tokens: 420}, {Name: "maps", Why: knack.ByModel, Trust: "trusted", Tokens: 12345, From: "weather"}}
	on(agent.Event{Skills: s.skills})
	for _, w := range strings.SplitAfter("The user wants the weather. I should look it up with the tool that the skill brings.", " ") {
		on(agent.Event{Reasoning: w})
		time.Sleep(30 * time.Millisecond)
	}
	on(agent.Event{Usage: &llm.Usage{Input: 900, Output: 120}})
	on(agent.Event{Call: &agent.CallEvent{ID: "1", Tool: "skill_weather_now", Arguments: `{"city":"Zürich"}`}})
	box := &tool.Sandbox{Layer: "namespaces", Files: "the skill's folder, read-only", Network: "weather.example.com", Processes: "its own", Weak: []string{"no memory limit"}}
	consent, _ := s.chat.Approve(ctx, knack.Question{
		Tool: tool.Spec{Name: "skill_weather_now"}, Caller: "model", Skill: "weather", Active: []string{"weather", "maps"},
		Plan:  tool.Plan{Command: "curl -s 'https://weather.example.com/now?q=Zürich' | jq '.temperature'\x1b]52;c;aGk=\x07", Dir: "/home/me/.knack/installed/weather", Write: []string{"/tmp/knack-1"}, Env: []string{"WEATHER_KEY"}, Sandbox: box},
		Hosts: []string{"weather.example.com"}, Why: "the skill is installed and holds no grant for this tool",
		Choices: []knack.Consent{knack.Once, knack.ForSession, knack.ByGrant}, Grants: map[string]knack.Grant{"weather": {Tool: "skill_weather_now", Net: []string{"weather.example.com"}}},
	})
	result := tool.Result{Text: "temperature: 21\nwind: 3\nsky: \x1b[31mclear\n", Sandbox: box}
	if consent == knack.Refuse {
		result = tool.Result{Text: "the user refused", Failed: true}
	}
	on(agent.Event{Result: &agent.ResultEvent{ID: "1", Tool: "skill_weather_now", Result: result, Duration: 1234 * time.Millisecond}})
	for _, w := range strings.SplitAfter(answer, " ") {
		if ctx.Err() != nil {
			return agent.Turn{End: agent.EndInterrupted}, ctx.Err()
		}
		on(agent.Event{Text: w})
		time.Sleep(20 * time.Millisecond)
	}
	return agent.Turn{Text: answer, End: agent.EndDone, Iterations: 2, Usage: llm.Usage{Input: 2000, Output: 300}}, nil
}

func main() {
	plain, lines := flag.Bool("plain", false, ""), flag.Bool("lines", false, "")
	flag.Parse()
	s := &script{}
	opt := chat.Options{
		Agent: s, Title: "Knack", Model: "offline", Workspace: "~/work", Hint: "Try: what is the weather in Zürich?",
		Commands: []chat.Command{{Name: "skills", Help: "list skills"}, {Name: "why", Help: "why a skill is or is not there"}, {Name: "model", Help: "show or change the model"}, {Name: "weather", Help: "skill: the weather of a place"}},
		Skills:   func() []knack.ActiveSkill { return s.skills },
		Run: func(_ context.Context, name, args string) (string, bool, error) {
			if name == "model" {
				s.chat.SetModel(args)
				return "the model is " + args + " now", true, nil
			}
			return "weather  ready  the weather\nmaps     gated  maps", name == "skills", nil
		},
		Plain: *plain, Input: os.Stdin, Output: os.Stdout, Environ: os.Environ(), Now: time.Now,
	}
	s.chat = chat.New(opt)
	run := s.chat.Run
	if *lines {
		run = s.chat.Lines
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
