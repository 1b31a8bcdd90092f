package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/tool"
)

const (
	// longestSearched is how much of a line is matched: what is longer was made
	// by a program.
	longestSearched = 64 << 10
	// longestShown is how many characters of a matching line are shown.
	longestShown = 300
)

// grep looks through one file.
type grep struct {
	re      *regexp.Regexp
	context int // lines around a match
	max     int // matches
}

// findings are what was found in a file.
type findings struct {
	skip skip
	rows []row
}

// row is a line to show.
type row struct {
	line  int
	match bool
	text  string
}

// file looks through a file and closes it.
func (g grep) file(ctx context.Context, j *job) findings {
	if j.file == nil {
		return findings{skip: j.skip}
	}
	defer j.file.Close()
	if j.skip != skipNot || ctx.Err() != nil {
		return findings{skip: j.skip}
	}
	data, err := io.ReadAll(io.LimitReader(j.file, largest+1))
	if err != nil {
		return findings{skip: skipUnread}
	}
	switch encodingOf(data[:min(len(data), sampled)], len(data) <= sampled) {
	case noText:
		return findings{skip: skipBinary}
	case utf16LE, utf16BE:
		if data, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data); err != nil {
			return findings{skip: skipBinary}
		}
	}
	data = bytes.TrimPrefix(data, []byte(bomUTF8))
	if prefix, _ := g.re.LiteralPrefix(); prefix != "" && !bytes.Contains(data, []byte(prefix)) {
		return findings{}
	}
	return findings{rows: g.lines(ctx, data)}
}

// lines matches line by line.
func (g grep) lines(ctx context.Context, data []byte) (rows []row) {
	var before [][]byte // lines that may be shown
	after, matches := 0, 0
	for n := 1; len(data) > 0 && ctx.Err() == nil; n++ {
		line, rest, _ := bytes.Cut(data, newline)
		data = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		at := []int(nil)
		if matches < g.max {
			at = g.re.FindIndex(line[:min(len(line), longestSearched)])
		}
		switch {
		case at != nil:
			for i, l := range before {
				rows = append(rows, row{line: n - len(before) + i, text: excerptOf(l, 0)})
			}
			rows = append(rows, row{line: n, match: true, text: excerptOf(line, at[0])})
			before, after = nil, g.context
			matches++
		case after > 0:
			rows = append(rows, row{line: n, text: excerptOf(line, 0)})
			after--
		case matches == g.max:
			return rows
		case g.context > 0:
			if before = append(before, line); len(before) > g.context {
				before = before[1:]
			}
		}
	}
	return rows
}

// excerptOf is a line, or what is around a position in a long one.
func excerptOf(line []byte, at int) string {
	from := 0
	if at > longestShown {
		from = at - longestShown/3
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
	}
	part := line[from:min(len(line), from+longestShown*utf8.UTFMax)]
	short := len(part) < len(line)-from
	if short {
		part = part[:len(part)-halfRune(part)]
	}
	runes := []rune(string(fromLatin1(bytes.ReplaceAll(part, []byte{0}, nil))))
	if len(runes) > longestShown {
		runes, short = runes[:longestShown], true
	}
	out := string(runes)
	if from > 0 {
		out = "…" + out
	}
	if short {
		out += "…"
	}
	return out
}

// hunt is a search through many files.
type hunt struct {
	grep         grep
	room         int
	instructions func(path string) bool
	toReal       string // the workspace

	tree    *tree
	out     strings.Builder
	matches int
	files   int // in which there were any
	skipped [skips]int
	full    bool // no more is taken
}

// take adds what was found in a file.
func (h *hunt) take(path string, found findings) {
	h.skipped[found.skip]++
	if len(found.rows) > 0 {
		h.files++
	}
	path = onOneLine(path)
	for i, r := range found.rows {
		sign := "-"
		if r.match {
			sign = ":"
			if h.matches == h.grep.max {
				h.full = true
				return
			}
		}
		line := fmt.Sprintf("%s%s%d%s%s\n", path, sign, r.line, sign, r.text)
		if apart := h.grep.context > 0 && h.out.Len() > 0 && (i == 0 || found.rows[i-1].line+1 < r.line); apart {
			line = "--\n" + line
		}
		if h.out.Len() > 0 && h.out.Len()+len(line) > h.room {
			h.full = true
			return
		}
		h.out.WriteString(line)
		if r.match {
			h.matches++
		}
	}
	// Of a file no more than the most is looked for; there may be more behind it.
	h.full = h.matches == h.grep.max
}

// answer tells what was found, and what was not looked through.
func (h *hunt) answer(a *area, s *spot) tool.Result {
	if h.matches == 0 {
		fmt.Fprintf(&h.out, "no line matches in %s\n", wording.Quote(a.show(s.real)))
	}
	if h.full {
		fmt.Fprintf(&h.out, "[stopped after %s; there may be more: search for less, or set max]\n", count(h.matches, "matching line"))
	}
	for why, text := range [skips]string{
		skipLarge: "larger than 8 MiB", skipBinary: "not text", skipUnread: "could not be read",
		skipInstructions: "instructions of skills: read them with file_read",
	} {
		if n := h.skipped[why]; n > 0 && text != "" {
			fmt.Fprintf(&h.out, "[%s left out: %s]\n", count(n, "file"), text)
		}
	}
	timeout := !h.full && h.tree.ctx.Err() != nil
	if !h.full {
		h.out.WriteString(h.tree.remarks())
	}
	return tool.Result{Text: h.out.String(), Cut: h.full || h.tree.incomplete || timeout}
}
