package markdown

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// leastColumn is how narrow a column of a table may be. Narrower ones are no
// table any more: each row becomes a list of its cells.
const leastColumn = 4

// table lays out a table in columns that are as wide as they need, or as there is
// room for.
func (d *document) table(t *extast.Table, width int) []Line {
	var rows [][][]Span
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]Span
		style := Style(0)
		if row.Kind() == extast.KindTableHeader {
			style = Strong
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, d.inline(cell, style))
		}
		rows = append(rows, cells)
	}
	gap, cross := " │ ", "─┼─"
	if !d.frames {
		gap, cross = "  ", "  "
	}
	columns := len(t.Alignments)
	room := width - (columns-1)*len([]rune(gap))
	if columns == 0 || room < columns*leastColumn {
		return cellList(rows, width)
	}
	widths := columnWidths(rows, columns, room)
	var out []Line
	for i, row := range rows {
		out = append(out, tableRow(row, widths, t.Alignments, gap, width)...)
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

func tableRow(cells [][]Span, widths []int, alignments []extast.Alignment, gap string, width int) []Line {
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
func padded(cell Line, width int, alignment extast.Alignment, last bool) Line {
	left, right := 0, max(width-cell.Width(), 0)
	switch alignment {
	case extast.AlignRight:
		left, right = right, 0
	case extast.AlignCenter:
		left, right = right/2, right-right/2
	}
	if last {
		right = 0
	}
	var out Line
	if left > 0 {
		out = append(out, Span{strings.Repeat(" ", left), 0})
	}
	out = append(out, cell...)
	if right > 0 {
		out = append(out, Span{strings.Repeat(" ", right), 0})
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
