package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/llm"
	"github.com/knackhq/knack/internal/term"
)

// patience is how long the doctor waits for a model's server.
const patience = 15 * time.Second

// checkModel says which model would be asked, and asks it for a word.
func (f *factory) checkModel(ctx context.Context, engine *knack.Engine) check {
	c := conversing{engine: engine}
	failed := func(err error) check {
		out := check{Name: "model", Detail: term.Clean(err.Error())}
		var e *llm.Error
		if errors.As(err, &e) {
			out.Hint = term.Clean(e.Hint)
		}
		return out
	}
	if err := c.chooseModel(f, ""); err != nil {
		return failed(err)
	}
	detail := c.name() + " (" + c.choice.From + ")"
	if c.choice.BaseURL != "" {
		detail += " at " + c.choice.BaseURL
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := llm.Check(ctx, c.model); err != nil {
		out := failed(err)
		out.Detail = term.Clean(detail) + ": " + out.Detail
		return out
	}
	return check{Name: "model", OK: true, Detail: term.Clean(detail)}
}

// checkContainment says which layer contains the programs of skills.
func (f *factory) checkContainment(ctx context.Context, engine *knack.Engine) check {
	for _, l := range f.toolbox(engine, false).Layers(ctx) {
		if !l.Works {
			continue
		}
		detail := "programs of skills are contained by " + l.Name
		if !l.Contains {
			detail = "nothing contains the files and network of programs here, so skills that are not trusted cannot run any"
		}
		return check{Name: "sandbox", OK: true, Detail: strings.TrimSpace(detail + "; knack doctor sandbox tries it out")}
	}
	return check{Name: "sandbox", Detail: "no layer of containment works", Hint: "knack doctor sandbox"}
}
