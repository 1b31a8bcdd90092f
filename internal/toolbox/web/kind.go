package web

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/knackhq/knack/internal/egress"
	"github.com/knackhq/knack/internal/wording"
)

// kindOf is the media type of a body, and the encoding of its characters if that
// is told.
func kindOf(r *egress.Response) (media, charset string) {
	declared := r.Header.Get("Content-Type")
	if declared == "" {
		declared = http.DetectContentType(r.Body)
	}
	media, params, err := mime.ParseMediaType(declared)
	if err != nil {
		media, _, _ = strings.Cut(declared, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media, params["charset"]
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// texts are the media types outside of text/ that people read.
var texts = []string{
	"application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript", "application/yaml", "application/x-yaml",
	"application/toml", "application/x-ndjson", "application/jsonl", "application/x-sh", "application/sql", "application/graphql", "application/x-www-form-urlencoded",
	"application/xhtml+xml", "image/svg+xml", "message/rfc822",
}

func isText(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") ||
		slices.Contains(texts, media)
}

// bodyText is the body if it is text. If not, it tells what it is.
func bodyText(r *egress.Response) (string, bool) {
	media, charset := kindOf(r)
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return fmt.Sprintf("[%d bytes, encoded as %s]", len(r.Body), wording.Name(coding)), false
	}
	if len(r.Body) > 0 && !isText(media) {
		return fmt.Sprintf("[%d bytes of %s, which is not text]", len(r.Body), wording.Name(media)), false
	}
	return decoded(r.Body, charset, isHTML(media)), true
}

// inPage finds how a page says that it is encoded.
var inPage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?([a-z0-9_:.-]{1,40})`)
})

// farIn is how far into a page browsers look for that.
const farIn = 1024

// decoded is a body in UTF-8, if it is told or shown how it is encoded.
func decoded(body []byte, charset string, html bool) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return string(body[3:])
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		charset = "utf-16le"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		charset = "utf-16be"
	case charset == "" && html:
		if m := inPage().FindSubmatch(body[:min(len(body), farIn)]); m != nil {
			charset = string(m[1])
		}
	}
	if charset == "" && !html || charset == "" && utf8.Valid(body) {
		return string(body)
	}
	if charset == "" {
		charset = "windows-1252" // as browsers take what says nothing
	}
	coding, err := htmlindex.Get(charset)
	if err != nil {
		return string(body)
	}
	out, err := coding.NewDecoder().Bytes(body)
	if err != nil {
		return string(body)
	}
	return strings.TrimPrefix(string(out), "\ufeff")
}
