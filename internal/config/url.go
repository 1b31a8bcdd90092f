package config

import "strings"

// publicText is a text without the secrets that a URL in it may carry: who logs
// in, and what a query or a fragment says.
func publicText(text string) string {
	const hidden = "***"
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return text
	}
	place, asked := cutAny(rest, "?#")
	authority, path := cutAny(place, "/\\")
	// A password with a slash in it leaves what is no port before it.
	if _, port, ok := strings.Cut(authority, ":"); ok && strings.Contains(place, "@") && strings.Trim(port, "0123456789") != "" {
		authority, path = place, ""
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user := authority[:at]
		// Everybody logs in to a repository as git; that is no secret.
		if !strings.HasSuffix(scheme, "ssh") || strings.Contains(user, ":") {
			user = hidden
		}
		authority = user + authority[at:]
	}
	var b strings.Builder
	b.WriteString(scheme + "://" + authority + path)
	for asked != "" {
		mark, pair := asked[:1], asked[1:]
		pair, asked = cutAny(pair, "?#&;")
		name, _, named := strings.Cut(pair, "=")
		switch {
		case named:
			b.WriteString(mark + name + "=" + hidden)
		case mark == "#" || pair == "":
			b.WriteString(mark + pair) // a place in a document, or a branch
		default:
			b.WriteString(mark + hidden)
		}
	}
	return b.String()
}

// cutAny cuts a text before the first of some characters.
func cutAny(text, chars string) (before, after string) {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
