package tree

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// Documents made of few keys define things twice more often than not. What may
// be defined twice, the library says; the reader has its own rules for it.
func TestTOMLRedefinitionAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.Custom(func(rt *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(rt, "key"), ".")
		})
		line := rapid.Custom(func(rt *rapid.T) string {
			k := key.Draw(rt, "k")
			return rapid.SampledFrom([]string{
				"[" + k + "]", "[[" + k + "]]", k + " = 1", k + " = {}", k + " = []", k + " = [{}]",
				k + " = {" + key.Draw(rt, "inner") + " = 1, " + key.Draw(rt, "inner") + " = {}}",
			}).Draw(rt, "line")
		})
		doc := strings.Join(rapid.SliceOfN(line, 1, 7).Draw(rt, "doc"), "\n")
		var want map[string]any
		wantErr := toml.Unmarshal([]byte(doc), &want)
		n, err := TOML([]byte(doc), testLimits)
		if (err == nil) != (wantErr == nil) {
			rt.Fatalf("%s\nlibrary: %v\nreader: %v", doc, wantErr, err)
		}
		if err == nil {
			compareTOML(rt, want, n)
		}
	})
}
