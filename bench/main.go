// Command bench measures what Knack costs, as ratios against the least that any
// program could do, in one run and on one machine.
//
//	go run ./bench [-binary FILE] [-only PARTS] [-rounds N] [-json]
//	go run ./bench -generate N -into DIR
//	go run ./bench -select DIR
//
// The parts, all of which are measured unless -only names some:
//
//	load     a load without index, against reading the manifests (the floor)
//	reload   a load from the index, against asking for their size and time
//	scale    both at 2,500, 25,000 and 100,000 generated skills
//	list     the CPU time and memory of "knack list --json" as a process
//	init     what packages do before main starts
//	hostile  the worst that a single skill folder can do
//	start    a program started contained, against one started plainly
//
// load, reload and list run on the folder that KNACK_CORPUS names, else on 2,500
// generated skills. Of several rounds the best counts, since other work on the
// machine can only add. Everything is warm: the files are in the page cache.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

var parts = [...]string{"load", "reload", "scale", "list", "init", "hostile", "start"}

// options are the flags.
type options struct {
	binary   string
	only     string
	rounds   int
	json     bool
	scale    bool
	small    bool
	seed     uint64
	generate int
	into     string
	child    string
	choose   string
}

// gcPercent is that of cmd/knack, whose loads are measured.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	var o options
	flag.StringVar(&o.binary, "binary", "", "the knack program (default: built for the occasion)")
	flag.StringVar(&o.only, "only", "", "measure only these, separated by commas: "+strings.Join(parts[:], ", "))
	flag.IntVar(&o.rounds, "rounds", 15, "rounds; the best counts")
	flag.BoolVar(&o.json, "json", false, "print the figures as JSON")
	flag.BoolVar(&o.scale, "scale", true, "measure large corpora as well")
	flag.BoolVar(&o.small, "small", false, "generate skills with short bodies, a tenth of the disk space")
	flag.Uint64Var(&o.seed, "seed", 1, "what the generated skills are made from")
	flag.IntVar(&o.generate, "generate", 0, "generate this many skills and stop")
	flag.StringVar(&o.into, "into", "", "where to generate them")
	flag.StringVar(&o.child, "child", "", "used by bench itself")
	flag.StringVar(&o.choose, "select", "", "measure selection with the sets of this folder and stop")
	flag.Parse()
	if err := run(context.Background(), o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, args []string) error {
	switch o.child {
	case "launch":
		return launch(args)
	case "load":
		return loadChild(ctx, args[0])
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	if o.generate > 0 {
		if o.into == "" {
			return errors.New("-generate needs -into DIR")
		}
		return generate(o.into, o.generate, o.profile())
	}
	if o.choose != "" {
		return measureSelection(os.Stdout, o.choose)
	}
	wanted, err := o.wanted()
	if err != nil {
		return err
	}
	r, err := o.measure(ctx, wanted)
	if err != nil {
		return err
	}
	if o.json {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	r.print(os.Stdout)
	return nil
}

func (o options) profile() corpusProfile { return corpusProfile{Seed: o.seed, Small: o.small} }

// wanted tells which parts were asked for.
func (o options) wanted() (func(string) bool, error) {
	chosen := parts[:]
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	for _, part := range chosen {
		if !slices.Contains(parts[:], part) {
			return nil, fmt.Errorf("-only: %q is none of %s", part, strings.Join(parts[:], ", "))
		}
	}
	return func(part string) bool {
		return slices.Contains(chosen, part) && (part != "scale" || o.scale)
	}, nil
}

// Rounds that cost seconds or start processes are done less often.
const (
	scaleRounds   = 5
	processRounds = 5
	hostileRounds = 3
)

func (o options) measure(ctx context.Context, wanted func(string) bool) (*report, error) {
	work, err := os.MkdirTemp("", "knack-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	r := &report{Machine: machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()}}
	if wanted("list") || wanted("init") || wanted("start") {
		if o.binary == "" {
			o.binary, err = build(work)
		} else {
			o.binary, err = filepath.Abs(o.binary)
		}
		if err != nil {
			return nil, err
		}
	}
	if wanted("load") || wanted("reload") || wanted("list") {
		root, err := o.corpus(work, r)
		if err != nil {
			return nil, err
		}
		if wanted("load") || wanted("reload") {
			progress("loading")
			c, err := measureLoads(ctx, root, o.rounds, wanted)
			if err != nil {
				return nil, err
			}
			r.Loads = &c
		}
		if wanted("list") {
			progress("listing")
			if r.List, err = measureList(o.binary, root, min(o.rounds, processRounds)); err != nil {
				return nil, err
			}
		}
	}
	if wanted("init") {
		progress("starting")
		if r.Init, err = measureInit(o.binary, min(o.rounds, processRounds)); err != nil {
			return nil, err
		}
	}
	if wanted("start") {
		progress("starting contained")
		if r.Start, err = measureStarts(ctx, o.binary); err != nil {
			return nil, err
		}
	}
	if wanted("hostile") {
		if r.Hostile, err = measureHostile(min(o.rounds, hostileRounds), progress); err != nil {
			return nil, err
		}
	}
	if wanted("scale") {
		if r.Scale, err = measureScale(ctx, o.profile(), min(o.rounds, scaleRounds), progress); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// progress says on standard error what takes so long.
func progress(what string) { fmt.Fprintln(os.Stderr, "bench: "+what) }

// defaultSkills is about the number of skills published when Knack was begun.
const defaultSkills = 2_500

// corpus is the folder that the environment names, or a generated one.
func (o options) corpus(work string, r *report) (string, error) {
	if root := os.Getenv("KNACK_CORPUS"); root != "" {
		r.Corpus = root
		return filepath.Abs(root)
	}
	r.Corpus = "generated"
	root := filepath.Join(work, "corpus")
	progress(fmt.Sprintf("generating %d skills", defaultSkills))
	return root, generate(root, defaultSkills, o.profile())
}
