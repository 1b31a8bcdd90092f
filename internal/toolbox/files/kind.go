package files

import (
	"bytes"
	"unicode/utf8"
)

// sampled is how much of a file tells text from other data, as git looks at it.
const sampled = 8 << 10

// magic are the first bytes of files that are not text, and what they are.
var magic = []struct{ at, what, way string }{
	{"\x89PNG\r\n\x1a\n", "a PNG image", image},
	{"\xff\xd8\xff", "a JPEG image", image},
	{"GIF8", "a GIF image", image},
	{"BM", "a BMP image", image},
	{"II*\x00", "a TIFF image", image},
	{"MM\x00*", "a TIFF image", image},
	{"\x00\x00\x01\x00", "an icon", image},
	{"RIFF", "an image, a sound or a video (RIFF)", image},
	{"%PDF-", "a PDF document", "read it with pdf_read"},
	{"PK\x03\x04", "a ZIP archive or a document in one", unpack},
	{"\x1f\x8b", "data compressed by gzip", unpack},
	{"BZh", "data compressed by bzip2", unpack},
	{"\xfd7zXZ\x00", "data compressed by xz", unpack},
	{"\x28\xb5\x2f\xfd", "data compressed by zstd", unpack},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", unpack},
	{"\x7fELF", "a program (ELF)", other},
	{"MZ", "a program for Windows", other},
	{"\xcf\xfa\xed\xfe", "a program (Mach-O)", other},
	{"\xca\xfe\xba\xbe", "a program (Mach-O or Java)", other},
	{"\x00asm", "a WebAssembly module", other},
	{"SQLite format 3\x00", "a SQLite database", other},
	{"OggS", "a sound or video (Ogg)", other},
	{"ID3", "a sound (MP3)", other},
	{"wOF", "a font", other},
}

// The ways to go on with what is not text.
const (
	image  = "file_read shows text only; another tool has to look at it"
	unpack = "unpack it with another tool, and read what was in it"
	other  = "file_read shows text only; use a tool that knows the format"
)

// encoding is how a file holds text.
type encoding int

const (
	utf8Text encoding = iota
	latin1            // a byte is a character, where it is no UTF-8
	utf16LE
	utf16BE
	noText
)

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// encodingOf tells from its beginning how a file holds text. whole tells that
// there is nothing behind it.
func encodingOf(sample []byte, whole bool) encoding {
	switch {
	case bytes.HasPrefix(sample, []byte(bomUTF16LE)):
		return utf16LE
	case bytes.HasPrefix(sample, []byte(bomUTF16BE)):
		return utf16BE
	case bytes.IndexByte(sample, 0) >= 0 || bytes.HasPrefix(sample, []byte("%PDF-")):
		return noText
	}
	odd := oddBytes(sample, whole)
	switch {
	case odd == 0:
		return utf8Text
	case odd*10 > len(sample)*3: // real Latin-1 has fewer: most letters are ASCII
		return noText
	}
	return latin1
}

// oddBytes counts what is no UTF-8. A character that the sample cuts is none.
func oddBytes(sample []byte, whole bool) (odd int) {
	for len(sample) > 0 {
		r, size := utf8.DecodeRune(sample)
		if r == utf8.RuneError && size == 1 {
			if !whole && !utf8.FullRune(sample) {
				return odd
			}
			odd++
		}
		sample = sample[size:]
	}
	return odd
}

// describe says what a file that is not text is, and what to do with it.
func describe(sample []byte) (what, way string) {
	for _, m := range magic {
		if bytes.HasPrefix(sample, []byte(m.at)) {
			return m.what, m.way
		}
	}
	if len(sample) > 12 && string(sample[4:8]) == "ftyp" {
		return "a video or an image (MP4)", image
	}
	return "binary data", other
}

// fromLatin1 makes characters of the bytes that are no UTF-8.
func fromLatin1(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	out := make([]byte, 0, len(line)*2)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 {
			r = rune(line[0])
		}
		out = utf8.AppendRune(out, r)
		line = line[size:]
	}
	return out
}
