package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/knackhq/knack/internal/wording"
)

// Box is the [Runner] of this machine. It is safe for concurrent use.
type Box struct {
	options Options

	program   *os.File // Options.Program
	noProgram error

	tries [len(layers)]try

	lookOnce sync.Once
	looked   *machine
}

// try is what became of trying a layer, once.
type try struct {
	once   sync.Once
	status Status
}

var _ Runner = (*Box)(nil)

// New makes a box. It opens the program, so that nobody can put another in its
// place; nothing is tried until the box is used.
func New(options Options) *Box {
	b := &Box{options: options}
	b.program, b.noProgram = openProgram(options.Program)
	return b
}

// tryTime is how long trying a layer may take. It takes some 10 ms; a machine
// that swaps takes longer.
const tryTime = 20 * time.Second

// Layers tells which layers work here, strongest first. Each is tried once, by
// starting a process in it.
func (b *Box) Layers(ctx context.Context) []Status {
	var out []Status
	for i := range layers {
		out = append(out, b.status(ctx, i))
	}
	return out
}

// status tries the layer of an index, the first time that it is asked for.
func (b *Box) status(ctx context.Context, i int) Status {
	t := &b.tries[i]
	t.once.Do(func() {
		// What is found holds for all who ask later, so the end of this one's
		// context does not decide it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTime)
		defer cancel()
		t.status.Layer = layers[i]
		report, err := b.try(ctx, layers[i])
		if t.status.Works = err == nil; err != nil {
			t.status.Why = err.Error()
		} else {
			t.status.Why = strings.Join(report.Weak, "; ")
		}
	})
	return t.status
}

func (b *Box) try(ctx context.Context, layer Layer) (Report, error) {
	if only := b.options.Layer; only != "" && only != layer {
		return Report{}, fmt.Errorf("only %s is to be used", only)
	}
	if b.noProgram != nil && (b.options.Program != "" || layer != Limits) {
		return Report{}, b.noProgram
	}
	return b.attempt(ctx, layer)
}

// choose takes the strongest layer that does for a spec. Weaker ones are not
// tried for it: they may have to start programs of others.
func (b *Box) choose(ctx context.Context, spec Spec) (Layer, error) {
	var reasons []string
	for i := range layers {
		status := b.status(ctx, i)
		switch {
		case !status.Works:
			reasons = append(reasons, fmt.Sprintf("%s: %s", status.Layer, status.Why))
		case spec.Contained && !status.Layer.Contains():
		case spec.Contained && spec.Proxy != nil && status.Layer == Landlock:
			return "", fmt.Errorf("%w: %w", ErrUncontained, errPortOnly)
		default:
			return status.Layer, nil
		}
	}
	err := errNoLayer
	if spec.Contained {
		err = ErrUncontained
	}
	return "", fmt.Errorf("%w: %s", err, strings.Join(reasons, "; "))
}

// Run implements [Runner].
func (b *Box) Run(ctx context.Context, spec Spec) (Result, error) {
	if err := check(spec); err != nil {
		return Result{}, err
	}
	layer, err := b.choose(ctx, spec)
	if err != nil {
		return Result{}, err
	}
	spec.Bounds = spec.Bounds.orDefault()
	return b.run(ctx, layer, spec)
}

// Expect implements [Runner]. Where Run would refuse, the layer is empty and Weak
// says why.
func (b *Box) Expect(ctx context.Context, spec Spec) Report {
	err := check(spec)
	var layer Layer
	if err == nil {
		layer, err = b.choose(ctx, spec)
	}
	if err == nil {
		spec.Bounds = spec.Bounds.orDefault()
		var report Report
		if report, err = b.expect(ctx, layer, spec); err == nil {
			return report
		}
	}
	return Report{Files: "nothing: it does not start", Network: "none", Processes: "none", Weak: []string{err.Error()}}
}

// check refuses what cannot be meant.
func check(spec Spec) error {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return errors.New("there is no program to run")
	}
	for _, list := range [][]string{spec.Read, spec.Write, spec.Keep, {spec.Dir}} {
		for _, path := range list {
			if !filepath.IsAbs(path) {
				return fmt.Errorf("%s is not an absolute path", wording.Quote(path))
			}
		}
	}
	for _, v := range spec.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return fmt.Errorf("%s is not a variable", wording.Quote(v))
		}
	}
	return nil
}

// orDefault fills in what is zero.
func (b Bounds) orDefault() Bounds {
	d := Defaults
	for _, f := range []struct{ to, from *int64 }{
		{&d.Memory, &b.Memory}, {&d.FileSize, &b.FileSize}, {&d.Tmp, &b.Tmp}, {(*int64)(&d.CPU), (*int64)(&b.CPU)},
	} {
		if *f.from > 0 {
			*f.to = *f.from
		}
	}
	for _, f := range []struct{ to, from *int }{{&d.Processes, &b.Processes}, {&d.Files, &b.Files}} {
		if *f.from > 0 {
			*f.to = *f.from
		}
	}
	return d
}
