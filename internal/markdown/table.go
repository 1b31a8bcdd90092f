package markdown

import (
	"strings"

	"github.com/yuin/goldmark/text"
)

// alignment is where the text of a column stands.
type alignment int

const (
	left alignment = iota
	right
	center
)

// table is what the lines of a paragraph say that are one.
type table struct {
	alignments []alignment
	rows       [][]string // the first is the header
}

// readTable reads a table: a header, a row of dashes with as many cells, and
// rows. Cells that a row lacks are empty, and what it has too many is dropped.
func readTable(lines []string) (table, bool) {
	if len(lines) < 2 || !strings.Contains(lines[1], "|") {
		return table{}, false
	}
	var t table
	for _, cell := range splitCells(lines[1]) {
		dashes := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return table{}, false
		}
		side := left
		switch starts, ends := cell[0] == ':', cell[len(cell)-1] == ':'; {
		case starts && ends:
			side = center
		case ends:
			side = right
		}
		t.alignments = append(t.alignments, side)
	}
	if len(splitCells(lines[0])) != len(t.alignments) {
		return table{}, false
	}
	for i, line := range lines {
		if i == 1 {
			continue
		}
		row := make([]string, len(t.alignments))
		copy(row, splitCells(line))
		t.rows = append(t.rows, row)
	}
	return t, true
}

// splitCells takes a row apart, at bars that are not escaped.
func splitCells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			i++
			cell.WriteByte('|')
		case line[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" || len(cells) == 0 {
		cells = append(cells, rest)
	}
	return cells
}

// cell is the text of one cell.
func (r *reader) cell(source string, style Style) []Span {
	if !strings.ContainsAny(source, "*_`[]<>~&!\\") {
		return appendClean(nil, []byte(source), style)
	}
	d := document{reader: r, source: []byte(source)}
	if p := r.cells.Parse(text.NewReader(d.source)).FirstChild(); p != nil {
		return d.inline(p, style)
	}
	return nil
}

// leastColumn is how narrow a column of a table may be. Narrower ones are no
// table any more: each row becomes a list of its cells.
const leastColumn = 4

// table lays out a table in columns that are as wide as they need, or as there is
// room for.
func (d *document) table(t table, width int) []Line {
	rows := make([][][]Span, len(t.rows))
	for i, row := range t.rows {
		style := Style(0)
		if i == 0 {
			style = Strong
		}
		for _, source := range row {
			rows[i] = append(rows[i], d.cell(source, style))
		}
	}
	gap, cross := " │ ", "─┼─"
	if !d.frames {
		gap, cross = "  ", "  "
	}
	columns := len(t.alignments)
	room := width - (columns-1)*len([]rune(gap))
	if columns == 0 || room < columns*leastColumn {
		return cellList(rows, width)
	}
	widths := columnWidths(rows, columns, room)
	var out []Line
	for i, row := range rows {
		out = append(out, tableRow(row, widths, t.alignments, gap, width)...)
		if i == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			out = append(out, Line{{strings.Join(rule, cross), Frame}})
		}
	}
	return out
}

// columnWidths are what each column needs, the widest cut until all fit.
func columnWidths(rows [][][]Span, columns, room int) []int {
	widths := make([]int, columns)
	for _, row := range rows {
		for i, cell := range row[:min(len(row), columns)] {
			widths[i] = max(widths[i], Line(cell).Width(), 1)
		}
	}
	for limit := room; ; limit-- {
		sum := 0
		for _, w := range widths {
			sum += min(w, limit)
		}
		if sum > room {
			continue
		}
		for i, w := range widths {
			widths[i] = max(min(w, limit), 1)
		}
		return widths
	}
}

func tableRow(cells [][]Span, widths []int, alignments []alignment, gap string, width int) []Line {
	columns, height := make([][]Line, len(widths)), 1
	for i := range widths {
		if i < len(cells) {
			columns[i] = wrap(cells[i], widths[i])
		}
		height = max(height, len(columns[i]))
	}
	var out []Line
	for y := range height {
		var line Line
		for i, w := range widths {
			if i > 0 {
				line = append(line, Span{gap, Frame})
			}
			var cell Line
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			line = append(line, padded(cell, w, alignments[i], i == len(widths)-1)...)
		}
		out = append(out, fit(line, width)...)
	}
	return out
}

// padded fills a cell up with spaces, unless it is the last of its row.
func padded(cell Line, width int, side alignment, last bool) Line {
	before, after := 0, max(width-cell.Width(), 0)
	switch side {
	case right:
		before, after = after, 0
	case center:
		before, after = after/2, after-after/2
	}
	if last {
		after = 0
	}
	var out Line
	if before > 0 {
		out = append(out, Span{strings.Repeat(" ", before), 0})
	}
	out = append(out, cell...)
	if after > 0 {
		out = append(out, Span{strings.Repeat(" ", after), 0})
	}
	return out
}

// cellList shows a table that is too wide: each row as "heading: cell" lines.
func cellList(rows [][][]Span, width int) []Line {
	var out []Line
	for _, row := range rows[min(1, len(rows)):] {
		if len(out) > 0 {
			out = append(out, nil)
		}
		for i, cell := range row {
			var spans []Span
			if i < len(rows[0]) {
				spans = append(append(spans, rows[0][i]...), Span{": ", Strong})
			}
			out = append(out, wrap(append(spans, cell...), width)...)
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		for _, cell := range rows[0] {
			out = append(out, wrap(cell, width)...)
		}
	}
	return out
}
