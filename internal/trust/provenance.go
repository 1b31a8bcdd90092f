package trust

import (
	_ "embed" // the list of files
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/knackhq/knack/internal/wording"
)

// maxSidecar bounds a file of provenance; the programs that write them write
// less than 4 KiB.
const maxSidecar = 16 << 10

//go:embed sidecars.txt
var sidecars string

// Sidecars are the names in a skill's folder that [Provenance] looks at: the
// files that sidecars.txt names, or the folders they are in.
func Sidecars() []string {
	var names []string
	for line := range strings.Lines(sidecars) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ = strings.Cut(name, "/")
		if name != "" && name[0] != '#' && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Provenance tells from where another program installed a skill's folder, if
// there is a file in it that says so; sidecars.txt has their names. What cannot
// be read, is too large or makes no sense counts as found: the folder was
// installed, whatever became of the file since. No link out of the folder is
// followed. The source is fit to be printed and has no passwords in it.
func Provenance(root *os.Root) (source string, found bool) {
	for line := range strings.Lines(sidecars) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		file, own := words[0], words[1:]
		data, err := readSidecar(root, file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		var doc map[string]any
		if err == nil {
			err = json.Unmarshal(data, &doc)
		}
		if kind, _ := doc["kind"].(string); err == nil && slices.Contains(own, kind) {
			continue
		}
		if source = describe(doc); err != nil || source == "" {
			source = "a place that " + file + " does not tell"
		}
		return source, true
	}
	return "", false
}

func readSidecar(root *os.Root, name string) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSidecar+1))
	if err == nil && len(data) > maxSidecar {
		return nil, errTooLarge
	}
	return data, err
}

// describe words what is known of a source: "@owner/skill 1.0 (https://…)".
func describe(doc map[string]any) string {
	slug, owner := text(doc, "slug"), text(doc, "ownerHandle", "owner")
	place := text(doc, "registry", "source_url", "sourceUrl", "url", "repository", "source")
	if nested, ok := doc["source"].(map[string]any); ok && place == "" {
		place = text(nested, "url", "repository", "path", "kind")
	}
	place = withoutSecrets(place)
	if slug == "" {
		return wording.Name(place)
	}
	if owner != "" {
		slug = "@" + strings.TrimPrefix(owner, "@") + "/" + slug
	}
	if version := text(doc, "installedVersion", "version"); version != "" {
		slug += " " + version
	}
	if place != "" {
		slug += " (" + place + ")"
	}
	return wording.Name(slug)
}

// text is the first of some fields that has text.
func text(doc map[string]any, keys ...string) string {
	for _, key := range keys {
		if s, ok := doc[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// withoutSecrets takes out of an address what may be a password or a token.
func withoutSecrets(place string) string {
	if !strings.Contains(place, "://") {
		return place
	}
	u, err := url.Parse(place)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}
