package llm

import (
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
	Model string
	// BaseURL and Key are those of the server that Provider or Model names, and of no
	// other. A key that the environment has for it comes first, unless it is asked at
	// a BaseURL of the user's own, where the environment's may not belong.
	BaseURL string
	Key     string

	elsewhere bool // a key is configured, and not for this provider
}

// Naming are the settings for a model that the user names in place of theirs. One of
// another provider has nothing of what is configured for this one: a key goes to
// nobody but whom it is of.
func (set Settings) Naming(model string) Settings {
	mine, configured := set.provider()
	theirs, named := prefixed(model)
	if !named && set.Provider == "" && set.BaseURL == "" {
		theirs, named = byModel(model)
	}
	if !configured || named && theirs.name != mine.name {
		return Settings{Model: model, elsewhere: set.Key != ""}
	}
	set.Provider, set.Model = mine.name, model
	return set
}

// provider is the one that the settings are about, whatever the environment has.
func (set Settings) provider() (provider, bool) {
	p, _, from, err := whose(set, func(string) string { return "" })
	return p, err == nil && from == fromConfiguration
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
	env := variables(func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	})
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
			Hint: "name one that the server has: --model " + p.name + "/NAME, or `knack config set llm.name " + p.name + "/NAME`",
		}
	}
	if c.BaseURL, err = baseURL(p, set, env); err != nil {
		return Choice{}, err
	}
	key := ""
	if from == fromConfiguration {
		key = strings.TrimSpace(set.Key)
	}
	if own := env.first(p.keys); own != "" && (key == "" || set.BaseURL == "") {
		key = own
	} else if token := env.first(p.tokens); token != "" && (key == "" || set.BaseURL == "") {
		key, c.bearer = token, true
	}
	if key == "" && !p.local && c.BaseURL == p.base {
		return Choice{}, &Error{Kind: BadKey, Message: "there is no key for " + p.name, Hint: keyHint(p, set.elsewhere)}
	}
	// What cannot be a header would be refused with the key in the message.
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Choice{}, &Error{Kind: BadKey, Message: "the key for " + p.name + " has characters in it that no key has", Hint: keyHint(p, set.elsewhere)}
	}
	c.key = &key
	return c, nil
}

// variables are the environment; what is not set is empty.
type variables func(name string) string

// first is the first of these that is set.
func (env variables) first(names []string) string {
	for _, name := range names {
		if value := env(name); value != "" {
			return value
		}
	}
	return ""
}

// prefixed is the provider that a model is named with.
func prefixed(model string) (provider, bool) {
	first, _, slash := strings.Cut(strings.TrimSpace(model), "/")
	p, ok := providerNamed(first)
	return p, ok && (slash || p.protocol == offlineProtocol)
}

// byModel is the provider whose own models have such names.
func byModel(model string) (provider, bool) {
	for _, p := range providers {
		for _, prefix := range p.models {
			if strings.HasPrefix(model, prefix) {
				return p, true
			}
		}
	}
	return provider{}, false
}

// whose finds the provider and takes its name off the model's.
func whose(set Settings, env variables) (p provider, model, from string, err error) {
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
	if p, ok := prefixed(model); ok {
		return p, rest, fromConfiguration, nil
	}
	if p, ok := byModel(model); ok && set.BaseURL == "" {
		return p, model, fromConfiguration, nil
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
			Hint: "name it as PROVIDER/NAME, such as ollama/" + wording.Name(model) + "; " + providersAre(),
		}
	case set.Key != "":
		return p, "", "", &Error{
			Kind: NoModel, Message: "there is a key, and nothing says whose",
			Hint: "run `knack config set llm.name PROVIDER/NAME`; " + providersAre(),
		}
	}
	p, _ = providerNamed(offlineProtocol)
	return p, "", fromNothing, nil
}

func providersAre() string { return "providers are " + strings.Join(providerNames(), ", ") }

func unknownProvider(name string) *Error {
	e := &Error{
		Kind: NoModel, Message: "there is no provider " + wording.Quote(wording.Name(name)),
		Hint: providersAre() + ", as in PROVIDER/NAME; any other server that speaks OpenAI's protocol is openai with llm.base_url",
	}
	if guess := near.Best(name, providerNames()); guess != "" {
		e.Hint = "did you mean " + guess + "? " + e.Hint
	}
	return e
}

// baseURL is where a provider is: as configured, as a variable says, or where it
// usually is.
func baseURL(p provider, set Settings, env variables) (string, error) {
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

// keyHint says where a key can be put. With elsewhere the configuration has that of
// another provider, and room for one.
func keyHint(p provider, elsewhere bool) string {
	var ways []string
	if len(p.keys) > 0 {
		ways = append(ways, "set "+strings.Join(p.keys, " or "))
	}
	if !elsewhere {
		ways = append(ways, "run `knack config set llm.api_key KEY`")
	}
	return strings.Join(ways, ", or ") + "; `knack doctor` tests it"
}
