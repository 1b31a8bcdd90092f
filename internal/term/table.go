package term

import (
	"io"
	"strings"
)

// Table is rows of cells. Cells may carry styles and need not be cleaned.
type Table struct {
	// Headers are shown on a terminal only.
	Headers []string
	Rows    [][]string
	// Wrap continues the last column on further lines instead of cutting it.
	Wrap bool
}

// gap separates the columns of a table and the label from the value.
const gap = 2

// minColumn is what a column keeps however narrow the terminal: a glyph, a few
// letters that tell rows apart, and the ellipsis.
const minColumn = 8

// Table prints t; see the package comment for its two forms.
func (o *Output) Table(t Table) {
	if !o.tty {
		o.writeTSV(t)
		return
	}
	rows := make([][]string, 0, len(t.Rows)+1)
	if len(t.Headers) > 0 {
		header := make([]string, len(t.Headers))
		for i, h := range t.Headers {
			header[i] = o.Dim(h)
		}
		rows = append(rows, header)
	}
	for _, row := range t.Rows {
		clean := make([]string, len(row))
		for i, cell := range row {
			clean[i] = cleanCell(cell)
		}
		rows = append(rows, clean)
	}
	widths := fit(naturalWidths(rows), o.width)
	var b strings.Builder
	for _, row := range rows {
		o.writeRow(&b, row, widths, t.Wrap)
	}
	o.print(b.String())
}

func (o *Output) writeTSV(t Table) {
	var b strings.Builder
	for _, row := range t.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(cleanCell(cell))
		}
		b.WriteByte('\n')
	}
	o.print(b.String())
}

func (o *Output) writeRow(b *strings.Builder, row []string, widths []int, wrap bool) {
	var line strings.Builder
	start := 0 // column at which the current cell starts
	for i, width := range widths {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		if i == len(widths)-1 {
			if wrap && start < o.width {
				cell = Wrap(cell, start+width, start)
			} else {
				cell = truncate(cell, width, o.Glyph(Ellipsis))
			}
			line.WriteString(cell)
			break
		}
		cell = truncate(cell, width, o.Glyph(Ellipsis))
		line.WriteString(cell)
		line.WriteString(strings.Repeat(" ", max(width-Width(cell), 0)+gap))
		start += width + gap
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}

// naturalWidths is what each column would take if there were room for all.
func naturalWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

// fit narrows columns until the row fits total. The last column, which holds
// the longest text, gives way first, down to a third of the line; then whichever
// is the widest.
func fit(widths []int, total int) []int {
	if len(widths) == 0 {
		return widths
	}
	last := len(widths) - 1
	for i := range widths {
		widths[i] = min(widths[i], total)
	}
	room := total - gap*last
	over := -room
	for _, w := range widths {
		over += w
	}
	if give := widths[last] - max(total/3, minColumn); over > 0 && give > 0 {
		give = min(give, over)
		widths[last] -= give
		over -= give
	}
	for over > 0 {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minColumn {
			break // too many columns for this terminal: it has to wrap
		}
		widths[widest]--
		over--
	}
	return widths
}

// Field is a label and its value.
type Field struct{ Label, Value string }

// Fields prints labels with values; those without a value are left out. Values
// may have several lines and may carry styles.
func (o *Output) Fields(fields []Field) {
	widest := 0
	for _, f := range fields {
		if f.Value != "" {
			widest = max(widest, Width(f.Label))
		}
	}
	var b strings.Builder
	for _, f := range fields {
		switch {
		case f.Value == "":
		case !o.tty:
			b.WriteString(f.Label + ":\t" + cleanCell(f.Value) + "\n")
		default:
			indent := widest + gap
			b.WriteString(o.Dim(f.Label) + strings.Repeat(" ", indent-Width(f.Label)))
			b.WriteString(Wrap(clean(f.Value, true, true), o.width, indent) + "\n")
		}
	}
	o.print(b.String())
}

func (o *Output) print(s string) { _, _ = io.WriteString(o.w, s) }
