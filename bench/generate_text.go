package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer makes up the text of one skill.
type writer struct {
	rand *rand.Rand
	out  []byte
}

func (w *writer) chance(share float64) bool { return w.rand.Float64() < share }

func (w *writer) pick(from []string) string { return from[w.rand.IntN(len(from))] }

func (w *writer) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

// frontmatter writes the head of a SKILL.md, with the keys that published
// skills have, as often as they have them.
func (w *writer) frontmatter(name string) {
	w.printf("---\nname: %s\n", name)
	description := w.text(w.logNormal(medianDescription, spreadDescription, 20, 1000))
	switch {
	case w.chance(colonShare):
		w.printf("description: %s. Use when: (1) %s, (2) %s\n", description, w.pick(words[:]), w.pick(words[:]))
	case w.chance(0.3):
		w.printf("description: %q\n", description)
	default:
		w.printf("description: %s\n", description)
	}
	if w.chance(0.15) {
		w.printf("homepage: https://example.com/%s\n", name)
	}
	if w.chance(0.13) {
		w.printf("version: %d.%d.%d\n", w.rand.IntN(3), w.rand.IntN(10), w.rand.IntN(10))
	}
	if w.chance(0.08) {
		w.printf("author: %s\n", w.pick(words[:]))
	}
	if w.chance(0.04) {
		w.printf("tags: [%s, %s, %s]\n", w.pick(words[:]), w.pick(words[:]), w.pick(words[:]))
	}
	if w.chance(0.04) {
		w.printf("triggers:\n  - %s %s\n  - %s\n", w.pick(words[:]), w.pick(words[:]), w.pick(words[:]))
	}
	if w.chance(0.03) {
		w.printf("license: Apache-2.0\n")
	}
	if w.chance(0.02) {
		w.printf("allowed-tools: Read Bash(git:*)\n")
	}
	if w.chance(metadataShare) {
		w.metadata()
	}
	w.printf("---\n\n")
}

// programs are required by generated skills: most machines have some of them.
var programs = [...]string{"sh", "git", "curl", "jq", "python3", "node", "uv", "ffmpeg", "gh", "no-such-program"}

func (w *writer) metadata() {
	space := w.pick([]string{"clawdbot", "clawdbot", "clawdbot", "clawdbot", "moltbot", "clawdis"})
	bin := w.pick(programs[:])
	env := ""
	if w.chance(0.3) {
		env = strings.ToUpper(w.pick(words[:])) + "_API_KEY"
	}
	if w.chance(yamlShare) {
		w.printf("metadata:\n  %s:\n    emoji: \"🔧\"\n    requires:\n      bins:\n        - %s\n", space, bin)
		if env != "" {
			w.printf("      env:\n        - %s\n    primaryEnv: %s\n", env, env)
		}
		return
	}
	w.printf(`metadata: {%q:{"emoji":"🔧","requires":{"bins":[%q]`, space, bin)
	if env != "" {
		w.printf(`,"env":[%q]},"primaryEnv":%q`, env, env)
	} else {
		w.printf("}")
	}
	if w.chance(0.15) {
		w.printf(`,"install":[{"id":"brew","kind":"brew","formula":%q,"bins":[%q],"label":"Install %s (brew)"}]`, bin, bin, bin)
	}
	w.printf("}}\n")
}

// markdown writes size bytes of headings, prose, lists and code.
func (w *writer) markdown(size int) {
	for len(w.out) < size {
		switch w.rand.IntN(6) {
		case 0:
			w.printf("\n## %s %s\n\n", w.pick(words[:]), w.pick(words[:]))
		case 1:
			w.printf("```sh\n%s --%s \"$%s\"\n```\n", w.pick(programs[:]), w.pick(words[:]), strings.ToUpper(w.pick(words[:])))
		case 2:
			w.printf("- **%s**: %s\n- `%s`: %s\n", w.pick(words[:]), w.sentence(), w.pick(words[:]), w.sentence())
		default:
			w.printf("%s %s\n", w.sentence(), w.sentence())
		}
	}
	w.out = w.out[:size]
}

func (w *writer) sentence() string { return w.text(40+w.rand.IntN(60)) + "." }

// text is words up to about n characters.
func (w *writer) text(n int) string {
	var b strings.Builder
	b.WriteString("Use ")
	for b.Len() < n {
		b.WriteString(w.pick(words[:]))
		b.WriteByte(' ')
	}
	return strings.TrimRight(b.String(), " ")
}

func withCRLF(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) }

// words make up names and prose. None is a YAML word such as "yes" or "on".
var words = [...]string{
	"account", "agent", "alert", "answer", "archive", "article", "audio", "backup", "balance", "browser",
	"budget", "build", "calendar", "camera", "channel", "chart", "check", "client", "cloud", "code",
	"command", "commit", "config", "contact", "convert", "crawl", "customer", "daily", "dashboard", "data",
	"database", "deploy", "design", "device", "digest", "document", "download", "draft", "email", "engine",
	"event", "export", "feature", "feed", "file", "filter", "finance", "folder", "form", "format",
	"gateway", "graph", "group", "guide", "habit", "health", "image", "import", "inbox", "index",
	"invoice", "issue", "journal", "keyboard", "label", "language", "layout", "library", "light", "list",
	"local", "manage", "market", "meeting", "memory", "message", "metric", "mobile", "model", "monitor",
	"music", "network", "news", "note", "order", "package", "page", "parser", "password", "payment",
	"photo", "plan", "podcast", "portfolio", "price", "printer", "process", "profile", "project", "prompt",
	"queue", "quote", "read", "recipe", "record", "release", "reminder", "report", "research", "review",
	"router", "sales", "schedule", "score", "script", "search", "secret", "server", "share", "shell",
	"signal", "social", "speech", "status", "stock", "storage", "stream", "style", "summary", "support",
	"sync", "table", "task", "team", "template", "terminal", "test", "text", "ticket", "timer",
	"token", "tool", "track", "trade", "travel", "update", "upload", "vault", "video", "voice",
	"wallet", "watch", "weather", "web", "widget", "window", "workflow", "write",
}
