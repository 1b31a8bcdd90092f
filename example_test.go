package knack_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/skill"
)

// project makes a workspace with the given skills for the examples.
func project(skills map[string]string) string {
	dir, err := os.MkdirTemp("", "knack-example-")
	if err != nil {
		panic(err)
	}
	for name, text := range skills {
		folder := filepath.Join(dir, "skills", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	return dir
}

// A snapshot has every skill that was found, in every state, and says why.
func Example() {
	ctx := context.Background()
	dir := project(map[string]string{
		"tides": "---\nname: tides\ndescription: Tide tables.\n---\nAsk the harbour.\n",
		"mail":  "---\nname: mail\ndescription: Sends mail.\nmetadata: {\"openclaw\":{\"requires\":{\"env\":[\"SMTP_HOST\"]}}}\n---\nSend it.\n",
	})
	defer os.RemoveAll(dir)

	engine, err := knack.Open(ctx, knack.Options{Workspace: dir, NoBundled: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshot, err := engine.Snapshot(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range snapshot.Entries() {
		fmt.Println(e.Name, e.Status)
		for _, r := range e.Reasons {
			fmt.Println("  ", r.Code)
		}
	}
	// Output:
	// mail gated
	//    gate-env
	// tides ready
}

// Find looks a skill up by name or folder; Load reads it whole.
func ExampleSnapshot_Find() {
	ctx := context.Background()
	dir := project(map[string]string{"tides": "---\nname: Tide Tables\ndescription: When is high water?\n---\nAsk the harbour.\n"})
	defer os.RemoveAll(dir)

	engine, _ := knack.Open(ctx, knack.Options{Workspace: dir, NoBundled: true})
	snapshot, _ := engine.Snapshot(ctx)
	entry, err := snapshot.Find("tides")
	if err != nil {
		fmt.Println(err)
		return
	}
	whole, _ := engine.Load(ctx, entry)
	fmt.Println(whole.Name, "–", whole.Body.Len(), "bytes of instructions")

	_, err = snapshot.Find("tdes")
	var missing *knack.NotFoundError
	fmt.Println(errors.As(err, &missing), missing.Near)
	// Output:
	// Tide Tables – 17 bytes of instructions
	// true [tides]
}

// Inspect reads one folder on its own, as an author's tool would.
func ExampleEngine_Inspect() {
	ctx := context.Background()
	dir := project(map[string]string{"odd": "---\ndescription: Use when: somebody asks\n---\nText.\n"})
	defer os.RemoveAll(dir)

	engine, _ := knack.Open(ctx, knack.Options{NoBundled: true})
	entry, err := engine.Inspect(ctx, filepath.Join(dir, "skills", "odd"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range entry.Diagnostics {
		if d.Severity == skill.Warning {
			fmt.Printf("%s:%d %s\n", filepath.Base(d.File), d.Line, d.Code)
		}
	}
	// Output:
	// SKILL.md:2 frontmatter-repaired
}
