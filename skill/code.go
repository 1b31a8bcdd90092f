package skill

import "slices"

// Code names a kind of diagnostic or reason. Codes are part of the interface:
// scripts match on them, docs/diagnostics.md explains each, and none is renamed.
type Code string

// CodeInfo is what is known of a code.
type CodeInfo struct {
	Code     Code
	Severity Severity
	// Means explains the code to a user who looks it up.
	Means string
}

// Codes lists every code there is.
func Codes() []CodeInfo { return slices.Clone(codes[:]) }

// Severity is that of a diagnostic with this code, unless it makes a host drop
// the skill: then it is an error whatever its code.
func (c Code) Severity() Severity {
	for _, info := range codes {
		if info.Code == c {
			return info.Severity
		}
	}
	return Error
}

// New makes a diagnostic with the code's own severity.
func (c Code) New(file string, line int, message, hint string) Diagnostic {
	return Diagnostic{Code: c, Severity: c.Severity(), File: file, Line: line, Message: message, Hint: hint}
}

// Codes of files and their content.
const (
	// Reading.
	FileUnreadable Code = "file-unreadable"
	FileTooLarge   Code = "file-too-large"
	FileNotRegular Code = "file-not-regular"
	FileEscapes    Code = "file-escapes"
	FileNotUTF8    Code = "file-not-utf8"
	FileHasNUL     Code = "file-has-nul"
	FileControl    Code = "file-control-characters"
	FileName       Code = "file-name-case"
	FileDuplicate  Code = "file-duplicate"
	RootUnreadable Code = "root-unreadable"
	RootLeaves     Code = "root-leaves"
	RootTruncated  Code = "root-truncated"
	LinkRefused    Code = "link-refused"
	LinkLoop       Code = "link-loop"
	DirUnreadable  Code = "directory-unreadable"
	DirVanished    Code = "directory-vanished"
	NestedManifest Code = "nested-manifest"
	SpecialFile    Code = "special-file"
	NoManifest     Code = "no-manifest"

	// Frontmatter.
	FrontmatterMissing   Code = "frontmatter-missing"
	FrontmatterLate      Code = "frontmatter-not-at-start"
	FrontmatterUnclosed  Code = "frontmatter-unclosed"
	FrontmatterRepaired  Code = "frontmatter-repaired"
	FrontmatterDropped   Code = "frontmatter-line-dropped"
	FrontmatterInvalid   Code = "frontmatter-invalid"
	FrontmatterConflict  Code = "frontmatter-conflict"
	FrontmatterDuplicate Code = "frontmatter-duplicate-key"
	FrontmatterTooDeep   Code = "frontmatter-too-complex"

	// TOML manifests.
	TOMLInvalid      Code = "toml-invalid"
	TOMLForeign      Code = "toml-foreign"
	ToolsDeprecated  Code = "tools-deprecated"
	ManifestConflict Code = "manifest-conflict"

	// Fields.
	KeyUnknown         Code = "key-unknown"
	KeyIgnored         Code = "key-ignored"
	KeyMisplaced       Code = "key-misplaced"
	KeySpelling        Code = "key-spelling"
	ValueInvalid       Code = "value-invalid"
	NameMissing        Code = "name-missing"
	NameInvalid        Code = "name-invalid"
	NameDiffers        Code = "name-differs-from-folder"
	DescriptionMissing Code = "description-missing"
	DescriptionLong    Code = "description-long"
	BodyMissing        Code = "body-missing"
	MetadataUnreadable Code = "metadata-unreadable"
	LimitExceeded      Code = "limit-exceeded"
	PatternInvalid     Code = "pattern-invalid"
	PatternTooLarge    Code = "pattern-too-large"
	ToolInvalid        Code = "tool-invalid"
	ToolRefused        Code = "tool-refused"
	ToolArgument       Code = "tool-argument"
	InstallInvalid     Code = "install-invalid"

	// Advice.
	AdviceKeywords Code = "advice-keywords"
	AdviceTokens   Code = "advice-tokens"
	AdviceSections Code = "advice-tool-section"
)

// Codes of reasons.
const (
	ReasonOS         Code = "gate-os"
	ReasonBin        Code = "gate-bin"
	ReasonAnyBin     Code = "gate-any-bin"
	ReasonEnv        Code = "gate-env"
	ReasonConfig     Code = "gate-config"
	ReasonUnknown    Code = "gate-unknown"
	ReasonDisabled   Code = "disabled"
	ReasonExcluded   Code = "excluded"
	ReasonOff        Code = "skills-off"
	ReasonNotAllowed Code = "not-allowed"
	ReasonFiltered   Code = "not-for-agent"
	ReasonLimit      Code = "over-limit"
	ReasonShadowed   Code = "shadowed"
	ReasonDuplicate  Code = "duplicate"
	ReasonSameFolder Code = "same-folder"
	ReasonInvalid    Code = "invalid"
)

// Codes of variables that a skill's programs do not get.
const (
	EnvBlocked    Code = "env-blocked"
	EnvUndeclared Code = "env-undeclared"
)

// Codes of tools that the model may not call.
const (
	ToolAttenuated    Code = "tool-attenuated"
	ToolDisallowed    Code = "tool-disallowed"
	ToolCeiling       Code = "tool-ceiling"
	PermissionMissing Code = "permission-missing"
)

// Codes of trust.
const (
	TrustUnreadable      Code = "trust-unreadable"
	WorkspaceNotAccepted Code = "workspace-not-accepted"
	WorkspaceChanged     Code = "workspace-changed"
	RecordedProvenance   Code = "provenance"
	TrustGiven           Code = "trust-given"
	TrustChanged         Code = "trust-changed"
	GrantVoid            Code = "grant-void"
)

// Codes of the configuration.
const (
	ConfigInvalid    Code = "config-invalid"
	ConfigUnknownKey Code = "config-unknown-key"
	ConfigBadValue   Code = "config-bad-value"
	ConfigRefused    Code = "config-refused"
)
