package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nobody knows which texts of another system's file are secret.
func TestHostFileShowsNoTexts(t *testing.T) {
	const file = `{
	auth: { profiles: { p: { key: "hush-1", age: 3, on: true } } },
	channels: { whatsapp: { auth: ["hush-2", ["hush-3"], { a: "hush-4" }] }, port: 0x1F },
	env: { vars: { GH: "hush-5" } },
	gateway: { cookie: "hush-6", url: "https://u:hush-7@example.com/?x=hush-8", passphrase: "hush-9" },
	agents: { defaults: { model: "hush-10", skills: ["seen-1"] }, list: [{ id: "a", key: "hush-11" }] },
	skills: {
		unknown: "hush-12", mode: "full", allowBundled: ["seen-2"],
		open_skills_url: "https://bot:hush-13@example.com/seen-3?token=hush-14&ref=hush-15#seen-4",
		entries: { x: { apiKey: "hush-16", env: { A: "hush-17" }, config: { cookie: "hush-18", text: "hush-19", n: 7 }, other: "hush-20" } },
	},
}`
	s, _ := newBench(t, "", "").withHost("json5-entries", file).load()
	all, err := json.Marshal(s.Values())
	if err != nil {
		t.Fatal(err)
	}
	shown := string(all)
	for _, key := range []string{"auth", "channels", "channels.whatsapp.auth", "env.vars.GH", "gateway", "agents", "skills", "skills.entries.x", "skills.entries.x.config.text"} {
		v, ok := s.Get(key)
		if !ok {
			t.Errorf("%s is not set", key)
		}
		shown += v.Value
	}
	if strings.Contains(shown, "hush") {
		t.Errorf("shown: %s", shown)
	}
	for key, want := range map[string]string{
		"auth.profiles.p":           `{ age = 3, key = "***", on = true }`,
		"channels":                  `{ port = 0x1F, whatsapp.auth = ["***", ["***"], { a = "***" }] }`,
		"agents.defaults.skills":    `["seen-1"]`,
		"skills.allow_bundled":      `["seen-2"]`,
		"skills.mode":               `"full"`,
		"skills.open_skills_url":    `"https://***@example.com/seen-3?token=***&ref=***#seen-4"`,
		"skills.entries.x.config.n": "7",
	} {
		if v, _ := s.Get(key); v.Value != want {
			t.Errorf("%s = %s, want %s", key, v.Value, want)
		}
	}
	if s.Skills.OpenSkills.URL != "https://bot:hush-13@example.com/seen-3?token=hush-14&ref=hush-15#seen-4" {
		t.Errorf("the URL itself is %s", s.Skills.OpenSkills.URL)
	}
}

// Keys of other programs in one's own file are hidden by their names.
func TestOwnFileShowsTexts(t *testing.T) {
	s, _ := newBench(t, "[other]\nname = 'seen'\nSessionCookie = 'hush'\ndisk.passphrase = 'hush'\nlist = [{ name = 'seen', my_token = 'hush' }]\n", "").load()
	const want = `{ SessionCookie = "***", disk.passphrase = "***", list = [{ name = "seen", my_token = "***" }], name = "seen" }`
	if v, _ := s.Get("other"); v.Value != want {
		t.Errorf("got %s", v.Value)
	}
}

// What is hidden from people is written to files as it is.
func TestSecretsAreWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := Set(t.Context(), file, "other.login", `{ token = "t", url = "https://u:p@example.com" }`); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if want := "[other]\nlogin = { token = \"t\", url = \"https://u:p@example.com\" }\n"; string(data) != want || err != nil {
		t.Errorf("%s %v", data, err)
	}
}

func TestPublicText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"a@b ? c=d":                          "a@b ? c=d",
		"git@example.com:a/b.git":            "git@example.com:a/b.git",
		"https://example.com/@a/b":           "https://example.com/@a/b",
		"https://example.com:8080/@a":        "https://example.com:8080/@a",
		"https://ghp_1@example.com/a":        "https://***@example.com/a",
		"https://u:p@w:d@example.com:80/a":   "https://***@example.com:80/a",
		"https://u:p/w@example.com/a":        "https://***@example.com/a",
		"https://u:80@example.com":           "https://***@example.com",
		"ssh://git@example.com/a":            "ssh://git@example.com/a",
		"git+ssh://u:p@example.com/a":        "git+ssh://***@example.com/a",
		"https://example.com?token=a=b&c":    "https://example.com?token=***&***",
		"https://example.com/a#main":         "https://example.com/a#main",
		"https://example.com/a#id_token=x&y": "https://example.com/a#id_token=***&***",
		"https://example.com/?":              "https://example.com/?",
		"x://":                               "x://",
	} {
		if got := publicText(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
