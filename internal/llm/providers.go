package llm

import "strings"

// The protocols, as Choice and Info name them.
const (
	anthropicProtocol = "anthropic"
	openaiProtocol    = "openai"
	offlineProtocol   = "offline"
)

// provider is somebody who runs models.
type provider struct {
	name     string // before the slash in NAME/MODEL
	protocol string
	// base is where it is. A base URL of the user's own replaces it.
	base string
	// keys are the variables that can have its key, tokens those with one that is
	// sent as a bearer token instead.
	keys, tokens []string
	// baseVar is the variable that replaces base, address one with a host and a
	// port.
	baseVar, address string
	// model is the usual one: of middle size, and current. Empty where only the
	// server knows what it has.
	model string
	// models are how the names of its own models begin.
	models []string
	// lengthField is what the server calls the longest answer.
	lengthField string
	// local needs no key.
	local bool
}

// providers are in the order in which the environment is searched.
var providers = []provider{
	{
		name: "anthropic", protocol: anthropicProtocol, base: "https://api.anthropic.com",
		keys: []string{"ANTHROPIC_API_KEY"}, tokens: []string{"ANTHROPIC_AUTH_TOKEN"}, baseVar: "ANTHROPIC_BASE_URL",
		model: "claude-sonnet-5-5", models: []string{"claude-"},
	},
	{
		name: "openai", protocol: openaiProtocol, base: "https://api.openai.com/v1",
		keys: []string{"OPENAI_API_KEY"}, baseVar: "OPENAI_BASE_URL",
		model: "gpt-6.1-terra", models: []string{"gpt-", "chatgpt-", "o1", "o3", "o4"}, lengthField: maxCompletionTokens,
	},
	{
		name: "gemini", protocol: openaiProtocol, base: "https://generativelanguage.googleapis.com/v1beta/openai",
		keys:  []string{"GEMINI_API_KEY"},
		model: "gemini-flash-latest", models: []string{"gemini-"}, lengthField: maxTokens,
	},
	{
		name: "openrouter", protocol: openaiProtocol, base: "https://openrouter.ai/api/v1",
		keys:  []string{"OPENROUTER_API_KEY"},
		model: "openrouter/auto", lengthField: maxTokens,
	},
	{
		name: "ollama", protocol: openaiProtocol, base: "http://127.0.0.1:11434/v1", address: "OLLAMA_HOST",
		model: "llama3.2", lengthField: maxTokens, local: true,
	},
	{name: "lmstudio", protocol: openaiProtocol, base: "http://127.0.0.1:1234/v1", lengthField: maxTokens, local: true},
	{name: "vllm", protocol: openaiProtocol, base: "http://127.0.0.1:8000/v1", lengthField: maxTokens, local: true},
	{name: "offline", protocol: offlineProtocol, model: "offline", local: true},
}

// The fields that servers of OpenAI's protocol know for the longest answer.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// windows are how much models read and write at once, and what the longest
// answer is that Anthropic's are asked for, by how their names begin. A model
// that is not here is asked for usualAnswer, and its window is not known.
var windows = []struct {
	prefix          string
	context, answer int
}{
	{"claude-3-haiku", 200_000, 4096},
	{"claude-3-opus", 200_000, 4096},
	{"claude-3-5-", 200_000, 8192},
	{"claude-", 200_000, 0},
	{"gpt-4.1", 1_047_576, 0},
	{"gpt-4o", 128_000, 0},
	{"gpt-5", 400_000, 0},
	{"gpt-6", 400_000, 0},
	{"gemini-", 1_048_576, 0},
}

// usualAnswer is long enough for a whole file, and short enough for a user who
// waits. Anthropic's protocol wants a number.
const usualAnswer = 16384

// windowOf returns both numbers of a model.
func windowOf(model string) (context, answer int) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, w := range windows {
		if strings.HasPrefix(name, w.prefix) {
			if w.answer == 0 {
				return w.context, usualAnswer
			}
			return w.context, w.answer
		}
	}
	return 0, usualAnswer
}

func providerNamed(name string) (provider, bool) {
	for _, p := range providers {
		if p.name == name {
			return p, true
		}
	}
	return provider{}, false
}

// providerNames lists them for messages.
func providerNames() []string {
	var names []string
	for _, p := range providers {
		names = append(names, p.name)
	}
	return names
}
