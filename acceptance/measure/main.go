// Command measure checks what the engine promises on a folder of real skills,
// through the command line alone. The scripts in acceptance/ call it.
//
//	measure corpus -binary bin/knack -corpus DIR   every skill shows up and can be used
//	measure speed -figures FILE -parts load,…       the figures of bench -json are good enough
//	measure seed -name HOST/SKILL/FILE              print a file of the documents' examples
//	measure serve                                   print the address of a server that is healthy, and serve
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

func main() {
	if len(os.Args) < 2 {
		fail("usage: measure corpus|speed|seed|serve, with flags")
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	binary := flags.String("binary", "bin/knack", "the program to measure")
	corpus := flags.String("corpus", "", "folder with one skill in each directory")
	least := flags.Float64("least", 99, "per cent of the skills that must be usable")
	parts := flags.String("parts", "", "what was measured, separated by commas")
	figures := flags.String("figures", "", "what bench -json printed")
	name := flags.String("name", "", "the file to print")
	_ = flags.Parse(os.Args[2:]) // ExitOnError
	switch os.Args[1] {
	case "corpus":
		measureCorpus(*binary, *corpus, *least)
	case "speed":
		measureSpeed(*figures, *parts)
	case "seed":
		printSeed(*name)
	case "serve":
		serve()
	default:
		fail("there is nothing called %s to measure", os.Args[1])
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "measure: "+format+"\n", args...)
	os.Exit(1)
}

type listing struct {
	Skills []struct {
		Name, Path, Description, Status string
	}
	Diagnostics []struct {
		File, Severity, Message, Hint string
	}
}

// measureCorpus searches the corpus as an extra root of a home of its own.
func measureCorpus(binary, corpus string, least float64) {
	corpus, err := filepath.Abs(corpus)
	check(err)
	home, err := os.MkdirTemp("", "knack-acceptance-")
	check(err)
	defer os.RemoveAll(home)
	settings := "[skills]\nextra_roots = [" + strconv.Quote(corpus) + "]\n"
	check(os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600))

	expected := withManifest(corpus)
	if len(expected) == 0 {
		fail("%s holds no skill", corpus)
	}
	var list listing
	run(&list, binary, home, "list", "-a", "--json")
	found := map[string]bool{}
	named := map[string]bool{}
	for _, s := range list.Skills {
		found[s.Path] = true
		named[s.Path] = strings.TrimSpace(s.Name) != "" && strings.TrimSpace(s.Description) != ""
	}
	explained := map[string]bool{}
	for _, d := range list.Diagnostics {
		if d.Message != "" && (d.Hint != "" || d.Severity == "error") {
			explained[filepath.Dir(d.File)] = true
			explained[d.File] = true
		}
	}
	bodies := bodiesOf(binary, home, expected)
	var missing, silent []string
	usable := 0
	for _, dir := range expected {
		switch {
		case !found[dir]:
			missing = append(missing, dir)
		case named[dir] && bodies[dir]:
			usable++
		case !explained[dir]:
			silent = append(silent, dir)
		}
	}
	share := 100 * float64(usable) / float64(len(expected))
	fmt.Printf("directories with a manifest: %d; listed: %d; usable name, description and body: %d (%.2f %%, at least %.0f %%); unusable without a diagnostic: %d\n",
		len(expected), len(expected)-len(missing), usable, share, least, len(silent))
	for _, dir := range append(missing, silent...) {
		fmt.Println("  ", dir)
	}
	if len(missing) > 0 || len(silent) > 0 || share < least {
		fail("not met")
	}
}

// withManifest lists the directories of the corpus that hold a manifest in any
// letter case. It asks nobody but the file system.
func withManifest(corpus string) []string {
	dirs, err := os.ReadDir(corpus)
	check(err)
	var out []string
	for _, d := range dirs {
		files, err := os.ReadDir(filepath.Join(corpus, d.Name()))
		if err != nil {
			continue
		}
		for _, f := range files {
			switch strings.ToLower(f.Name()) {
			case "skill.md", "skill.toml", "manifest.toml", "skills.md":
				out = append(out, filepath.Join(corpus, d.Name()))
			default:
				continue
			}
			break
		}
	}
	return out
}

// bodiesOf asks `show --json` of each directory for its instructions.
func bodiesOf(binary, home string, dirs []string) map[string]bool {
	var mu sync.Mutex
	out := map[string]bool{}
	work := make(chan string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for dir := range work {
				var s struct {
					Body    string
					Prompts []string
				}
				run(&s, binary, home, "show", "--json", dir)
				mu.Lock()
				out[dir] = strings.TrimSpace(s.Body+strings.Join(s.Prompts, "")) != ""
				mu.Unlock()
			}
		})
	}
	for _, dir := range dirs {
		work <- dir
	}
	close(work)
	wg.Wait()
	return out
}

func run(into any, binary, home string, args ...string) {
	cmd := exec.Command(binary, append(args, "--home", home, "--workspace", home)...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		fail("%s: %v", strings.Join(cmd.Args, " "), err)
	}
	check(json.Unmarshal(data, into))
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}
