package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hostileCase is a skill folder that tries to cost its reader time or memory.
type hostileCase struct {
	name  string
	build func(dir string) error
}

// hostileCases are the nasty folders, each built in an empty folder of its own.
// Sizes come in pairs where there is a limit: just below it, so that the reader
// has to work, and far beyond it.
func hostileCases() []hostileCase {
	cases := []hostileCase{{"(nothing hostile)", skillMD("---\nname: plain\ndescription: plain\n---\n\n# Plain\n")}}
	cases = append(cases, yamlCases()...)
	cases = append(cases, brokenHeadCases()...)
	cases = append(cases, tomlCases()...)
	cases = append(cases, bodyCases()...)
	cases = append(cases, folderCases()...)
	return append(cases, specialCases()...)
}

const (
	mib = 1 << 20
	// headRoom is a frontmatter just below the limit of 64 KiB.
	headRoom = 64<<10 - 200
)

// skillMD is a folder with nothing but a SKILL.md.
func skillMD(text string) func(string) error {
	return func(dir string) error { return writeFile(filepath.Join(dir, "SKILL.md"), []byte(text)) }
}

func skillTOML(text string) func(string) error {
	return func(dir string) error { return writeFile(filepath.Join(dir, "SKILL.toml"), []byte(text)) }
}

// head is a SKILL.md whose frontmatter holds the given lines after the name.
func head(lines string) func(string) error {
	return skillMD("---\nname: hostile\n" + lines + "\n---\n\n# Body\n")
}

// fill repeats unit up to n bytes.
func fill(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }

func yamlCases() []hostileCase {
	nested := func(open, end string, n int) string {
		return strings.Repeat(open, n) + strings.Repeat(end, n)
	}
	cases := []hostileCase{
		{"frontmatter of 1 MiB", head("description: " + fill("word ", mib-100))},
		{"frontmatter of 64 KiB, one line", head("description: " + fill("word ", headRoom))},
		{"frontmatter of 64 KiB, block text", head("description: |\n" + fill("  word\n", headRoom))},
		{"frontmatter of 64 KiB, no spaces", head("description: " + fill("a", headRoom))},
		{"100,000 brackets in YAML", head("metadata: " + nested("[", "]", 50_000))},
		{"60,000 brackets in YAML, unclosed", head("metadata: " + fill("[", headRoom))},
		{"13,000 nested maps in YAML", head("metadata: " + nested("{a: ", "}", 13_000))},
		{"10,000 nested maps in JSON5", head(`metadata: {"clawdbot":` + nested(`{"a":`, "}", 10_000) + "}")},
		{"60,000 brackets in JSON5, unclosed", head(`metadata: {"clawdbot":` + fill("[", headRoom))},
		{"block nesting by dashes", head("metadata:\n  " + fill("- ", headRoom))},
		{"block nesting by indentation", head(staircase(headRoom))},
		{"alias bomb", head(aliasBomb(9, 9))},
		{"alias bomb, wide", head("a: &a [" + fill("x,", 20_000) + "x]\nb: [" + fill("*a,", 20_000) + "*a]")},
		{"merge keys", head("a: &a {k: v}\nb: &b {<<: *a}\nc: {<<: [" + fill("*b,", 30_000) + "*b]}")},
		{"20,000 keys", head(numbered("key%05d: v\n", 20_000))},
		{"4,600 keys, just below the limit", head(numbered("key%05d: v\n", 4_600))},
		{"one key 6,500 times", head(fill("tags: [a]\n", headRoom))},
		{"1 MiB of anchors", head(numbered("a%05d: &a%05d x\n", 50_000))},
		{"keywords by the thousand", head("activation:\n  keywords: [" + fill("abc, ", headRoom/2) + "abc]")},
		{"patterns that explode", head("activation:\n  patterns:\n" + fill("    - '((a{1,100}){1,10})+(x+x+)+y'\n", 8000))},
		{"patterns of character classes", head("activation:\n  patterns:\n" + fill(`    - '[\pL\pN\pS]{900}'`+"\n", 8000))},
		{"quotes", head("description: " + fill(`"`, headRoom))},
		{"quotes and backslashes", head("description: \"" + fill(`\"`, headRoom))},
		{"tags of YAML", head("description: " + fill("!!binary ", headRoom))},
		{"tabs", head(fill("\t", headRoom))},
		{"comments", head(fill("#\n", headRoom))},
		{"question marks", head(fill("? ", headRoom))},
	}
	return cases
}

func brokenHeadCases() []hostileCase {
	return []hostileCase{
		{"1 MiB of fences", skillMD(fill("---\n", mib))},
		{"1 MiB of fences after a name", skillMD("---\nname: hostile\n" + fill("--- x\n", mib-100))},
		{"a million colons", skillMD("---\n" + fill(":", 1_000_000) + "\n---\n")},
		{"60,000 colons with spaces", head("description: " + fill("a: ", headRoom))},
		{"lines with two colons", head(fill("a: b: c\n", headRoom))},
		{"lines with a colon each, all different", head(numbered("k%04d: a: b\n", 5_000))},
		{"broken flow map of 60 KB", head(`metadata: {"clawdbot":{"requires":{"bins":[` + fill(`"a",`, headRoom-200) + `"a"]`)},
		{"broken flow maps, line by line", head(fill("metadata: {\"a\":[}\n", headRoom))},
		{"markers of a merge", head(fill("<<<<<<< a\nx: 1\n=======\nx: 2\n>>>>>>> b\n", headRoom))},
		{"conflicts that never end", head(fill("<<<<<<< a\n", headRoom))},
		{"fence never closed, 1 MiB", skillMD("---\n" + fill("a line of text: or two\n", mib-10))},
		{"escaped Markdown", head(fill(`\[\"a\_b\"\]`+"\n", headRoom))},
		{"frontmatter behind 1 MiB of blank lines", skillMD(fill("\n", mib-100) + "---\nname: late\n---\n")},
		{"frontmatter behind 60 KB of comments", skillMD(fill("<!-- x -->\n", headRoom) + "---\nname: late\n---\n")},
		{"unfinished comments", skillMD(fill("<!--", mib-100))},
	}
}

func tomlCases() []hostileCase {
	return []hostileCase{
		{"100,000 brackets in TOML", skillTOML("name = \"x\"\na = " + strings.Repeat("[", 100_000))},
		{"100,000 brackets in TOML, closed", skillTOML("a = " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000))},
		{"nested inline tables in TOML", skillTOML("a = " + strings.Repeat("{a=", 100_000) + "1" + strings.Repeat("}", 100_000))},
		{"a key of 100,000 dots", skillTOML(strings.Repeat("a.", 100_000) + "a = 1\n")},
		{"a table of 100,000 dots", skillTOML("[" + strings.Repeat("a.", 100_000) + "a]\nb = 1\n")},
		{"20,000 keys in TOML", skillTOML(numbered("key%05d = 1\n", 20_000))},
		{"20,000 tables in TOML", skillTOML(numbered("[t%05d]\na = 1\n", 20_000))},
		{"50,000 tables of one name", skillTOML(fill("[[tools]]\nname=\"x\"\n", mib-100))},
		{"tables with long names", skillTOML(numbered("[a."+strings.Repeat("b.", 400)+"c%05d]\n", 1_200))},
		{"an array of 500,000 numbers", skillTOML("a = [" + fill("1,", mib-100) + "1]")},
		{"a string of 1 MiB", skillTOML("name = \"" + fill("a", mib-100) + "\"")},
		{"quotes in TOML", skillTOML("name = " + fill(`"`, mib-100))},
		{"manifest.toml of 1 MiB", func(dir string) error {
			return writeFile(filepath.Join(dir, "manifest.toml"), []byte("[skill]\nname = \"x\"\ntags = ["+fill(`"a",`, mib-100)+"]"))
		}},
	}
}

func bodyCases() []hostileCase {
	return []hostileCase{
		{"one line of 1 MiB", skillMD(fill("a", mib))},
		{"one line of 1 MiB after a head", skillMD("---\nname: x\n---\n" + fill("a", mib-100))},
		{"1 MiB of headings", skillMD(fill("#\n", mib))},
		{"1 MiB of NUL", skillMD(fill("\x00", mib))},
		{"head of NUL", head(fill("\x00", headRoom))},
		{"1 MiB that is not UTF-8", skillMD(fill("\xff\xfe\x80", mib))},
		{"head that is not UTF-8", head("description: " + fill("\xff\xfe\x80", headRoom))},
		{"1 MiB of control characters", skillMD("---\nname: x\n---\n" + fill("\x1b\x07\x9b", mib-100))},
		{"head of control characters", head("description: " + fill("\u0080\u0081", headRoom))},
		{"1 MiB of CR", skillMD(fill("\r", mib))},
		{"1 MiB of CRLF", skillMD(fill("\r\n", mib))},
		{"1 MiB of byte-order marks", skillMD(fill("\ufeff", mib))},
		{"1 MiB of combining marks", skillMD("---\nname: x\ndescription: x\n---\n" + fill("\u0301", mib-100))},
		{"one byte more than the limit", skillMD(fill("a", mib+1))},
	}
}

// staircase nests maps by indentation up to n bytes.
func staircase(n int) string {
	var b strings.Builder
	for depth := 0; b.Len() < n; depth++ {
		b.WriteString(strings.Repeat(" ", depth) + "a:\n")
	}
	return b.String()
}

// aliasBomb is the billion laughs: width to the power of depth.
func aliasBomb(depth, width int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := range depth {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), width), ","))
	}
	return b.String()
}

// numbered formats the numbers below n, each one or more times in the format.
func numbered(format string, n int) string {
	var b strings.Builder
	verbs := strings.Count(format, "%")
	for i := range n {
		args := make([]any, verbs)
		for j := range args {
			args[j] = i
		}
		fmt.Fprintf(&b, format, args...)
	}
	return b.String()
}

func folderCases() []hostileCase {
	const many = 20_000
	return []hostileCase{
		{"20,000 files beside SKILL.md", func(dir string) error {
			for i := range many {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%05d", i)), nil, 0o600); err != nil {
					return err
				}
			}
			return head("description: crowded")(dir)
		}},
		{"20,000 folders and no skill", func(dir string) error {
			for i := range many {
				if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("folder%05d", i)), 0o700); err != nil {
					return err
				}
			}
			return nil
		}},
		{"folders 400 deep", func(dir string) error {
			return head("description: deep")(filepath.Join(dir, strings.Repeat("d/", 400)))
		}},
		{"manifests in every letter case", func(dir string) error {
			for mask := range 1 << 5 {
				name := []byte("skill.md")
				for bit := range 5 {
					if mask>>bit&1 != 0 {
						name[bit] -= 'a' - 'A'
					}
				}
				if err := writeFile(filepath.Join(dir, string(name)), []byte("---\nname: x\n---\n"+fill("text ", mib-100))); err != nil {
					return err
				}
			}
			return nil
		}},
		{"all manifests at their limit", func(dir string) error {
			for _, name := range [...]string{"SKILL.toml", "manifest.toml"} {
				if err := writeFile(filepath.Join(dir, name), []byte("[skill]\nname = \"x\"\n"+numbered("k%06d = 1\n", 80_000))); err != nil {
					return err
				}
			}
			return skillMD("---\n" + numbered("k%04d: 1\n", 6_000) + "---\n" + fill("text ", mib-70_000))(dir)
		}},
		{"a sparse SKILL.md of 8 GiB", func(dir string) error {
			f, err := os.Create(filepath.Join(dir, "SKILL.md"))
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(8 << 30)
		}},
	}
}
