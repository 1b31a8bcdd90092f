package llm

// Settings are what the user says about models.
type Settings struct {
	// Provider is "anthropic", "openai" or "offline"; empty leaves it to the
	// environment.
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

	key string // never shown
}
