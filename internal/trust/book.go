package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knackhq/knack/internal/policy"
	"github.com/knackhq/knack/internal/wording"
	"github.com/knackhq/knack/skill"
)

// version is that of the file's format.
const version = 1

// maxBytes bounds the file: room for the skills of a hundred workspaces with a
// thousand each.
const maxBytes = 16 << 20

// The errors of files that cannot be used.
var (
	errDamaged  = errors.New("it is damaged or was changed by hand")
	errNewer    = errors.New("it was written by a newer version of knack")
	errTooLarge = fmt.Errorf("it is larger than %d bytes", maxBytes)
	errNoFile   = errors.New("trust: there is no home to keep the decision in; name one with --home")
)

// Book is what the user decided, as it was when the file was read. It does not
// change and may be used by many goroutines. The zero value has no decisions.
type Book struct {
	records    map[string]Record
	workspaces map[string]Workspace
}

// Open reads the file. One that is missing, or the empty name, is an empty
// book, and so is one that cannot be used, which is a diagnostic.
func Open(file string) (*Book, []skill.Diagnostic) {
	if file == "" {
		return &Book{}, nil
	}
	b, _, err := read(file)
	if err == nil {
		return b, nil
	}
	return &Book{}, []skill.Diagnostic{skill.TrustUnreadable.New(file, 0,
		"the record of what you trust cannot be used: "+cause(err).Error()+"; nothing is trusted or granted by it", wayOut(file, err))}
}

// Records are the decisions about single skills, sorted by path.
func (b *Book) Records() []Record {
	out := make([]Record, 0, len(b.records))
	for _, path := range slices.Sorted(maps.Keys(b.records)) {
		r := b.records[path]
		r.Grants = cloneGrants(r.Grants)
		out = append(out, r)
	}
	return out
}

// Workspaces are those that the user accepted or refused, sorted by path.
func (b *Book) Workspaces() []Workspace {
	out := make([]Workspace, 0, len(b.workspaces))
	for _, path := range slices.Sorted(maps.Keys(b.workspaces)) {
		w := b.workspaces[path]
		w.Digests = maps.Clone(w.Digests)
		out = append(out, w)
	}
	return out
}

// read returns the content of a file, and its bytes.
func read(file string) (*Book, []byte, error) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Book{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	b, err := decode(data)
	return b, data, err
}

func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would keep us waiting
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		return nil, errTooLarge
	}
	return data, err
}

// content is the file.
type content struct {
	Version int `json:"version"`
	// Sum is "sha256:" and the SHA-256 of the file with this field empty.
	Sum        string      `json:"sum"`
	Records    []Record    `json:"records"`
	Workspaces []Workspace `json:"workspaces"`
}

// encode writes a book the one way it can be written.
func (b *Book) encode() ([]byte, error) {
	c := content{Version: version, Records: b.Records(), Workspaces: b.Workspaces()}
	data, err := c.marshal()
	if err != nil {
		return nil, err
	}
	c.Sum = checksum(data)
	return c.marshal()
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + hex.EncodeToString(sum[:])
}

func (c *content) marshal() ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // paths are for people to read
	to.SetIndent("", " ")
	err := to.Encode(c)
	return b.Bytes(), err
}

// decode reads what encode wrote, and nothing else.
func decode(data []byte) (*Book, error) {
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, errDamaged
	}
	if c.Version > version {
		return nil, errNewer
	}
	b := &Book{records: make(map[string]Record, len(c.Records)), workspaces: make(map[string]Workspace, len(c.Workspaces))}
	for _, r := range c.Records {
		if !r.valid() {
			return nil, errDamaged
		}
		b.records[r.Path] = r
	}
	for _, w := range c.Workspaces {
		if !w.valid() {
			return nil, errDamaged
		}
		b.workspaces[w.Path] = w
	}
	// Whatever else could be odd about the file shows here: order, doubles, keys
	// we do not know, and the checksum.
	same, err := b.encode()
	if err != nil || !bytes.Equal(same, data) {
		return nil, errDamaged
	}
	return b, nil
}

// valid reports whether an edit could have made the record.
func (r *Record) valid() bool {
	for i, g := range r.Grants {
		if checkGrant(g) != nil || i > 0 && g.Tool <= r.Grants[i-1].Tool {
			return false
		}
	}
	return checkPath(r.Path) == nil && isDigest(r.Digest) && (r.Trusted || len(r.Grants) > 0)
}

// valid reports whether an edit could have made the workspace.
func (w *Workspace) valid() bool {
	for place, digest := range w.Digests {
		if checkPath(place) != nil || !isDigest(digest) {
			return false
		}
	}
	return w.Digests != nil && checkPath(w.Path) == nil && (!w.Refused || len(w.Digests) == 0)
}

const digestPrefix = "sha256:"

// isDigest reports whether a text is a digest, which an empty one is not.
func isDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	return ok && len(digits) == hex.EncodedLen(sha256.Size) && strings.Trim(digits, "0123456789abcdef") == ""
}

func cloneGrants(grants []policy.Grant) []policy.Grant {
	out := slices.Clone(grants)
	for i := range out {
		out[i].Net = slices.Clone(out[i].Net)
	}
	return out
}

// cause is an error without the path and the call that failed.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// wayOut says what the user can do about a file that cannot be used.
func wayOut(file string, err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, errNewer):
		return "update knack, or move the file away and decide anew"
	case errors.As(err, &at):
		return "check the permissions of " + wording.Quote(file)
	}
	return "move the file away and decide anew; knack never changes it"
}
