package format

import (
	"strings"
	"unicode"

	"github.com/knackhq/knack/skill"
)

// bareTop is how much of a file without frontmatter is searched for what should
// have stood in one: as much as a frontmatter may have.
const bareTop = 64 << 10

// undress finds a frontmatter at the start of a text whose fences are not those
// of YAML, or that is indented or quoted as a whole, and returns the text with
// that mended, line by line, so that lines keep their numbers.
func undress(text string) (plain string, ok bool) {
	at, _ := skipBlank(text, 0, 1)
	first, next := lineAt(text, at)
	bare := strings.TrimLeft(first, " \t>\u00a0")
	if !isLooseFence(bare) {
		return "", false
	}
	prefix := first[:len(first)-len(bare)]
	var out strings.Builder
	out.WriteString(text[:at])
	out.WriteString("---\n")
	keys := 0
	for at = next; at < min(len(text), bareTop); at = next {
		var row string
		row, next = lineAt(text, at)
		inside, found := strings.CutPrefix(row, prefix)
		if !found && !isBlank(strings.Trim(row, ">")) {
			return "", false
		}
		if isLooseFence(inside) {
			out.WriteString("---\n")
			out.WriteString(text[next:])
			return out.String(), keys > 0
		}
		if k, isKey := keyLine(inside); isKey && (k.key == "name" || k.key == "description") {
			keys++
		}
		out.WriteString(inside)
		out.WriteByte('\n')
	}
	return "", false
}

// isLooseFence reports a line that an editor or an author made of ---.
func isLooseFence(row string) bool {
	row = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || isInvisible(c) {
			return -1
		}
		return c
	}, row[:min(len(row), 80)]) // no fence is longer than a line of a terminal
	if row = strings.ToLower(row); row == "---yaml" || row == "---yml" {
		return true
	}
	for _, sign := range [...]string{"-", "*", "_", "="} {
		if len(row) >= 3 && strings.Trim(row, sign) == "" {
			return true
		}
	}
	return row != "" && strings.Trim(row, "—–-") == "" && row[0] != '-'
}

// bareGate looks in a file without frontmatter for lines that are clearly the
// data of one. Code blocks are examples.
func (r *headRead) bareGate(text string) {
	text = text[:min(len(text), bareTop)]
	fenced := ""
	for at, line := 0, 1; at < len(text); line++ {
		row, next := lineAt(text, at)
		at = next
		trimmed := strings.TrimLeft(row, " \t>")
		if fenced != "" {
			if strings.HasPrefix(trimmed, fenced) {
				fenced = ""
			}
			continue
		}
		if fenced = fenceOf(trimmed); fenced != "" {
			continue
		}
		below, _ := lineAt(text, next)
		if key := gateData(row, below); key != "" {
			r.unread(key, line)
			r.report(skill.FrontmatterInvalid, line, shown(key)+" stands outside of any frontmatter and was not read",
				"move it between two lines of --- at the start of the file")
			return
		}
	}
}

// gateData returns the key of a line that holds requirements as data: in
// braces, or as keys below it.
func gateData(row, below string) string {
	if strings.IndexByte(row, ':') < 0 && !strings.Contains(row, "：") {
		return "" // as most lines of prose
	}
	start := strings.TrimLeft(row, " \t>\u00a0")
	if start != "" && isItem(start) || strings.HasPrefix(start, "* ") {
		start = strings.TrimLeft(start[1:], " \t")
	}
	k, ok := keyLine(start)
	if !ok || k.key != "metadata" && k.key != "requires" && !isNamespace(k.key) {
		return ""
	}
	if k.value != "" {
		if k.value[0] == '{' {
			return k.key
		}
		return ""
	}
	data := strings.TrimLeft(below, " \t>")
	if strings.HasPrefix(data, "{") {
		return k.key
	}
	if indent := len(row) - len(start); len(below)-len(data) <= indent {
		return ""
	}
	switch sub, _ := keyLine(data); {
	case isNamespace(sub.key):
		return k.key
	case sub.key == "requires" || sub.key == "bins" || sub.key == "anyBins" || sub.key == "env" || sub.key == "os":
		return k.key
	}
	return ""
}
