package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
)

// document is a PDF in the making: objects 1, 2, 3 … by their source.
type document []string

// stream is the source of an object that is a stream.
func stream(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

func packed(dict, data string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(data))
	_ = w.Close()
	return stream(dict+" /Filter /FlateDecode", b.String())
}

// offsets writes the objects and tells where they are.
func (d document) offsets(b *bytes.Buffer) []int {
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, source := range d {
		at = append(at, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i+1, source)
	}
	return at
}

// bytes is the file, with object 1 as its root.
func (d document) bytes(trailer string) []byte {
	var b bytes.Buffer
	at := d.offsets(&b)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(d)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(d)+1, trailer, start)
	return b.Bytes()
}

// withXrefStream is the file with its table in a stream, in which the objects of
// inside are said to lie in object streams.
func (d document) withXrefStream(inside map[int][2]int) []byte {
	var b bytes.Buffer
	at := d.offsets(&b)
	start := b.Len()
	size := len(d) + 2
	for n := range inside {
		size = max(size, n+1)
	}
	rows := make([]byte, 0, 7*size)
	for n := range size {
		kind, x, y := byte(0), 0, 0
		switch in, ok := inside[n]; {
		case ok:
			kind, x, y = 2, in[0], in[1]
		case n >= 1 && n <= len(d):
			kind, x = 1, at[n-1]
		case n == len(d)+1:
			kind, x = 1, start
		}
		rows = append(rows, kind)
		rows = binary.BigEndian.AppendUint32(rows, uint32(x))
		rows = binary.BigEndian.AppendUint16(rows, uint16(y))
	}
	fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", len(d)+1,
		stream(fmt.Sprintf("/Type /XRef /Size %d /W [1 4 2] /Root 1 0 R", size), string(rows)), start)
	return b.Bytes()
}

const (
	catalog = "<< /Type /Catalog /Pages 2 0 R >>"
	helv    = "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >>"
)

// paged is a document with one page for each content, plain ones and compressed
// ones in turn.
func paged(contents ...string) document {
	d := document{catalog, ""}
	var kids []string
	for i, content := range contents {
		kids = append(kids, fmt.Sprintf("%d 0 R", len(d)+1))
		source := stream("", content)
		if i%2 == 1 {
			source = packed("", content)
		}
		d = append(d, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", len(d)+2), source)
	}
	d[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] %s >>", len(contents), strings.Join(kids, " "), helv)
	return d
}

// line is the content of a page with one line.
func line(text string) string { return "BT /F1 12 Tf 72 700 Td (" + text + ") Tj ET" }
