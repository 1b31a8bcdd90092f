package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/toolbox/output"
)

func text(data []byte, pages string, most int) (string, error) {
	return Text(bytes.NewReader(data), int64(len(data)), pages, most)
}

// content is the text of a page with that content.
func content(t *testing.T, source string) string {
	t.Helper()
	got, err := text(paged(source).bytes(""), "", 1<<20)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return strings.TrimPrefix(got, "--- page 1 ---\n")
}

func TestPages(t *testing.T) {
	data := paged(line("one"), line("two"), line("three"), "", line("five")).bytes("")
	for pages, want := range map[string]string{
		"":          "--- page 1 ---\none\n--- page 2 ---\ntwo\n--- page 3 ---\nthree\n--- page 4 ---\n--- page 5 ---\nfive\n",
		"2":         "--- page 2 ---\ntwo\n",
		"5, 1-2":    "--- page 1 ---\none\n--- page 2 ---\ntwo\n--- page 5 ---\nfive\n",
		"3-":        "--- page 3 ---\nthree\n--- page 4 ---\n--- page 5 ---\nfive\n",
		"2-99,2,2":  "--- page 2 ---\ntwo\n--- page 3 ---\nthree\n--- page 4 ---\n--- page 5 ---\nfive\n",
		" 1 - 1 , ": "",
		"0":         "", "6": "", "3-2": "", "x": "", "1,,2": "", "-3": "", "1-2-3": "", "99999999999999999999": "", strings.Repeat("1,", 200) + "1": "",
	} {
		got, err := text(data, pages, 1<<20)
		if diff := cmp.Diff(want, got); diff != "" || (want == "") != errors.Is(err, ErrPages) {
			t.Errorf("%q: %v\n%s", pages, err, diff)
		}
	}
}

func TestLayout(t *testing.T) {
	const f = "/F1 10 Tf "
	for source, want := range map[string]string{
		"BT " + f + "(a\\(b\\)\\\\ \\101\\n) Tj ET":                                "a(b)\\ A\n",
		"BT " + f + "<48 65 6C6c6F> Tj ET":                                         "Hello\n",
		"BT " + f + "0 20 Td (one) Tj 0 -12 Td (two) Tj ET":                        "one\ntwo\n",
		"BT " + f + "12 TL (one) Tj T* (two) Tj (three) ' 0 0 (four) \" ET":        "one\ntwo\nthree\nfour\n",
		"BT " + f + "0 -12 TD (one) Tj T* (two) Tj ET":                             "one\ntwo\n",
		"BT " + f + "[(Hel) -20 (lo) -300 (wor) 40 (ld)] TJ ET":                    "Hello world\n",
		"BT " + f + "(left) Tj ET BT " + f + "200 0 Td (right) Tj ET":              "left right\n",
		"BT " + f + "(x) Tj 5 3 Td (2) Tj ET":                                      "x2\n",
		"BT " + f + "1 0 0 1 10 50 Tm (a) Tj 1 0 0 1 15 50 Tm (b) Tj ET":           "ab\n",
		"BT " + f + "0 1 -1 0 50 10 Tm (up) Tj 0 1 -1 0 50 60 Tm (wards) Tj ET":    "up wards\n",
		"q 2 0 0 2 0 0 cm BT " + f + "(big) Tj ET Q BT " + f + "60 0 Td (s) Tj ET": "big s\n",
		"BT " + f + "(caf\\351 \\223quoted\\224 \\200) Tj ET":                      "café “quoted” €\n",
		"BT " + f + "(bell\\007 \\033[31mred) Tj ET":                               "bell red\n",
		"Q Q Q BT (no font) Tj ET":                                                 "no font\n",
		"BT /None 3 Tf (unknown font) Tj ET":                                       "unknown font\n",
		"BT " + f + "(kept) Tj ET ) BT (lost) Tj ET":                               "kept\n(the rest of this page cannot be read: unexpected delimiter ')')\n",
		"BT " + f + "(cut within) Tj <4142":                                        "cut within\n(the rest of this page cannot be read: unexpected delimiter '>')\n",
		"BT " + f + "(cut within) Tj [(a) (b":                                      "cut within\n",
		"BT " + f + "(cut within) Tj << /a":                                        "cut within\n",
		"BT Tj TJ Tf 1 Td cm (few arguments) Tj ET Do":                             "few arguments\n",
	} {
		if diff := cmp.Diff(want, content(t, source)); diff != "" {
			t.Errorf("%s:\n%s", source, diff)
		}
	}
}

// Fonts say what their codes mean, drawings have contents of their own, and
// contents come in pieces.
func TestFontsAndForms(t *testing.T) {
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <0000> <FFFF> endcodespacerange " +
		"2 beginbfchar <0001> <0048> <0002> <D83CDF89> endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<5496> <00660066>] endbfrange " +
		"endcmap CMapName currentdict /CMap defineresource pop end end"
	d := document{
		catalog,
		"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R /Contents [4 0 R 5 0 R] /Resources << /Font << /C 6 0 R /D 8 0 R /U 9 0 R >> /XObject << /X 10 0 R /I 11 0 R /Me 12 0 R >> >> >>",
		stream("", "BT /C 10 Tf <0001001000110012> Tj <00020020> Tj <0021> Tj <0999> Tj ET"),
		packed("", "BT /D 10 Tf 0 -20 Td (ab\\222) Tj /U 10 Tf 0 -20 Td <65E5672C> Tj ET /X Do /I Do /Me Do /Missing Do"),
		"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [<< /DW 500 /W [1 [600 700] 16 18 450] >>] >>",
		packed("", cmap),
		"<< /Type /Font /Subtype /Type1 /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [98 /eacute] >> >>",
		"<< /Type /Font /Subtype /Type0 /Encoding /UniJIS-UTF16-H /DescendantFonts [<< >>] >>",
		packed("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -60]", "BT /D 10 Tf (drawn) Tj ET"),
		stream("/Type /XObject /Subtype /Image", "BT (image) Tj ET"),
		stream("/Type /XObject /Subtype /Form", "BT 0 -80 Td /D 10 Tf (again) Tj ET /Me Do"),
	}
	got, err := text(d.bytes(""), "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	want := "--- page 1 ---\nHabc🎉咖ff\ufffd\naé’\n日本\ndrawn\n" + strings.TrimSuffix(strings.Repeat("again ", maxNested), " ") + "\n"
	if diff := cmp.Diff(want, strings.ReplaceAll(got, "again\nagain", "again again")); diff != "" {
		t.Error(diff)
	}
}

func TestObjectStreams(t *testing.T) {
	objects := "3 0 4 50 " // where they are, from First
	first := len(objects)
	body := fmt.Sprintf("%-50s%s", "<< /Type /Pages /Count 1 /Kids [4 0 R] >>", "<< /Type /Page /Contents 5 0 R "+helv+" >>")
	d := document{
		"<< /Type /Catalog /Pages 3 0 R >>",
		packed(fmt.Sprintf("/Type /ObjStm /N 2 /First %d", first), objects+body),
		"null", "null", stream("", line("inside")),
	}
	got, err := text(d.withXrefStream(map[int][2]int{3: {2, 0}, 4: {2, 1}}), "", 1000)
	if err != nil || got != "--- page 1 ---\ninside\n" {
		t.Error(got, err)
	}
}

func TestRefusals(t *testing.T) {
	good := string(paged(line("one"), line("two")).bytes(""))
	cyclic := document{catalog, "<< /Type /Pages /Count 1 /Kids [2 0 R 3 0 R] >>", "<< /Type /Page /Parent 2 0 R >>"}
	wide := document{catalog, "<< /Type /Pages /Count 1 /Kids [3 0 R 3 0 R 3 0 R 2 0 R] >>", "<< /Type /Page /Parent 2 0 R >>"}
	endless := strings.Replace(good, "/Root 1 0 R", fmt.Sprintf("/Root 1 0 R /Prev %d", strings.LastIndex(good, "xref\n0 ")), 1)
	for name, c := range map[string]struct {
		data string
		want error
	}{
		"empty": {"", ErrNotPDF}, "text": {"hello, this is no such file", ErrNotPDF}, "header only": {"%PDF-1.4\n", ErrDamaged},
		"truncated": {good[:len(good)/2], ErrDamaged}, "no table": {strings.Replace(good, "xref\n0 ", "xxxx\n0 ", 1), ErrDamaged},
		"table elsewhere": {regexp.MustCompile(`startxref\n\d+`).ReplaceAllString(good, "startxref\n99999999"), ErrDamaged},
		"table negative":  {regexp.MustCompile(`startxref\n\d+`).ReplaceAllString(good, "startxref\n-5"), ErrDamaged},
		"wrong places":    {strings.ReplaceAll(good, "0000000009 00000 n", "0000000020 00000 n"), ErrDamaged},
		"no root":         {strings.Replace(good, "/Root 1 0 R", "/Root 9 0 R", 1), ErrDamaged},
		"huge object":     {strings.Replace(good, "/Root 1 0 R", "/Root 999999999 0 R", 1), ErrDamaged},
		"cyclic pages":    {string(cyclic.bytes("")), ErrDamaged}, "wide cyclic pages": {string(wide.bytes("")), ErrDamaged},
		"endless tables": {endless, ErrWork},
		"no pages":       {string(document{catalog, "<< /Type /Pages /Count 0 /Kids [] >>"}.bytes("")), ErrDamaged},
		"scanned":        {string(paged("q 1 0 0 1 0 0 cm /Im0 Do Q").bytes("")), ErrNoText},
		"encrypted":      {string(paged(line("x")).bytes("/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 >>")), ErrEncrypted},
		"password": {string(paged(line("x")).bytes("/ID [(a) (b)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (" +
			strings.Repeat("o", 32) + ") /U (" + strings.Repeat("u", 32) + ") >>")), ErrEncrypted},
		"bomb": {string(paged("", strings.Repeat(" ", maxStream+1)).bytes("")), ErrWork},
		"bad stream": {string(document{catalog, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", "<< /Type /Page /Contents 4 0 R >>",
			stream("/Filter /FlateDecode", "this was never compressed")}.bytes("")), ErrDamaged},
	} {
		got, _, err := extract(strings.NewReader(c.data), int64(len(c.data)), "", 1000, 64<<20)
		if !errors.Is(err, c.want) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// What other readers forgive is forgiven.
func TestForgiven(t *testing.T) {
	good := string(paged(line("one")).bytes(""))
	for name, data := range map[string]string{
		"version 2": strings.Replace(good, "%PDF-1.4", "%PDF-2.0", 1), "odd version": strings.Replace(good, "%PDF-1.4\n", "%PDF-1.4 ", 1),
		"behind the end": good + strings.Repeat("\x00", 900), "count too large": strings.Replace(good, "/Count 1", "/Count 9", 1),
		"count negative": strings.Replace(good, "/Count 1", "/Count -3", 1),
	} {
		if got, err := text([]byte(data), "", 1000); err != nil || got != "--- page 1 ---\none\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("\\351", 100)
	data := paged(line("first"), line(long), line("third"), line("fourth")).bytes("")
	for most, want := range map[int]string{
		30:  "the rest of page 2 and pages 3-4",
		170: "the rest of page 2 and pages 3-4",
		20:  "pages 2-4",
	} {
		got, cut, err := extract(bytes.NewReader(data), int64(len(data)), "", most, usualWork)
		if err != nil || !cut || !strings.HasSuffix(got, "--- left out: "+want+"; ask for fewer pages at a time ---\n") || !utf8.ValidString(got) {
			t.Errorf("%d: %q, %v, %v", most, got, cut, err)
		}
	}
	if got, err := text(data, "1,3-4", 1000); err != nil || strings.Contains(got, "left out") {
		t.Error(got, err)
	}
	if got, err := text(data, "1-2,4", 24); err != nil || !strings.HasSuffix(got, "--- left out: the rest of page 2 and page 4; ask for fewer pages at a time ---\n") {
		t.Error(got, err)
	}
}

func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 60).Draw(t, "count")
		var want []int
		for n := 1; n <= count; n++ {
			if rapid.Bool().Draw(t, "in") {
				want = append(want, n)
			}
		}
		if len(want) == 0 {
			return
		}
		s, err := parseSpans(spansOf(want).String())
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.choose(count)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}

// large are numbers that make the library ask for more memory than there is,
// which ends the process, and the words with which a file makes it call itself.
// The stage is there for these; see TestHostile.
var large = regexp.MustCompile(`[1-9][0-9]{5,}|XRef|#`)

func FuzzText(f *testing.F) {
	f.Add(paged(line("one"), line("two")).bytes(""), "1-2")
	f.Add(paged("BT /F1 1 Tf [(a) -300 (b)] TJ T* (c) ' 1 2 (d) \" ET q 1 0 0 1 2 3 cm Q /X Do").bytes(""), "")
	f.Add(document{catalog, "<< /Type /Pages /Kids [2 0 R] >>"}.bytes("/Prev 9"), "1")
	f.Add(paged("BT <41").bytes(""), "")
	f.Add(paged(line("x")).bytes("/Encrypt << /Filter /Standard >>"), "")
	f.Fuzz(func(t *testing.T, data []byte, pages string) {
		if len(data) > 1<<16 || large.Match(data) {
			t.Skip()
		}
		got, _, err := extract(bytes.NewReader(data), int64(len(data)), pages, 4096, 4<<20)
		if err == nil && (got == "" || got != output.Clean(got)) || err != nil && got != "" {
			t.Errorf("%q, %v", got, err)
		}
		if len(got) > 3*4096 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
