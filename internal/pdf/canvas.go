package pdf

import (
	"math"
	"strings"

	library "github.com/ledongthuc/pdf"
)

const (
	maxForms  = 1000 // drawings within a page; each may draw others
	maxNested = 8    // levels of drawings within drawings
	maxSaved  = 512  // states that a page saves; a program saves a few
)

// matrix maps a point (x, y) to (a·x+c·y+e, b·x+d·y+f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then is m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func shift(x, y float64) matrix { return matrix{a: 1, d: 1, e: x, f: y} }

// state is what q saves and Q restores.
type state struct {
	place                 matrix // of the page
	font                  *font
	size, leading         float64
	charSpace, wordSpace  float64
	stretch               float64 // of lines; 1 is none
	lineMatrix, textPlace matrix  // where the line began, and where text goes on
}

// canvas follows where a page paints text, and writes it down.
type canvas struct {
	state
	work  *budget
	saved []state
	text  strings.Builder
	most  int
	forms int

	painted    bool // something is
	endX, endY float64
	lastSize   float64
}

// run follows one stream of a page, or of a drawing on it.
func (c *canvas) run(stream, resources library.Value, nested int) {
	if nested == 0 && c.stretch == 0 {
		c.state = state{place: identity, lineMatrix: identity, textPlace: identity, stretch: 1}
	}
	fonts := map[string]*font{}
	c.work.program(stream, func(args []library.Value, _ *library.Stack, operator string) {
		if do, ok := operators[operator]; ok {
			if len(args) >= do.args {
				do.run(c, args[len(args)-do.args:])
			}
			return
		}
		switch {
		case operator == "Tf" && len(args) >= 2:
			name := args[0].Name()
			if fonts[name] == nil {
				fonts[name] = loadFont(resources, name, c.work)
			}
			c.font, c.size = fonts[name], args[1].Float64()
		case operator == "Do" && len(args) >= 1:
			c.draw(resources.Key("XObject").Key(args[0].Name()), resources, nested)
		}
	})
}

// draw follows a drawing with contents of its own.
func (c *canvas) draw(form, resources library.Value, nested int) {
	if form.Key("Subtype").Name() != "Form" || nested >= maxNested {
		return
	}
	if c.forms++; c.forms > maxForms {
		panic(ErrWork)
	}
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	before, saved := c.state, len(c.saved)
	if m := form.Key("Matrix"); m.Len() == 6 {
		c.place = matrixOf(m.Index).then(c.place)
	}
	c.run(form, resources, nested+1)
	c.state, c.saved = before, c.saved[:min(saved, len(c.saved))]
}

func matrixOf(at func(int) library.Value) matrix {
	return matrix{at(0).Float64(), at(1).Float64(), at(2).Float64(), at(3).Float64(), at(4).Float64(), at(5).Float64()}
}

// operators are those that need their arguments only.
var operators = map[string]struct {
	args int
	run  func(c *canvas, args []library.Value)
}{
	"q": {0, func(c *canvas, _ []library.Value) {
		if len(c.saved) < maxSaved {
			c.saved = append(c.saved, c.state)
		}
	}},
	"Q": {0, func(c *canvas, _ []library.Value) {
		if last := len(c.saved) - 1; last >= 0 {
			c.state, c.saved = c.saved[last], c.saved[:last]
		}
	}},
	"cm": {6, func(c *canvas, a []library.Value) {
		c.place = matrixOf(func(i int) library.Value { return a[i] }).then(c.place)
	}},
	"BT": {0, func(c *canvas, _ []library.Value) { c.lineMatrix, c.textPlace = identity, identity }},
	"Tc": {1, func(c *canvas, a []library.Value) { c.charSpace = a[0].Float64() }},
	"Tw": {1, func(c *canvas, a []library.Value) { c.wordSpace = a[0].Float64() }},
	"Tz": {1, func(c *canvas, a []library.Value) { c.stretch = a[0].Float64() / 100 }},
	"TL": {1, func(c *canvas, a []library.Value) { c.leading = a[0].Float64() }},
	"Td": {2, func(c *canvas, a []library.Value) { c.line(a[0].Float64(), a[1].Float64()) }},
	"TD": {2, func(c *canvas, a []library.Value) {
		c.leading = -a[1].Float64()
		c.line(a[0].Float64(), a[1].Float64())
	}},
	"Tm": {6, func(c *canvas, a []library.Value) {
		c.lineMatrix = matrixOf(func(i int) library.Value { return a[i] })
		c.textPlace = c.lineMatrix
	}},
	"T*": {0, func(c *canvas, _ []library.Value) { c.line(0, -c.leading) }},
	"Tj": {1, func(c *canvas, a []library.Value) { c.show(a[0].RawString()) }},
	"'": {1, func(c *canvas, a []library.Value) {
		c.line(0, -c.leading)
		c.show(a[0].RawString())
	}},
	"\"": {3, func(c *canvas, a []library.Value) {
		c.wordSpace, c.charSpace = a[0].Float64(), a[1].Float64()
		c.line(0, -c.leading)
		c.show(a[2].RawString())
	}},
	"TJ": {1, func(c *canvas, a []library.Value) {
		for i := range a[0].Len() {
			if x := a[0].Index(i); x.Kind() == library.String {
				c.show(x.RawString())
			} else {
				c.advance(-x.Float64() / 1000 * c.size * c.stretch)
			}
		}
	}},
}

// line begins a line at a distance from where the last one began.
func (c *canvas) line(x, y float64) {
	c.lineMatrix = shift(x, y).then(c.lineMatrix)
	c.textPlace = c.lineMatrix
}

func (c *canvas) advance(x float64) { c.textPlace = shift(x, 0).then(c.textPlace) }

// Gaps, in sizes of the text: less than a space is kerning, and what is raised by
// less than half a line is an index on the same one.
const (
	gapSpace = 0.2
	gapLine  = 0.5
)

// show writes down text, after a space or a new line if it stands apart from
// what was painted before.
func (c *canvas) show(raw string) {
	if c.font == nil {
		c.font = &font{}
	}
	text := c.font.decode(raw)
	at := c.textPlace.then(c.place)
	size := math.Abs(c.size) * math.Hypot(at.c, at.d)
	if long := math.Hypot(at.a, at.b); c.painted && long > 0 {
		dx, dy := at.e-c.endX, at.f-c.endY
		along, across := (dx*at.a+dy*at.b)/long, (dy*at.a-dx*at.b)/long
		em := max(size, c.lastSize)
		switch {
		case math.Abs(across) > gapLine*em:
			c.separate("\n")
		case along > gapSpace*em || along < -em:
			c.separate(" ")
		}
	}
	if c.text.Len()+len(text) > c.most {
		c.text.WriteString(text[:max(min(len(text), c.most-c.text.Len()+4), 0)])
		panic(errEnough)
	}
	c.text.WriteString(text)
	c.advance(c.font.width(raw, c.size, c.charSpace, c.wordSpace) * c.stretch)
	end := c.textPlace.then(c.place)
	c.painted, c.endX, c.endY, c.lastSize = true, end.e, end.f, size
}

// separate writes a separator unless there is one.
func (c *canvas) separate(with string) {
	text := c.text.String()
	if text == "" || strings.HasSuffix(text, "\n") || with == " " && strings.HasSuffix(text, " ") {
		return
	}
	c.text.WriteString(with)
}
