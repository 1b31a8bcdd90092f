package knack

// ModelSettings say which model the user wants to be asked, as [llm] of the
// configuration has it. Empty texts leave it to the environment.
type ModelSettings struct {
	Provider, Name, BaseURL, Key string
	// Context is how many tokens the model can read; 0 is not set.
	Context int
	// MaxIterations is how often it is asked in one turn.
	MaxIterations int
}

// Model returns what the configuration says about models.
func (e *Engine) Model() ModelSettings {
	set := e.settings.Model
	out := ModelSettings{Provider: set.Provider, Name: set.Name, BaseURL: set.BaseURL, Key: set.Key, MaxIterations: set.MaxIterations}
	if set.ContextTokens != nil {
		out.Context = *set.ContextTokens
	}
	return out
}
