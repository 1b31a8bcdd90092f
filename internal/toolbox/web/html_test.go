package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/knackhq/knack/internal/toolbox/output"
)

var pages = []struct{ name, in, want string }{
	{"text", "hello", "hello"},
	{"empty", "", ""},
	{"white space", " a \n\t b&nbsp; c ", "a b c"},
	{"inline joins", "a<b>b</b> <i>c</i>d", "ab cd"},
	{"paragraphs", "<p>one</p><p>two\n<p>three", "one\n\ntwo\n\nthree"},
	{"line breaks", "a<br>b<br/>c<div>d</div>e", "a\nb\nc\nd\ne"},
	{"headings", "<title>T &amp; t</title><h1>A</h1>x<h3>B <em>b</em></h3>", "# T & t\n\n# A\n\nx\n\n### B b"},
	{"empty heading", "<h2></h2><p>x", "x"},
	{"lists", "<p>l</p><ul><li>a<li>b<ul><li>c</ul></ul><ol><li>x</li><li><p>y</p></li></ol>z", "l\n\n- a\n- b\n  - c\n\n1. x\n2. y\n\nz"},
	{"heading in an item", "<ul><li><h3>x</h3>y</li></ul>", "- ### x\ny"},
	{"item without a list", "<li>a", "- a"},
	{"links", `<a href="/x?a=1&amp;b=2">one</a> <a href='y'>two</a> <a href=https://b.org/z>three</a>`, "[one](https://a.org/x?a=1&b=2) [two](https://a.org/d/y) [three](https://b.org/z)"},
	{"links that lead nowhere", `<a href="#x">a</a><a href="javascript:x()">b</a><a>c</a><a href="mailto:x@y">d</a><a href="https://u:p@b.org">e</a>`, "abcde"},
	{"link around a picture", `<a href="/x"><img src=y alt="A cat"></a><a href="/z"><img src=y></a>`, "[[image: A cat]](https://a.org/x)"},
	{"link in an item", `<ul><li> <a href="/x"> one </a></li><li><a href="/y">two</a></ul>`, "- [one](https://a.org/x)\n- [two](https://a.org/y)"},
	{"link with brackets", `<a href="/x_(y)">one</a>`, "[one](https://a.org/x_%28y%29)"},
	{"link around a block", `<a href="/x"><div>one</div></a>`, "one"},
	{"link not closed", `<a href="/x">one<a href="/y">two`, "[one](https://a.org/x)[two](https://a.org/y)"},
	{"code", "use <code>x  y</code>.<pre>a\n  b &lt;c&gt;\n</pre>d", "use `x y`.\n\n```\na\n  b <c>\n```\n\nd"},
	{"highlighted code", "<pre><code>a <span>b</span>\nc</code></pre>", "```\na b\nc\n```"},
	{"pre not closed", "<pre>a\nb", "```\na\nb\n```"},
	{"table", "<table><tr><th>a</th><th>b</th></tr><tr><td>1<td>2</table>", "a | b\n1 | 2"},
	{"quotation", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc"},
	{"rule", "a<hr>b", "a\n\n---\n\nb"},
	{"scripts and styles", "a<script>if (a</b) '<p>x</p>'</script>b<STYLE>p{}</style >c<script src=x></script>d", "abcd"},
	{"script not closed", "a<script>b</scriptx>c", "a"},
	{"script that ends itself does not", "a<script/>b</script>c", "ac"},
	{"dropped elements", "a<svg><title>x</title><svg>y</svg></svg>b<template><p>z</template>c<svg/>d<iframe>e</iframe>f", "abcdf"},
	{"noscript is shown", "<noscript>turn it on</noscript>", "turn it on"},
	{"comments", "a<!-- <p>x</p> -- > -->b<!doctype html>c<?php x ?>d<![CDATA[x]]>e", "abcde"},
	{"comment not closed", "a<!-- b", "a"},
	{"odd comments", "a<!-->b-->c</ >d</>e", "acde"},
	{"no tags", "a < b <1 <- c <", "a < b <1 <- c <"},
	{"tag not closed", "a<b c='d", "a"},
	{"quotes in tags", `<a title='>' href="/x>y">z</a>`, "[z](https://a.org/x%3Ey)"},
	{"odd attributes", `<a = href = "/x" / / b=c>z</a>`, "[z](https://a.org/x)"},
	{"first attribute counts", `<a href=/x href=/y>z</a>`, "[z](https://a.org/x)"},
	{"entities", "&lt;b&gt; &#65;&#x42; &copy; &unheard; &", "<b> AB © &unheard; &"},
	{"textarea", "<textarea><p>&amp;</textarea>", "<p>&"},
	{"end without a start", "a</ul></pre></blockquote></a></svg>b</p>c", "a\n\nb\n\nc"},
}

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://a.org/d/e")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestReadPage(t *testing.T) {
	for _, c := range pages {
		if diff := cmp.Diff(c.want, readPage(c.in, base(t))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// What is short in a page must not become endless in its text, nor take long.
func TestPagesAreBounded(t *testing.T) {
	long := base(t)
	long.Path = "/" + strings.Repeat("x", 1500) + "/"
	for _, unit := range []string{"<a href=x>y</a>", "<blockquote>x", "<ul><li>x", "<ol><li><ol>", "<", "<a", "<a href='", "<!--", "<script>", "</", "<h1>", "<pre>", "&amp", "<a href=x>", "<svg>", "<title>"} {
		page := strings.Repeat(unit, (1<<18)/len(unit))
		if text := readPage(page, long); len(text) > longestText+longestLink+len(page) {
			t.Errorf("%s: %d bytes", unit, len(text))
		}
	}
}

func FuzzReadPage(f *testing.F) {
	for _, c := range pages {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, page string) {
		text := output.Clean(readPage(page, base(t)))
		if !utf8.ValidString(text) || len(text) > 100+40*len(page) {
			t.Fatalf("%q became %q", page, text)
		}
		if strings.Contains(strings.ToLower(page), "script") {
			return
		}
		if again := readPage(page+"<script>hidden</script>", base(t)); strings.Contains(again, "hidden") && !strings.Contains(page, "<") && !strings.Contains(page, "hidden") {
			t.Fatalf("%q shows a script: %q", page, again)
		}
	})
}
