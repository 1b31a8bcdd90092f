package knack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/tool"
)

// A call is what a model answers with instead of text.
type call struct{ Tool, Args string }

// scripted stands for a model: it looks at what it is sent and answers from a
// script.
type scripted struct{ turn int }

func (m *scripted) ask(system string, tools []string, _ []string) (text string, calls []call) {
	m.turn++
	fmt.Printf("turn %d: tools %s; instructions there: %v\n", m.turn, strings.Join(tools, " "), strings.Contains(system, "Count the files"))
	switch m.turn {
	case 1:
		return "", []call{{"Skill", `{"skill": "counter"}`}}
	case 2:
		return "", []call{{"shell", "ls"}, {"file_read", "README"}}
	}
	return "There is one file.", nil
}

// A complete loop: the prompt is built anew for every request, so that a skill
// which the model activates is there in the very next one, and every call goes
// through what the active skills leave.
func Example_loop() {
	ctx := context.Background()
	dir := project(map[string]string{"counter": "---\nname: counter\ndescription: Counts files\n---\nCount the files.\n"})
	defer os.RemoveAll(dir)

	engine, err := knack.Open(ctx, knack.Options{Workspace: dir, NoBundled: true})
	if err != nil {
		log.Fatal(err)
	}
	session, err := engine.NewSession(ctx, knack.SessionOptions{Tools: []tool.Spec{
		{Name: "Skill"},
		{Name: "file_read", Effects: tool.Effects{Read: true}},
		{Name: "shell", Effects: tool.Effects{Read: true, Write: true, Run: true}},
	}})
	if err != nil {
		log.Fatal(err)
	}

	model := &scripted{}
	history := []string{session.Read(ctx, "How many files are there?").Text}
	for range 10 {
		prompt, err := session.Prompt(ctx)
		if err != nil {
			log.Fatal(err)
		}
		var names []string
		may := map[string]knack.ToolDecision{}
		for _, d := range session.Tools(ctx) {
			if may[d.Tool.Name] = d; d.Allowed {
				names = append(names, d.Tool.Name)
			}
		}
		answer, calls := model.ask("You are helpful.\n\n"+prompt.Text, names, history)
		if len(calls) == 0 {
			fmt.Println(answer)
			return
		}
		for _, c := range calls {
			decision := may[c.Tool]
			switch {
			case !decision.May(c.Args):
				fmt.Println("refused:", c.Tool)
				history = append(history, decision.Reason.Message)
			case c.Tool == "Skill":
				var args struct{ Skill string }
				_ = json.Unmarshal([]byte(c.Args), &args) // a real loop answers with the error
				done := session.Activate(ctx, args.Skill, knack.ByModel)
				fmt.Println(done[0].Message)
				history = append(history, done[0].Message)
			default:
				history = append(history, "…what the tool answered")
			}
		}
	}
	// Output:
	// turn 1: tools Skill file_read shell; instructions there: false
	// skill counter is active: follow its instructions in the system prompt
	// turn 2: tools Skill file_read; instructions there: true
	// refused: shell
	// turn 3: tools Skill file_read; instructions there: true
	// There is one file.
}

// What a skill may do follows from where it came from; the user can say more.
func ExampleEngine_Trust() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "knack")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	dir := filepath.Join(home, "installed", "hub-tool")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: hub-tool\ndescription: d\n---\nDo it.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	engine, err := knack.Open(ctx, knack.Options{Home: home, NoBundled: true})
	if err != nil {
		log.Fatal(err)
	}
	show := func() {
		snapshot, err := engine.Snapshot(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range snapshot.Entries() {
			fmt.Println(e.Name, e.Trust)
			if err := engine.Trust(ctx, e); err != nil {
				log.Fatal(err)
			}
		}
	}
	show()
	show()
	// Output:
	// hub-tool installed
	// hub-tool trusted
}
