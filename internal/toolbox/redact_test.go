package toolbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	r := NewRedactor("hunter2hunter2", "hunter2", "abc", " padded-value ")
	for text, want := range map[string]string{
		"nothing of the kind":                        "nothing of the kind",
		"use hunter2hunter2 or hunter2":              "use [redacted] or [redacted]",
		"abc is too short to be one":                 "abc is too short to be one",
		"a padded-value here":                        "a [redacted] here",
		"Authorization: Bearer abcdef0123456789":     "Authorization: Bearer [redacted]",
		"https://me:pass@example.com/x":              "https://me:[redacted]example.com/x",
		`{"api_key":"zzzzzzzz","n":1}`:               `{"api_key":"[redacted]","n":1}`,
		"curl --token zzzzzzzz x":                    "curl --token [redacted] x",
		"export GITHUB_TOKEN=zzzzzzzz; ls":           "export GITHUB_TOKEN=[redacted]; ls",
		"sk-" + strings.Repeat("a1", 12):             "[redacted]",
		"AKIAABCDEFGHIJKLMNOP":                       "[redacted]",
		"ghp_abcdefghijklmnopqrstuvwxyz012345 there": "[redacted] there",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY----- x": "[redacted] x",
	} {
		if diff := cmp.Diff(want, r.Text(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if got := r.Known("ghp_abcdefghijklmnopqrstuvwxyz012345 hunter2"); got != "ghp_abcdefghijklmnopqrstuvwxyz012345 [redacted]" {
		t.Errorf("what is shown to a model loses known values only: %s", got)
	}
}

// A known secret is in no text that was redacted, whatever stands around it.
func TestKnownSecretsNeverStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9+/=_-]{6,40}`).Draw(t, "secret")
		text := rapid.String().Draw(t, "before") + secret + rapid.String().Draw(t, "after")
		if strings.Contains(redacted, secret) {
			t.Skip()
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{text, string(quoted)} {
			if strings.Contains(NewRedactor(secret).Text(in), secret) {
				t.Fatalf("%q stays in %q", secret, in)
			}
		}
		escaped := ""
		for _, r := range secret {
			escaped += fmt.Sprintf(`\\u%04x`, r)
		}
		var back string
		if err := json.Unmarshal([]byte(NewRedactor(secret).JSON(`"`+escaped+`"`)), &back); err != nil || strings.Contains(back, secret) {
			t.Fatalf("%q stays in %q: %v", secret, back, err)
		}
	})
}

func FuzzRedact(f *testing.F) {
	f.Add("Bearer abcdefghijklmnop", "secret-value")
	f.Fuzz(func(t *testing.T, text, secret string) {
		r := NewRedactor(secret)
		once := r.Text(text)
		if len(once) > 16*len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), len(once))
		}
	})
}
