package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/knackhq/knack/internal/sandbox"
)

// place is what an attack is told of the outside: where things are, not how to
// get there. It travels as JSON in an argument.
type place struct {
	Token   string // what every secret holds
	Program string
	Root    bool // the outside is root

	Home, Workspace, Skill string
	Work                   string // a folder of the workspace with nothing to keep in it
	Other                  string // a file of another user
	Setuid                 string // a program in the skill's folder that changes its user
	RealHome               string
	Dirs                   map[string]identity // of folders, as they are outside
	Handle                 []byte              // of the key in the planted home
	HandleType             int32

	Helper, HelperFile int    // its process, and a file it has open
	HelperAt           uint64 // where it has the token in memory
	Above              int    // whoever started the inside; filled in there
	Parent             int
	ParentAt           uint64
	ParentEnviron      string // digest
	Segment            int    // shared memory
	TCP, TCP6, UDP     string
	Socket, Abstract   string
	Interfaces         []string
	Variables          []string // names that must not get inside
	Bounds             sandbox.Bounds
	OpenFile, OpenDir  identity // of what is open outside, and not closed on exec
	Terminal           identity // that is the input, if nothing comes between
}

// identity is of a file or folder, however it is called.
type identity struct{ Dev, Ino uint64 }

func identityOf(path string) (identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return identity{}, fmt.Errorf("%s: %w", path, err)
	}
	return identity{st.Dev, st.Ino}, nil
}

func identityOfFile(fd int) (identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return identity{}, err
	}
	return identity{st.Dev, st.Ino}, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// key is the most valuable file of the planted home.
func (p *place) key() string { return filepath.Join(p.Home, ".ssh", "id_ed25519") }

// Places of the workspace that are to be kept. Each probe has one of its own, so
// that none undoes the work of another.
const (
	keptHooks    = ".git"
	keptSkills   = "skills"
	keptMoved    = ".vscode"
	keptSwapped  = ".idea"
	keptSettings = "settings.toml"
	keptRemoved  = "lock.json"
	keptAbsent   = ".agents/skills"
	keptBelow    = "vendor/tools/skills"
)

func keeps() []string {
	return []string{keptHooks, keptSkills, keptMoved, keptSwapped, keptSettings, keptRemoved, keptAbsent, keptBelow}
}

// homeFiles are what other programs leave in a home, besides keys.
func homeFiles() []string {
	return []string{".bash_history", ".aws/credentials", ".config/browser/Cookies", "letters/private.txt", "diary.txt"}
}

// outside are folders that no tool should write, if they exist.
func outside() []string {
	return []string{"/etc", "/usr", "/usr/local/bin", "/var/tmp", "/tmp", "/dev/shm", "/var/lib", "/run"}
}

// bounds are small, so that going over them is cheap. A probe itself needs some 60
// MiB, and ten threads, which count as processes.
var bounds = sandbox.Bounds{
	Memory: 256 << 20, Processes: 32, FileSize: 8 << 20, Tmp: 8 << 20, CPU: time.Minute, Files: 128,
}

// over is by how much probes exceed a bound.
const over = 16 << 20

func writeFiles(files map[string]string) error {
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
