package config

import "slices"

// Skills is the [skills] table, and what other tables say about skills. Paths
// are absolute.
type Skills struct {
	Enabled bool
	// Excluded are those of skills.excluded and, of the agent in force, those
	// it is denied.
	Excluded   []string
	ExtraRoots []string
	// AllowBundled is nil when the key is not set; empty allows none.
	AllowBundled []string
	Entries      map[string]Entry // by the key as written

	// Only are the skills that may be used at all; nil is no such limit, empty
	// allows none. OnlyFor is the agent whose list it is, empty if it is that
	// of all agents.
	Only    []string
	OnlyFor string

	Mode             string // "full", "compact" or "index"
	MaxActive        int
	MaxContextTokens int
	MaxScanDepth     *int // nil is as the host has it
	RegexActivation  bool

	Dir, InstalledDir string // empty is the usual place

	ToolTimeoutSeconds int
	ToolOutputBytes    int

	Load       LoadSettings
	Install    InstallSettings
	Limits     Limits
	OpenSkills OpenSkills
	Forge      Forge
}

// Entry is [skills.entries.KEY].
type Entry struct {
	Enabled bool
	APIKey  string // empty if it is elsewhere, see Ref
	Ref     SecretRef
	Env     map[string]string
}

// LoadSettings is [skills.load].
type LoadSettings struct {
	Watch               bool
	AllowSymlinkTargets []string
}

// InstallSettings is [skills.install].
type InstallSettings struct {
	PreferBrew            bool
	NodeManager           string // "npm", "pnpm", "yarn" or "bun"
	AllowUploadedArchives bool
}

// Limits is [skills.limits]. Each is nil if nobody set it, which is as the host
// has it.
type Limits struct {
	MaxCandidatesPerRoot     *int
	MaxSkillsLoadedPerSource *int
	MaxSkillsInPrompt        *int
	MaxSkillsPromptChars     *int
	MaxSkillFileBytes        *int
}

// OpenSkills is about a collection of skills that is fetched. Empty texts are
// as the host has them.
type OpenSkills struct {
	Enabled       bool
	URL, Dir, Ref string
}

// Forge is about the search for new skills.
type Forge struct {
	Enabled           bool
	MinScore          float64 // 0 to 1
	ScanIntervalHours int
}

// Tools is [tools]: what the tools of a session may use besides what skills are
// granted.
type Tools struct {
	Layer        string   // of containment; "strongest" leaves it to the machine
	ShellHosts   []string // that commands may reach
	ShellRead    []string // directories that commands may read
	PrivateHosts []string // that web tools may reach

	WebSearchKind, WebSearchURL, WebSearchKey string
}

func (s *Settings) tools() Tools {
	get := func(name string) *place { return s.effective("tools", name) }
	out := Tools{
		Layer:         get("layer").text(),
		ShellHosts:    get("shell_hosts").words(),
		ShellRead:     get("shell_read").words(),
		PrivateHosts:  get("private_hosts").words(),
		WebSearchKind: get("web_search_kind").text(),
		WebSearchURL:  get("web_search_url").text(),
	}
	if key := get("web_search_key"); key != nil {
		out.WebSearchKey = key.text()
	}
	return out
}

// Model is [llm]: which model is asked. Empty texts leave it to the environment.
type Model struct {
	Provider, Name, BaseURL, Key string
	ContextTokens                *int
	MaxIterations                int
}

func (s *Settings) model() Model {
	get := func(name string) *place { return s.effective("llm", name) }
	text := func(name string) string {
		if p := get(name); p != nil {
			return p.text()
		}
		return ""
	}
	return Model{
		Provider: text("provider"), Name: text("name"), BaseURL: text("base_url"), Key: text("api_key"),
		ContextTokens: get("context_tokens").limit(), MaxIterations: get("max_iterations").integer(),
	}
}

// settings makes the result of what was gathered.
func (l *loader) settings() *Settings {
	s := &Settings{document: l.document, names: l.names, foreign: l.foreign, hidden: l.hidden}
	if in := syntaxOf(l.in.Host.Reader); l.foreign && in != nil {
		s.templates, s.environ = in.templates, l.in.Environ
	}
	s.Host = s.effective("host").text()
	s.Agent = s.effective("agent").text()
	s.Log = s.effective("log").text()
	s.Skills = s.skills()
	s.Tools = s.tools()
	s.Model = s.model()
	if entries := s.merged.find("skills", "entries"); entries != nil {
		for name := range entries.below {
			s.Skills.Entries[name] = s.entry(name)
		}
	}
	return s
}

func (s *Settings) skills() Skills {
	get := func(path ...string) *place { return s.effective(append([]string{"skills"}, path...)...) }
	out := Skills{
		Enabled:      get("enabled").yes(),
		Excluded:     get("excluded").words(),
		ExtraRoots:   get("extra_roots").words(),
		AllowBundled: get("allow_bundled").names(),
		Entries:      map[string]Entry{},

		Mode:               get("mode").text(),
		MaxActive:          get("max_active").integer(),
		MaxContextTokens:   get("max_context_tokens").integer(),
		MaxScanDepth:       get("max_scan_depth").limit(),
		RegexActivation:    get("regex_activation").yes(),
		Dir:                get("dir").text(),
		InstalledDir:       get("installed_dir").text(),
		ToolTimeoutSeconds: get("tool_timeout_seconds").integer(),
		ToolOutputBytes:    get("tool_output_bytes").integer(),

		Load: LoadSettings{
			Watch:               get("load", "watch").yes(),
			AllowSymlinkTargets: get("load", "allow_symlink_targets").words(),
		},
		Install: InstallSettings{
			PreferBrew:            get("install", "prefer_brew").yes(),
			NodeManager:           get("install", "node_manager").text(),
			AllowUploadedArchives: get("install", "allow_uploaded_archives").yes(),
		},
		Limits: Limits{
			MaxCandidatesPerRoot:     get("limits", "max_candidates_per_root").limit(),
			MaxSkillsLoadedPerSource: get("limits", "max_skills_loaded_per_source").limit(),
			MaxSkillsInPrompt:        get("limits", "max_skills_in_prompt").limit(),
			MaxSkillsPromptChars:     get("limits", "max_skills_prompt_chars").limit(),
			MaxSkillFileBytes:        get("limits", "max_skill_file_bytes").limit(),
		},
		OpenSkills: OpenSkills{
			Enabled: get("open_skills_enabled").yes(),
			URL:     get("open_skills_url").text(),
			Dir:     get("open_skills_dir").text(),
			Ref:     get("open_skills_ref").text(),
		},
		Forge: Forge{
			Enabled:           get("skillforge_enabled").yes(),
			MinScore:          get("skillforge_min_score").number(),
			ScanIntervalHours: get("skillforge_scan_interval_hours").integer(),
		},
	}
	for _, path := range s.deniedPaths() {
		for _, name := range s.merged.find(path...).words() {
			if !slices.Contains(out.Excluded, name) {
				out.Excluded = append(out.Excluded, name)
			}
		}
	}
	only, whose := s.onlyPath()
	out.Only, out.OnlyFor = s.effective(only...).names(), whose
	return out
}

func (s *Settings) entry(name string) Entry {
	e := Entry{Enabled: s.effective("skills", "entries", name, "enabled").yes()}
	if key := s.merged.find("skills", "entries", name, "api_key"); key != nil && key.value != nil {
		e.APIKey, e.Ref = secret(key.value)
	}
	if env := s.merged.find("skills", "entries", name, "env"); env != nil {
		e.Env = make(map[string]string, len(env.below))
		for variable, value := range env.below {
			e.Env[variable] = value.text()
		}
	}
	return e
}
