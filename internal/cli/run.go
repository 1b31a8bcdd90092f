package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/agent"
	"github.com/knackhq/knack/internal/term"
)

type runOptions struct {
	agentOptions
	message string
	output  string
	sample  bool
}

// outputs are the ways in which `run` tells what happens.
var outputs = [...]string{"text", "json", "stream-json"}

// sampleMessage shows a skill chosen, a tool called and its result on any machine,
// without a key and without a network.
const sampleMessage = "What is 17.5% of 2340?"

// mostInput is what is read from a pipe: more than any model reads.
const mostInput = 4 << 20

func newRun(f *factory) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "run MESSAGE",
		Short: "Ask an agent to do one thing",
		Long: `Send one message to an agent: skills that fit are active before the model is
asked, tools are called as policy allows, and the answer is printed as it comes.
What is piped in is added to the message. Which model is asked comes from --model,
the configuration (llm.provider, llm.name) or the keys in the environment; without
any of them an offline planner shows what the loop does, which is no language
model.

--output json prints one object at the end, stream-json one for each thing that
happens. Without a terminal nobody can be asked: what would be, is refused, unless
--yes allows it. The exit code is 1 if the turn failed or was cut short, 130 if it
was interrupted.`,
		Example: `  knack run "will it rain in Bergen tomorrow?"
  git diff | knack run --skill code-review "review this change"
  knack run --model ollama/llama3.2 --output json "summarise README.md"
  knack run --resume last "and now in German"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.message = strings.Join(args, " ")
			return runRun(cmd.Context(), f, opt)
		},
	}
	opt.flags(cmd, f)
	cmd.Flags().StringVar(&opt.output, "output", "text", "text, json or stream-json")
	cmd.Flags().BoolVar(&opt.sample, "sample", false, "play a sample request and print the transcript")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs[:], cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runRun(ctx context.Context, f *factory, opt runOptions) error {
	show, ok := f.shower(opt.output)
	if !ok {
		return &usageError{err: fmt.Errorf("--output %q is none of %s", opt.output, strings.Join(outputs[:], ", "))}
	}
	if opt.sample {
		opt.message, opt.noSave = sampleMessage, true
		fmt.Fprintf(f.env.Stdout, "> %s\n", sampleMessage)
		f.env.Stderr = f.env.Stdout // a transcript is all of it, in its order
	} else if err := f.addInput(&opt); err != nil {
		return err
	}
	c, err := f.converse(ctx, opt.agentOptions, nil)
	if err != nil {
		return err
	}
	defer c.close()
	for _, notice := range c.notices {
		fmt.Fprintln(f.env.Stderr, term.Clean(notice))
	}
	turn, err := c.agent.Send(ctx, opt.message, show.event)
	show.end(c, turn, err)
	switch {
	case errors.Is(err, context.Canceled) || turn.End == agent.EndInterrupted:
		return context.Canceled
	case err != nil:
		return hinted(err)
	case turn.End == agent.EndIterations || turn.End == agent.EndFailed:
		return errNo
	}
	return nil
}

// addInput adds what is piped in to the message.
func (f *factory) addInput(opt *runOptions) error {
	in, file := f.env.Stdin.(*os.File)
	if file && in != nil && !term.Detect(in, f.env.Environ).TTY() || !file && f.env.Stdin != nil {
		data, err := io.ReadAll(io.LimitReader(f.env.Stdin, mostInput+1))
		if err != nil {
			return fmt.Errorf("what is piped in cannot be read: %w", err)
		}
		if len(data) > mostInput {
			return &hintedError{err: errors.New("what is piped in has more than 4 MiB"), hint: "name the file in the message instead, so that tools can read it"}
		}
		if text := strings.TrimSpace(strings.ToValidUTF8(string(data), "\ufffd")); text != "" {
			opt.message = strings.TrimSpace(opt.message + "\n\n" + text)
		}
	}
	if opt.message == "" {
		return &usageError{err: errors.New("run needs a message"), hint: `knack run "what can you do here?"`}
	}
	return nil
}

// shower tells what happens during a turn.
type shower struct {
	event func(agent.Event)
	end   func(*conversing, agent.Turn, error)
}

// runResult is `run --output json`.
type runResult struct {
	agent.Turn
	Error        string              `json:"error,omitempty"`
	Model        string              `json:"model"`
	Active       []knack.ActiveSkill `json:"active"`
	Conversation string              `json:"conversation,omitempty"`
}

func newRunResult(c *conversing, turn agent.Turn, err error) runResult {
	r := runResult{Turn: turn, Model: c.name(), Active: nonNil(c.session.Active())}
	if err != nil {
		r.Error = err.Error()
	}
	if c.record != nil {
		r.Conversation = c.record.ID()
	}
	return r
}

func (f *factory) shower(output string) (shower, bool) {
	switch output {
	case "json":
		return shower{event: func(agent.Event) {}, end: func(c *conversing, turn agent.Turn, err error) {
			_ = f.printJSON(newRunResult(c, turn, err))
		}}, true
	case "stream-json":
		lines := json.NewEncoder(f.env.Stdout)
		return shower{event: func(e agent.Event) { _ = lines.Encode(e) }, end: func(c *conversing, turn agent.Turn, err error) {
			_ = lines.Encode(map[string]any{"end": newRunResult(c, turn, err)})
		}}, true
	case "text":
		t := &transcript{f: f}
		return shower{event: t.event, end: t.end}, true
	}
	return shower{}, false
}
