package llm

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/knackhq/knack/internal/near"
	"github.com/knackhq/knack/internal/wording"
)

// Settings are what the user says about models.
type Settings struct {
	// Provider is "anthropic", "openai" or "offline", or one of those that speak
	// OpenAI's protocol at a known address: "gemini", "openrouter", "ollama",
	// "lmstudio", "vllm". Empty leaves it to the model's name and the environment.
	Provider string
	// Model is its name; empty is the provider's usual one. PROVIDER/NAME names
	// both.
	Model   string
	BaseURL string
	Key     string
}

// Choice is the model that is meant.
type Choice struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	BaseURL  string `json:"base_url,omitempty"`
	// From says what decided: the name of a variable, "configuration", or "nothing
	// is configured".
	From string `json:"from"`

	// key is never shown: behind a pointer not even by a print of whatever has a
	// Choice inside.
	key    *string
	bearer bool   // the key is a bearer token, in Anthropic's protocol
	by     string // the provider's name in the table
}

// What decided, where no variable did.
const (
	fromConfiguration = "configuration"
	fromNothing       = "nothing is configured"
)

// String names a choice without its key.
func (c Choice) String() string {
	s := c.Provider + "/" + c.Model
	if c.Provider == c.Model {
		s = c.Provider
	}
	if c.BaseURL != "" {
		s += " at " + c.BaseURL
	}
	return s + " (" + c.From + ")"
}

// GoString is String, for the same reason.
func (c Choice) GoString() string { return c.String() }

// Choose finds out which model is meant: the one of the settings, else the first
// whose key the environment has, else offline. lookup is the environment. An
// error is an [*Error].
func Choose(set Settings, lookup func(name string) (string, bool)) (Choice, error) {
	env := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	p, model, from, err := whose(set, env)
	if err != nil {
		return Choice{}, err
	}
	c := Choice{Provider: p.protocol, Model: model, From: from, by: p.name}
	if p.protocol == offlineProtocol {
		c.Model = p.model
		return c, nil
	}
	if c.Model == "" {
		c.Model = p.model
	}
	if c.Model == "" {
		return Choice{}, &Error{
			Kind: NoModel, Message: "no model of " + p.name + " is named",
			Hint: "run `knack config set llm.model " + p.name + "/NAME` with one that the server has",
		}
	}
	if c.BaseURL, err = baseURL(p, set, env); err != nil {
		return Choice{}, err
	}
	key := strings.TrimSpace(set.Key)
	for _, name := range p.keys {
		if key == "" {
			key = env(name)
		}
	}
	for _, name := range p.tokens {
		if key == "" {
			key, c.bearer = env(name), true
		}
	}
	if key == "" && !p.local && c.BaseURL == p.base {
		return Choice{}, &Error{Kind: BadKey, Message: "there is no key for " + p.name, Hint: keyHint(p)}
	}
	// What cannot be a header would be refused with the key in the message.
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Choice{}, &Error{Kind: BadKey, Message: "the key for " + p.name + " has characters in it that no key has", Hint: keyHint(p)}
	}
	c.key = &key
	return c, nil
}

// whose finds the provider and takes its name off the model's.
func whose(set Settings, env func(string) string) (p provider, model, from string, err error) {
	model = strings.TrimSpace(set.Model)
	first, rest, slash := strings.Cut(model, "/")
	if name := strings.ToLower(strings.TrimSpace(set.Provider)); name != "" {
		p, ok := providerNamed(name)
		if !ok {
			return p, "", "", unknownProvider(name)
		}
		if slash && first == name {
			model = rest
		}
		return p, model, fromConfiguration, nil
	}
	if p, ok := providerNamed(first); ok && (slash || p.protocol == offlineProtocol) {
		return p, rest, fromConfiguration, nil
	}
	for _, p := range providers {
		for _, prefix := range p.models {
			if set.BaseURL == "" && strings.HasPrefix(model, prefix) {
				return p, model, fromConfiguration, nil
			}
		}
	}
	if set.BaseURL != "" {
		// Who has an address of their own has a server that speaks what most do.
		p, _ := providerNamed(openaiProtocol)
		return p, model, fromConfiguration, nil
	}
	for _, p := range providers {
		for _, names := range [][]string{p.keys, p.tokens, {p.address}} {
			for _, name := range names {
				if name != "" && env(name) != "" {
					return p, model, name, nil
				}
			}
		}
	}
	switch {
	case model != "":
		return p, "", "", &Error{
			Kind: NoModel, Message: "nothing says who has the model " + wording.Quote(wording.Name(model)),
			Hint: "name it as PROVIDER/NAME, such as ollama/" + wording.Name(model) + "; providers are " + strings.Join(providerNames(), ", "),
		}
	case set.Key != "":
		return p, "", "", &Error{
			Kind: NoModel, Message: "there is a key, and nothing says whose",
			Hint: "run `knack config set llm.provider NAME`; providers are " + strings.Join(providerNames(), ", "),
		}
	}
	p, _ = providerNamed(offlineProtocol)
	return p, "", fromNothing, nil
}

func unknownProvider(name string) *Error {
	e := &Error{
		Kind: NoModel, Message: "there is no provider " + wording.Quote(wording.Name(name)),
		Hint: "providers are " + strings.Join(providerNames(), ", ") + "; any other server that speaks OpenAI's protocol is openai with llm.base_url",
	}
	if guess := near.Best(name, providerNames()); guess != "" {
		e.Hint = "did you mean " + guess + "? " + e.Hint
	}
	return e
}

// baseURL is where a provider is: as configured, as a variable says, or where it
// usually is.
func baseURL(p provider, set Settings, env func(string) string) (string, error) {
	raw, from := strings.TrimSpace(set.BaseURL), "llm.base_url"
	if raw == "" && p.baseVar != "" {
		raw, from = env(p.baseVar), p.baseVar
	}
	if raw == "" && p.address != "" {
		raw, from = addressURL(env(p.address), p.base), p.address
	}
	if raw == "" {
		return p.base, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// The address is not repeated: it may have a password in it.
		return "", &Error{
			Kind: BadRequest, Message: from + " is not the address of a server",
			Hint: "it looks like " + p.base + ", without a user, a password or a query; keys go into llm.api_key",
		}
	}
	return strings.TrimRight(raw, "/"), nil
}

// addressURL makes a base URL of what servers are told to listen on: a host, a
// port, both, or a URL without a path.
func addressURL(address, usual string) string {
	if address == "" {
		return ""
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "http", address
	}
	rest = strings.TrimRight(rest, "/")
	if strings.ContainsAny(rest, "/@?#") {
		return scheme + "://" + rest
	}
	u, err := url.Parse(usual)
	if err != nil {
		return ""
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		host, port = strings.Trim(rest, "[]"), u.Port()
		if scheme == "https" {
			port = "443"
		}
	}
	// All addresses of this machine is a place to listen, not one to call.
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = u.Hostname()
	}
	return scheme + "://" + net.JoinHostPort(host, port) + u.Path
}

func keyHint(p provider) string {
	const set = "run `knack config set llm.api_key KEY`"
	if len(p.keys) == 0 {
		return set
	}
	return fmt.Sprintf("set %s, or %s; `knack doctor` tests it", strings.Join(p.keys, " or "), set)
}
