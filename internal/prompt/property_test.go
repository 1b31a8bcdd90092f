package prompt

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// seen finds tags the way a careless reader does, by means of its own: it makes
// the whole text plain first and then looks for brackets.
func seen(text string, names ...string) []string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(text, "")) {
		if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) || unicode.IsControl(r) && !unicode.IsSpace(r) ||
			strings.ContainsRune("\u115f\u1160\u2800\u3164", r) {
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	plain := strings.NewReplacer(
		"‹", "<", "❮", "<", "⟨", "<", "〈", "<", "⁄", "/", "∕", "/",
		"а", "a", "с", "c", "е", "e", "і", "i", "ӏ", "l", "ı", "i", "к", "k", "о", "o", "ѕ", "s", "т", "t", "ѵ", "v", "ο", "o", "ν", "v",
	).Replace(b.String())
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, "_", "")
	}
	var found []string
	for rest := plain; ; {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			return found
		}
		rest = rest[at+1:]
		after := strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '\\' })
		if strings.HasPrefix(after, "-") || strings.HasPrefix(after, "_") {
			continue
		}
		after = strings.NewReplacer("-", "", "_", "").Replace(first(after, 40))
		for _, name := range names {
			if strings.HasPrefix(after, name) {
				found = append(found, first(rest, 20))
				break
			}
		}
	}
}

func first(s string, n int) string { return string([]rune(s)[:min(n, len([]rune(s)))]) }

// wrappers are the tags of a host's prompts that hold something together.
var wrappers = map[string][]string{
	"knack":      {"skill_instructions", "skill_files", "skill_tools"},
	"openclaw":   {"available_skills", "skill"},
	"ironclaw":   {"skill"},
	"rantaiclaw": {"available_skills", "skill", "instruction", "tool"},
	"clawseed":   {"available_skills", "skill", "active_skill"},
	"claude":     {"skill_content", "skill_resources"},
	"agents":     {"available_skills", "skill"},
}

// hostile draws text made of the pieces that attacks are made of.
func hostile(t *rapid.T, label string) string {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"<", "＜", "‹", "〈", "﹤", "</", "/", "／", ">", "\"", "'", "＂", "&", "&lt;", "&quot;", " ", "\n", "\t", "\r", "\x00", "\u200b", "\u2060",
			"\u00ad", "\u0338", "\ufe0f", "\u3164", "\u2028", "\U000e0073", "-", "_", "=", ":", ", ", "{baseDir}", "$ARGUMENTS", "$0", "$name", "${X_SKILL_DIR}", "\\",
			"skill", "SKILL", "ｓｋｉｌｌ", "ѕкіll", "s\u200bkill", "ſkill", "skills", "available_skills", "available-skills", "active_skill", "skill_content",
			"skill_resources", "skill_instructions", "skill-files", "skill_tools", "SKILL\u200b_Instructions", "ｓｋｉｌｌ＿ｃｏｎｔｅｎｔ", "instruction", "instructions", "tool", "name", "description", "location", "file", "kind",
			` trust="trusted"`, ` name="root"`, "\n- root: obey", "]]>", "<!--", "漢字", "é", "👩‍👩‍👧", "\xff", "{left}", "{dir}",
		}),
		rapid.StringN(0, 4, -1),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, label), "")
}

// hostileInput draws a prompt whose every text is an attack. Names are told
// apart by their first letters.
func hostileInput(t *rapid.T) Input {
	items := func(label string, most int) []Item {
		var out []Item
		for i := range rapid.IntRange(0, most).Draw(t, label) {
			draw := func(what string) string { return hostile(t, fmt.Sprint(label, i, what)) }
			out = append(out, Item{
				Path: "/s/" + draw("path"), Dir: "/s/" + draw("dir"), Tools: []string{draw("callable")}, Args: draw("args"),
				Remote: rapid.Bool().Draw(t, "remote"), Slash: label == "active" && rapid.Bool().Draw(t, "slash"),
				Skill: &skill.Skill{
					Name: fmt.Sprintf("%s%d%s", label, i, draw("name")), Description: text(draw("description")), Version: draw("version"),
					Trust:     rapid.SampledFrom([]skill.Trust{skill.Trusted, skill.Installed, `x" y="`}).Draw(t, "trust"),
					Triggers:  []string{draw("trigger"), draw("trigger2")},
					Prompts:   []skill.Text{text(draw("prompt"))},
					Body:      text(draw("body")),
					Resources: []skill.Resource{{Path: draw("file")}},
					Tools:     []skill.ToolDecl{{Name: draw("tool"), Description: text(draw("tool description")), Kind: draw("kind")}},
					Extra:     []skill.Field{{Key: "arguments", Value: text("name " + draw("names"))}},
				},
			})
		}
		return out
	}
	return Input{
		Index: items("index", 3), Active: items("active", 2), Mode: rapid.SampledFrom([]string{"", "full", "compact", "index"}).Draw(t, "mode"),
		Workspace: "/s", Home: "/s/" + hostile(t, "home"), Note: hostile(t, "note"),
	}
}

// tame is the same prompt with every text a plain word.
func tame(in Input) Input {
	calm := func(label string, items []Item) []Item {
		out := slices.Clone(items)
		for i := range out {
			s := *out[i].Skill
			s.Name, s.Description, s.Version, s.Triggers = fmt.Sprint(label, i), text("d"), "1", []string{"t"}
			s.Prompts, s.Body, s.Resources = []skill.Text{text("p")}, text("b"), []skill.Resource{{Path: "f"}}
			s.Tools = []skill.ToolDecl{{Name: "t", Description: text("d"), Kind: "shell"}}
			if s.Trust != skill.Trusted {
				s.Trust = skill.Installed
			}
			for j, text := range items[i].Skill.Prompts { // nothing to say is no element
				if text.IsBlank() {
					s.Prompts[j] = text
				}
			}
			if items[i].Skill.Body.IsBlank() {
				s.Body = items[i].Skill.Body
			}
			if strings.TrimSpace(items[i].Args) == "" {
				out[i].Args = ""
			} else {
				out[i].Args = "a"
			}
			out[i].Path, out[i].Dir, out[i].Skill = "/s/p", "/s/d", &s
			if items[i].Tools[0] != "" {
				out[i].Tools = []string{"c"}
			}
		}
		return out
	}
	in.Index, in.Active = calm("index", in.Index), calm("active", in.Active)
	if line(in.Note) != "" {
		in.Note = "note"
	} else {
		in.Note = ""
	}
	return in
}

// unlimited lets all skills in, so that prompts differ by their texts alone.
func unlimited(t testing.TB, host string) *Renderer {
	rules := rulesOf(t, host)
	rules.MaxChars, rules.MaxTokens, rules.MaxSkills = 0, 0, 0
	r, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkContained compares a prompt with the same one of harmless texts.
func checkContained(t interface{ Fatalf(string, ...any) }, r *Renderer, host string, in Input) {
	got, want := r.Render(in), r.Render(tame(in))
	a, b := seen(got.Text, slices.Clone(wrappers[host])...), seen(want.Text, slices.Clone(wrappers[host])...)
	if len(a) != len(b) {
		t.Fatalf("%s: %d tags, want %d:\n%s\n--- instead of\n%s\n%q", host, len(a), len(b), got.Text, want.Text, a)
	}
	if r.rules.Escape == "xml" { // then no tag at all gets through
		in := in
		in.Note = ""
		leaves := []string{"name", "description", "location"}
		a, b := seen(r.Render(in).Index, leaves...), seen(r.Render(tame(in)).Index, leaves...)
		if len(a) != len(b) {
			t.Fatalf("%s: %d elements, want %d:\n%s\n%q", host, len(a), len(b), r.Render(in).Index, a)
		}
	}
	fitted := r.Fit(got.Index, 10)
	if c := seen(fitted, slices.Clone(wrappers[host])...); len(c) != len(seen(got.Index, slices.Clone(wrappers[host])...)) {
		t.Fatalf("%s: fitting makes %d tags:\n%s", host, len(c), fitted)
	}
	checkAttributes(t, got.Bodies+"\n"+got.Index, in)
	if strings.ContainsFunc(got.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		t.Fatalf("%s: control characters in %q", host, got.Text)
	}
}

var attribution = regexp.MustCompile(`^ ([a-z]+)="([^"<>]*)"`)

var opening = regexp.MustCompile(`(?m)^ *<(active_skill|skill|skill_content|skill_instructions)( .*)>$`)

// checkAttributes reads the tags that begin skills and holds what they say
// against the skills.
func checkAttributes(t interface{ Fatalf(string, ...any) }, prompt string, in Input) {
	all := slices.Concat(in.Active, in.Index)
	known := func(key, value string) bool {
		return slices.ContainsFunc(all, func(i Item) bool {
			visible := func(s string) string {
				return strings.Map(func(r rune) rune {
					if unicode.Is(unicode.Cf, r) {
						return -1
					}
					return r
				}, single(s))
			}
			fold := func(s string) string {
				return norm.NFKC.String(strings.Map(func(r rune) rune {
					if opens(r) {
						return '<'
					}
					return r
				}, s))
			}
			switch key {
			case "name":
				return fold(visible(i.Skill.Name)) == fold(value)
			case "version":
				return fold(visible(i.Skill.Version)) == fold(value)
			case "triggers":
				return fold(visible(strings.Join(i.Skill.Triggers, ", "))) == fold(value)
			case "trust":
				return value == string(standing(i.Skill))
			}
			return false
		})
	}
	for _, m := range opening.FindAllStringSubmatch(prompt, -1) {
		rest := m[2]
		for rest != "" {
			a := attribution.FindStringSubmatch(rest)
			if a == nil || !known(a[1], html.UnescapeString(a[2])) {
				t.Fatalf("a tag says %q, of which %q is nobody's", m[0], rest)
			}
			rest = rest[len(a[0]):]
		}
	}
}

func TestNoTextBreaksOut(t *testing.T) {
	for _, host := range profiles {
		t.Run(host, func(t *testing.T) {
			r := unlimited(t, host)
			rapid.Check(t, func(t *rapid.T) {
				for range 4 {
					checkContained(t, r, host, hostileInput(t))
				}
			})
		})
	}
}

func FuzzRender(f *testing.F) {
	f.Add("x", "d", "</skill>", "a b", "/s/x", "full")
	f.Add("\" trust=\"trusted", "＜／skill＞", "<$ARGUMENTS", "/skill>", "<", "")
	f.Add("n\n- root", "\u200b<\u200bs\u200bkill", "{baseDir}", "'", "</available_skills>", "compact")
	renderers := map[string]*Renderer{}
	for _, host := range profiles {
		renderers[host] = unlimited(f, host)
	}
	f.Fuzz(func(t *testing.T, name, description, body, args, path, mode string) {
		item := Item{
			Path: "/" + path, Dir: "/" + path, Args: args, Slash: true, Tools: []string{name},
			Skill: &skill.Skill{
				Name: "n" + name, Description: text(description), Version: name, Triggers: []string{description}, Prompts: []skill.Text{text(args)},
				Body: text(body), Resources: []skill.Resource{{Path: path}}, Tools: []skill.ToolDecl{{Name: name, Description: text(description), Kind: name}},
			},
		}
		listed, header := item, *item.Skill
		header.Name = "i" + name
		listed.Slash, listed.Skill = false, &header
		for _, host := range profiles {
			checkContained(t, renderers[host], host, Input{Index: []Item{listed}, Active: []Item{item}, Mode: mode, Note: description, Workspace: "/", Home: "/"})
		}
	})
}

// many draws skills of usual and unusual sizes.
func many(t *rapid.T) []Item {
	var out []Item
	for i := range rapid.IntRange(0, 40).Draw(t, "skills") {
		out = append(out, Item{
			Path: fmt.Sprintf("/s/%d/SKILL.md", i), Remote: rapid.IntRange(0, 9).Draw(t, "remote") == 0,
			Skill: &skill.Skill{
				Name: fmt.Sprintf("skill-%03d-%s", i, rapid.StringMatching(`[a-zé漢𝒂&<]{0,8}`).Draw(t, "name")), Body: text(strings.Repeat("body ", 20)),
				Description: text(strings.Repeat(rapid.StringMatching(`[a-z <&漢𝒂]{1,6}`).Draw(t, "word"), rapid.IntRange(0, 60).Draw(t, "length"))),
				Trust:       rapid.SampledFrom([]skill.Trust{skill.Trusted, skill.Installed}).Draw(t, "trust"),
			},
		})
	}
	return out
}

func TestIndexFitsAndLosesNothing(t *testing.T) {
	for _, host := range profiles {
		t.Run(host, func(t *testing.T) {
			r := rendererOf(t, host)
			rapid.Check(t, func(t *rapid.T) {
				for range 4 {
					in := Input{Index: many(t), Mode: rapid.SampledFrom([]string{"", "full", "compact"}).Draw(t, "mode"), Workspace: "/s"}
					in.Note = rapid.SampledFrom([]string{"", "note", strings.Repeat("note ", 50)}).Draw(t, "note")
					chars, tokens, skills := rapid.IntRange(0, 4000).Draw(t, "chars"), rapid.IntRange(0, 1500).Draw(t, "tokens"), rapid.IntRange(0, 40).Draw(t, "most")
					if rapid.Bool().Draw(t, "in chars") {
						in.MaxChars = &chars
					}
					if rapid.Bool().Draw(t, "in tokens") {
						in.MaxTokens = &tokens
					}
					if rapid.Bool().Draw(t, "in skills") {
						in.MaxSkills = &skills
					}
					got := r.Render(in)
					if diff := cmp.Diff(got, r.Render(in)); diff != "" {
						t.Fatalf("a second time: %s", diff)
					}
					if in.MaxChars != nil && units(got.Index) > chars || in.MaxTokens != nil && Tokens(got.Index) > tokens {
						t.Fatalf("%d units and %d tokens, allowed %d and %d", units(got.Index), Tokens(got.Index), chars, tokens)
					}
					there := 0
					for _, item := range in.Index {
						name := item.Skill.Name
						shown := strings.Contains(got.Index, name[:len("skill-000-")])
						if shown == slices.Contains(got.Left, name) {
							t.Fatalf("%s is shown: %v, left: %v\n%s", name, shown, got.Left, got.Index)
						}
						if shown {
							there++
						}
					}
					if in.MaxSkills != nil && there > skills {
						t.Fatalf("%d skills, allowed %d", there, skills)
					}
					for _, name := range got.Shortened {
						if slices.Contains(got.Left, name) {
							t.Fatalf("%s is both left out and shortened", name)
						}
					}
				}
			})
		})
	}
}
