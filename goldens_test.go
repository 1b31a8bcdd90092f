package knack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// goldens are outputs of the real systems: those in testdata, or with
// KNACK_GOLDENS a directory that has more of them.
func golden(t *testing.T, name string, into any) {
	t.Helper()
	file := filepath.Join("testdata", "goldens", filepath.FromSlash(name))
	if dir := os.Getenv("KNACK_GOLDENS"); dir != "" {
		file = filepath.Join(dir, filepath.FromSlash(name))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// deviation is a case that Knack answers otherwise on purpose.
type deviation struct {
	File   string `toml:"file"`
	Case   string `toml:"case"`
	What   string `toml:"what"`   // for people: what differs
	Rule   string `toml:"rule"`   // why it must
	Answer string `toml:"answer"` // Knack's, as JSON
}

func deviations(t *testing.T, host string) map[string]deviation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hosts", host, "deviations.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Deviation []deviation `toml:"deviation"`
	}
	if err := toml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]deviation{}
	for _, d := range doc.Deviation {
		if d.What == "" || d.Rule == "" {
			t.Errorf("%s %s: a deviation needs what and rule", d.File, d.Case)
		}
		out[d.File+" "+d.Case] = d
	}
	return out
}

// conformance compares answers with goldens and keeps account of deviations.
type conformance struct {
	t     *testing.T
	file  string
	known map[string]deviation
	cases int
	agree int
	away  int
}

func newConformance(t *testing.T, host, file string) *conformance {
	return &conformance{t: t, file: file, known: deviations(t, host)}
}

// check compares one answer. Both are compared as JSON.
func (c *conformance) check(name string, want, got any) {
	c.t.Helper()
	c.cases++
	w, g := asJSON(c.t, want), asJSON(c.t, got)
	d, deviates := c.known[c.file+" "+name]
	switch {
	case w == g && deviates:
		c.t.Errorf("%s: it agrees, so it is no deviation", name)
	case w == g:
		c.agree++
	case deviates:
		c.away++
		if g != asJSON(c.t, json.RawMessage(d.Answer)) {
			c.t.Errorf("%s: the deviation's answer is %s\n but knack says %s", name, d.Answer, g)
		}
	default:
		c.t.Errorf("%s:\n theirs %s\n   ours %s", name, w, g)
	}
}

// done reports the figures and holds deviations to their share.
func (c *conformance) done() {
	c.t.Helper()
	if c.cases == 0 {
		c.t.Fatal("there are no cases")
	}
	if most := max(2, c.cases/20); c.away > most {
		c.t.Errorf("%d deviations of %d cases; at most %d are allowed", c.away, c.cases, most)
	}
	fmt.Printf("%s: %d cases, %d agree, %d deviate on purpose\n", c.file, c.cases, c.agree, c.away)
}

// asJSON is equal for equal values, whatever their types.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	data, err = json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
