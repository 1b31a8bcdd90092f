package config

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list that gains or loses an item keeps what is said about the others.
func TestListsKeepTheirComments(t *testing.T) {
	own := func(key, value string) func(context.Context, string) error {
		return func(ctx context.Context, file string) error { return Set(ctx, file, key, value) }
	}
	hosts := func(host func(string) Host, key, value string) func(context.Context, string) error {
		return func(ctx context.Context, file string) error {
			return SetHost(ctx, host(file), []Change{{key, value}})
		}
	}
	enabled := func(yes bool, name string) func(context.Context, string) error {
		return func(ctx context.Context, file string) error {
			return SetHostEnabled(ctx, tomlHost(file), yes, []string{name})
		}
	}
	const list = "[skills]\nexcluded = [\n # pre\n \"a-b\", # mine\n \"c\"\n]\n"
	for name, c := range map[string]struct {
		do            func(context.Context, string) error
		before, after string
	}{
		"switched on":    {enabled(true, "A-B"), list, "[skills]\nexcluded = [\n # pre\n \"c\"\n]\n"},
		"switched off":   {enabled(false, "d"), list, "[skills]\nexcluded = [\n # pre\n \"a-b\", # mine\n \"c\",\n \"d\"\n]\n"},
		"off already":    {enabled(false, "C"), list, list},
		"own, one less":  {own("skills.excluded", "a-b"), list, "[skills]\nexcluded = [\n # pre\n \"a-b\" # mine\n]\n"},
		"own, one more":  {own("skills.excluded", "a-b, c, e"), list, "[skills]\nexcluded = [\n # pre\n \"a-b\", # mine\n \"c\",\n \"e\"\n]\n"},
		"own, the same":  {own("skills.excluded", "a-b,c"), list, list},
		"own, none":      {own("skills.excluded", "[]"), list, "[skills]\nexcluded = [\n # pre\n]\n"},
		"own, a table":   {own("browser.list", "[1, {a = 2}]"), "[browser]\nlist = [1, {a = 1}, # x\n {a = 2}]\n", "[browser]\nlist = [1,\n {a = 2}]\n"},
		"JSON5":          {hosts(jsonHost, "skills.allow_bundled", "b, c"), "{ skills: { allowBundled: [\n  // pre\n  'a',\n  'b', // mine\n] } }\n", "{ skills: { allowBundled: [\n  // pre\n  'b', // mine\n  \"c\",\n] } }\n"},
		"another order":  {own("skills.excluded", "c, a-b"), list, "[skills]\nexcluded = [\n # pre\n \"c\",\n \"a-b\"\n]\n"},
		"was no list":    {own("skills.excluded", "a"), "[skills]\nexcluded = 'a' # x\n", "[skills]\nexcluded = [\"a\"] # x\n"},
		"in odd spacing": {enabled(true, "b"), "skills.excluded = [\"a\",\"b\" , \"c\"]", "skills.excluded = [\"a\",\"c\"]"},
	} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.do(t.Context(), file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := os.ReadFile(file)
		if diff := cmp.Diff(c.after, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}
