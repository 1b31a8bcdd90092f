package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func environment(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		set  Settings
		env  map[string]string
		want string // provider, model, base URL, key, from
	}{
		"nothing":           {want: "offline offline   nothing is configured"},
		"blank variables":   {env: map[string]string{"ANTHROPIC_API_KEY": " "}, want: "offline offline   nothing is configured"},
		"offline":           {set: Settings{Model: "offline"}, env: map[string]string{"OPENAI_API_KEY": "k"}, want: "offline offline   configuration"},
		"offline provider":  {set: Settings{Provider: "Offline", Model: "x"}, want: "offline offline   configuration"},
		"anthropic":         {env: map[string]string{"ANTHROPIC_API_KEY": " a\n", "OPENAI_API_KEY": "o"}, want: "anthropic claude-sonnet-5-5 https://api.anthropic.com a ANTHROPIC_API_KEY"},
		"token":             {env: map[string]string{"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "https://proxy.example/a/"}, want: "anthropic claude-sonnet-5-5 https://proxy.example/a t ANTHROPIC_AUTH_TOKEN"},
		"openai":            {env: map[string]string{"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "http://x:1/v1"}, want: "openai gpt-6.1-terra http://x:1/v1 o OPENAI_API_KEY"},
		"gemini":            {env: map[string]string{"GEMINI_API_KEY": "g", "OPENROUTER_API_KEY": "r"}, want: "openai gemini-flash-latest https://generativelanguage.googleapis.com/v1beta/openai g GEMINI_API_KEY"},
		"openrouter":        {env: map[string]string{"OPENROUTER_API_KEY": "r", "OLLAMA_HOST": "x"}, want: "openai openrouter/auto https://openrouter.ai/api/v1 r OPENROUTER_API_KEY"},
		"ollama":            {env: map[string]string{"OLLAMA_HOST": "0.0.0.0"}, want: "openai llama3.2 http://127.0.0.1:11434/v1  OLLAMA_HOST"},
		"ollama port":       {env: map[string]string{"OLLAMA_HOST": ":9999"}, want: "openai llama3.2 http://127.0.0.1:9999/v1  OLLAMA_HOST"},
		"ollama url":        {env: map[string]string{"OLLAMA_HOST": "https://gpu.example"}, want: "openai llama3.2 https://gpu.example:443/v1  OLLAMA_HOST"},
		"ollama v6":         {env: map[string]string{"OLLAMA_HOST": "http://[::1]:5/"}, want: "openai llama3.2 http://[::1]:5/v1  OLLAMA_HOST"},
		"ollama named":      {set: Settings{Model: "ollama/qwen3:8b"}, want: "openai qwen3:8b http://127.0.0.1:11434/v1  configuration"},
		"lmstudio":          {set: Settings{Model: "lmstudio/some/thing"}, want: "openai some/thing http://127.0.0.1:1234/v1  configuration"},
		"vllm":              {set: Settings{Model: "vllm/m", Key: "k"}, want: "openai m http://127.0.0.1:8000/v1 k configuration"},
		"prefix and key":    {set: Settings{Model: "anthropic/claude-opus-5", Key: "k"}, want: "anthropic claude-opus-5 https://api.anthropic.com k configuration"},
		"key and variable":  {set: Settings{Model: "anthropic/claude-opus-5", Key: "k"}, env: map[string]string{"ANTHROPIC_API_KEY": "a"}, want: "anthropic claude-opus-5 https://api.anthropic.com a configuration"},
		"key of an address": {set: Settings{Model: "m", BaseURL: "http://gpu:8000/v1", Key: "k"}, env: map[string]string{"OPENAI_API_KEY": "o"}, want: "openai m http://gpu:8000/v1 k configuration"},
		"key of nobody":     {set: Settings{Key: "k"}, env: map[string]string{"OLLAMA_HOST": "gpu"}, want: "openai llama3.2 http://gpu:11434/v1  OLLAMA_HOST"},
		"by its name":       {set: Settings{Model: "gpt-5"}, env: map[string]string{"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, want: "openai gpt-5 https://api.openai.com/v1 o configuration"},
		"others' names":     {set: Settings{Provider: "openrouter", Model: "anthropic/claude-x"}, env: map[string]string{"OPENROUTER_API_KEY": "r"}, want: "openai anthropic/claude-x https://openrouter.ai/api/v1 r configuration"},
		"own address":       {set: Settings{BaseURL: "http://gpu:8000/v1", Model: "m"}, want: "openai m http://gpu:8000/v1  configuration"},
		"own address, name": {set: Settings{BaseURL: "http://gpu:8000/v1", Model: "claude-like"}, want: "openai claude-like http://gpu:8000/v1  configuration"},
		"provider only":     {set: Settings{Provider: "openai"}, env: map[string]string{"OPENAI_API_KEY": "o"}, want: "openai gpt-6.1-terra https://api.openai.com/v1 o configuration"},
		"provider twice":    {set: Settings{Provider: "openai", Model: "openai/gpt-5", Key: "k"}, want: "openai gpt-5 https://api.openai.com/v1 k configuration"},
		"model, env's":      {set: Settings{Model: "mystery"}, env: map[string]string{"OPENROUTER_API_KEY": "r"}, want: "openai mystery https://openrouter.ai/api/v1 r OPENROUTER_API_KEY"},
	} {
		got, err := Choose(c.set, environment(c.env))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key := ""
		if got.key != nil {
			key = *got.key
		}
		if diff := cmp.Diff(c.want, strings.Join([]string{got.Provider, got.Model, got.BaseURL, key, got.From}, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What is configured for one provider goes to no other, whatever is named.
func TestANamedModelGetsNoOthersKey(t *testing.T) {
	anthropic := Settings{Provider: "anthropic", Key: "ka"}
	byName := Settings{Model: "anthropic/claude-x", Key: "ka"}
	server := Settings{Provider: "openai", BaseURL: "http://gpu:8000/v1", Key: "kg", Model: "m"}
	env := map[string]string{"OPENAI_API_KEY": "o"}
	for name, c := range map[string]struct {
		set   Settings
		named string
		env   map[string]string
		want  string // provider, model, base URL, key; or the error and its hint
	}{
		"another":            {anthropic, "openai/x", env, "openai x https://api.openai.com/v1 o"},
		"another, no key":    {anthropic, "openai/x", nil, "there is no key for openai: set OPENAI_API_KEY; `knack doctor` tests it"},
		"local":              {anthropic, "ollama/x", env, "openai x http://127.0.0.1:11434/v1 "},
		"the same":           {anthropic, "anthropic/x", env, "anthropic x https://api.anthropic.com ka"},
		"bare":               {anthropic, "x", env, "anthropic x https://api.anthropic.com ka"},
		"none":               {anthropic, "offline", env, "offline offline  "},
		"of a name, another": {byName, "openai/x", env, "openai x https://api.openai.com/v1 o"},
		"of a name, theirs":  {byName, "gpt-5", env, "openai gpt-5 https://api.openai.com/v1 o"},
		"of a name, same":    {byName, "claude-y", env, "anthropic claude-y https://api.anthropic.com ka"},
		"of a name, bare":    {byName, "x", env, "anthropic x https://api.anthropic.com ka"},
		"own server, bare":   {server, "x", env, "openai x http://gpu:8000/v1 kg"},
		"own server, slash":  {server, "meta/x", env, "openai meta/x http://gpu:8000/v1 kg"},
		"own server, claude": {server, "claude-x", env, "openai claude-x http://gpu:8000/v1 kg"},
		"not own server":     {server, "ollama/x", env, "openai x http://127.0.0.1:11434/v1 "},
		"a key of nobody":    {Settings{Key: "k"}, "vllm/x", nil, "openai x http://127.0.0.1:8000/v1 "},
	} {
		choice, err := Choose(c.set.Naming(c.named), environment(c.env))
		var got string
		if e := (*Error)(nil); errors.As(err, &e) {
			got = e.Message + ": " + e.Hint
		} else {
			key := ""
			if choice.key != nil {
				key = *choice.key
			}
			got = strings.Join([]string{choice.Provider, choice.Model, choice.BaseURL, key}, " ")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestChooseSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		set     Settings
		env     map[string]string
		kind    Kind
		message string
		hint    string
	}{
		"no key":         {set: Settings{Provider: "anthropic"}, kind: BadKey, message: "there is no key for anthropic", hint: "set ANTHROPIC_API_KEY, or run `knack config set llm.api_key"},
		"no key, model":  {set: Settings{Model: "gemini/x"}, kind: BadKey, message: "gemini", hint: "GEMINI_API_KEY"},
		"odd key":        {set: Settings{Provider: "openai", Key: "a b"}, kind: BadKey, message: "characters", hint: "OPENAI_API_KEY"},
		"unknown":        {set: Settings{Provider: "antropic"}, kind: NoModel, message: `"antropic"`, hint: "did you mean anthropic?"},
		"no model":       {set: Settings{Provider: "vllm"}, kind: NoModel, message: "vllm", hint: "knack config set llm.name vllm/NAME"},
		"whose model":    {set: Settings{Model: "mystery"}, kind: NoModel, message: `"mystery"`, hint: "PROVIDER/NAME"},
		"whose key":      {set: Settings{Key: "k"}, kind: NoModel, message: "whose", hint: "knack config set llm.name PROVIDER/NAME"},
		"odd address":    {set: Settings{BaseURL: "gpu:8000"}, kind: BadRequest, message: "llm.base_url", hint: "https://api.openai.com/v1"},
		"secret address": {set: Settings{BaseURL: "http://u:secret@gpu/"}, kind: BadRequest, message: "llm.base_url", hint: "llm.api_key"},
		"odd variable":   {env: map[string]string{"ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "ftp://x"}, kind: BadRequest, message: "ANTHROPIC_BASE_URL", hint: "https://api.anthropic.com"},
		"odd host":       {env: map[string]string{"OLLAMA_HOST": "http://u:secret@gpu"}, kind: BadRequest, message: "OLLAMA_HOST", hint: "11434"},
	} {
		_, err := Choose(c.set, environment(c.env))
		var e *Error
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		if strings.Contains(e.Message+e.Hint, "secret") {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// However it is printed, and whatever it is in.
func TestKeysAreNotShown(t *testing.T) {
	const key = "sk-canary-123456"
	c, err := Choose(Settings{Provider: "anthropic", Key: key}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inside := struct {
		c Choice
		p *Choice
	}{c, &c}
	js, err := json.Marshal(struct{ C, I any }{c, m.Info()})
	if err != nil {
		t.Fatal(err)
	}
	all := string(js)
	for _, v := range []any{c, &c, inside, m, []Choice{c}, map[string]Choice{"c": c}} {
		all += fmt.Sprintf("%v %+v %#v %s", v, v, v, v)
	}
	if strings.Contains(all, key) {
		t.Errorf("the key is shown: %s", all)
	}
	if want := "anthropic/claude-sonnet-5-5 at https://api.anthropic.com (configuration)"; c.String() != want {
		t.Errorf("%s", c)
	}
}

func TestWindows(t *testing.T) {
	for model, want := range map[string][2]int{
		"claude-3-haiku-20240307": {200_000, 4096}, "claude-sonnet-5-5": {200_000, usualAnswer},
		"anthropic/claude-3-5-sonnet": {200_000, 8192}, "llama3.2": {0, usualAnswer},
	} {
		c, a := windowOf(model)
		if c != want[0] || a != want[1] {
			t.Errorf("%s: %d %d", model, c, a)
		}
	}
}

func TestNewOfNoChoice(t *testing.T) {
	if _, err := New(Choice{Provider: "openai"}, Options{}); err == nil {
		t.Error("a choice that nobody made is taken")
	}
	c, err := Choose(Settings{}, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := New(c, Options{}); err != nil || m.Info().Provider != offlineProtocol {
		t.Error(m, err)
	}
}
