package policy

import (
	"flag"
	"os"
	"testing"
)

// Properties draw the same cases every time, so that a change is judged by what
// it changes; make fuzz draws new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	os.Exit(m.Run())
}
