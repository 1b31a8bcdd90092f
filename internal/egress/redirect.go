package egress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// mostRedirects is enough for a new domain, a new scheme, a login and a language.
const mostRedirects = 5

// hop is one request on the way to an answer.
type hop struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
	from   *url.URL // what redirected here; nil is nothing
}

// request is what is sent. Its address was checked before.
func (h hop) request(ctx context.Context) *http.Request {
	r := &http.Request{
		Method: h.method, URL: h.url, Host: h.url.Host, Header: h.header.Clone(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(h.body)),
	}
	if len(h.body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(h.body))
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", userAgent)
	}
	return r.WithContext(ctx)
}

// next is the request that an answer asks for; nil if it asks for none.
func (h hop) next(answer *http.Response) (*hop, error) {
	location := answer.Header.Get("Location")
	if !slices.Contains([]int{301, 302, 303, 307, 308}, answer.StatusCode) || location == "" {
		return nil, nil
	}
	to, err := h.url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%s redirects to %s, which is no address", h.url.Host, quoted(location))
	}
	if to, err = ParseURL(to.String()); err != nil {
		return nil, fmt.Errorf("%s redirects elsewhere: %w", h.url.Host, err)
	}
	if h.url.Scheme == "https" && to.Scheme == "http" {
		return nil, fmt.Errorf("%s redirects to %s: %w", h.url.Host, quoted(to.String()), errDowngrade)
	}
	next := &hop{method: h.method, url: to, header: h.header.Clone(), body: h.body, from: h.url}
	if !sameOrigin(h.url, to) {
		next.header = harmless(h.header)
	}
	if code := answer.StatusCode; code == http.StatusSeeOther && h.method != http.MethodHead || code < 303 && h.method == http.MethodPost {
		next.asGet()
	}
	return next, nil
}

// asGet makes a request that only looks, as browsers do behind a form.
func (h *hop) asGet() {
	h.method, h.body = http.MethodGet, nil
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
		h.header.Del(name)
	}
}

// harmless are the headers that another server may see. All others may be keys.
func harmless(header http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "Content-Type", "Content-Language", "User-Agent"} {
		if values := header.Values(name); len(values) > 0 {
			out[name] = values
		}
	}
	return out
}

// origin is the address that a chain of redirects is told of by.
func (h hop) origin() string {
	if h.from != nil {
		return h.from.Host
	}
	return h.url.Host
}
