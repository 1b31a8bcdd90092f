package knack

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// author is who commits with the git tool: what the user's own configuration of
// git says, as "Name <address>"; empty if it does not. It is read here because no
// program may see it, and git is not asked because anybody may have put one on the
// PATH.
func (e *Engine) author() string {
	if e.opt.UserHome == "" {
		return ""
	}
	f, err := os.Open(filepath.Join(e.opt.UserHome, ".gitconfig"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	data, _ := io.ReadAll(io.LimitReader(f, longestGitConfig))
	return gitUser(string(data))
}

// longestGitConfig is far beyond what people write.
const longestGitConfig = 64 << 10

// gitUser reads the name and address of [user].
func gitUser(text string) string {
	section, values := "", map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if value = strings.Trim(strings.TrimSpace(value), `"`); ok && section == "user" && !strings.ContainsAny(value, "<>\\#;") {
			values[strings.ToLower(strings.TrimSpace(key))] = value
		}
	}
	if values["name"] == "" || values["email"] == "" {
		return ""
	}
	return values["name"] + " <" + values["email"] + ">"
}
