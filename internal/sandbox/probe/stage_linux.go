package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nobody is whom things belong to that are to be another user's.
const nobody = 65534

// stage is all that Run has set up outside: the place as attacks see it, and what
// is needed to confirm their success and to take everything away.
type stage struct {
	place
	base     string
	helper   *helper
	memory   []byte   // the token, in this process
	terminal *os.File // the end of a terminal that the sandbox gets as its input
	undo     []func()
}

// later adds something to take away, in reverse order.
func (s *stage) later(f func()) { s.undo = append(s.undo, f) }

func (s *stage) clear() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

// set makes a stage. What this machine cannot offer is left out: the probes that
// need it say so.
func set(ctx context.Context, opt Options) (*stage, error) {
	base, err := os.MkdirTemp(opt.Dir, "probe-")
	if err != nil {
		return nil, err
	}
	s := &stage{base: base}
	s.later(func() { os.RemoveAll(base) })
	for _, step := range []func() error{
		func() error { return s.describe(opt) }, s.plant, s.plantOwned,
		func() error { return s.serve(ctx) },
		func() error { return s.assist(ctx) },
		s.leaveOpen,
	} {
		if err := step(); err != nil {
			s.clear()
			return nil, err
		}
	}
	s.share()
	s.openTerminal()
	return s, nil
}

// describe fills in what is true without planting anything.
func (s *stage) describe(opt Options) error {
	base, err := filepath.EvalSymlinks(s.base)
	if err != nil {
		return err
	}
	s.base = base
	s.memory = []byte("secret-" + strings.ToLower(rand.Text()))
	s.place = place{
		Token: string(s.memory), Program: opt.Program, Root: os.Geteuid() == 0,
		Home: filepath.Join(base, "home"), Workspace: filepath.Join(base, "ws"), Work: filepath.Join(base, "ws", "work"), Skill: filepath.Join(base, "skill"),
		Parent: os.Getpid(), ParentAt: uint64(uintptr(unsafe.Pointer(&s.memory[0]))),
		Dirs: map[string]identity{}, Bounds: bounds, Segment: -1,
	}
	for _, dir := range outside() {
		if id, err := identityOf(dir); err == nil {
			s.Dirs[dir] = id
		}
	}
	for _, variable := range opt.Environ {
		name, value, _ := strings.Cut(variable, "=")
		if name != "" && !isOurs(name) {
			s.Variables = append(s.Variables, name)
		}
		if id, err := identityOf(value); name == "HOME" && err == nil {
			s.RealHome = value
			s.Dirs[value] = id
		}
	}
	if environ, err := os.ReadFile("/proc/self/environ"); err == nil && len(environ) > 0 {
		s.ParentEnviron = digest(environ)
	}
	return nil
}

// plant makes the files that are there to be stolen or spoilt.
func (s *stage) plant() error {
	files := map[string]string{
		s.key():                                                   s.Token,
		filepath.Join(s.Skill, "SKILL.md"):                        "the skill\n",
		filepath.Join(s.Work, "notes.txt"):                        "the work\n",
		filepath.Join(s.Workspace, keptHooks, "hook"):             kept,
		filepath.Join(s.Workspace, keptSkills, "one", "SKILL.md"): kept,
		filepath.Join(s.Workspace, keptMoved, "tasks.json"):       kept,
		filepath.Join(s.Workspace, keptSwapped, "tasks.json"):     kept,
		filepath.Join(s.Workspace, keptSettings):                  kept,
		filepath.Join(s.Workspace, keptRemoved):                   kept,
		filepath.Join(s.Workspace, keptBelow, "SKILL.md"):         kept,
		filepath.Join(s.base, "other"):                            s.Token,
	}
	for _, name := range homeFiles() {
		files[filepath.Join(s.Home, name)] = s.Token
	}
	if err := writeFiles(files); err != nil {
		return err
	}
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, s.key(), 0)
	if err == nil { // not every file system has them
		s.Handle, s.HandleType = handle.Bytes(), handle.Type()
	}
	return os.Symlink(s.Home, filepath.Join(s.Work, "planted"))
}

// kept is what is in places that nobody may change.
const kept = "as it was\n"

// plantOwned makes what only root can: files of others.
func (s *stage) plantOwned() error {
	if !s.Root {
		return nil
	}
	s.Other = filepath.Join(s.base, "other")
	s.Setuid = filepath.Join(s.Skill, "id")
	program, err := os.ReadFile("/usr/bin/id")
	if errors.Is(err, os.ErrNotExist) {
		s.Setuid = ""
		return os.Chown(s.Other, nobody, nobody)
	}
	return errors.Join(err,
		os.Chown(s.Other, nobody, nobody),
		os.WriteFile(s.Setuid, program, 0o755),
		os.Chown(s.Setuid, nobody, nobody),
		os.Chmod(s.Setuid, 0o755|os.ModeSetuid),
	)
}

// leaveOpen has a file and a folder open that every child inherits, unless it is
// seen to. Go closes them on exec; other libraries of the process may not.
func (s *stage) leaveOpen() error {
	for path, id := range map[string]*identity{s.key(): &s.OpenFile, s.Home: &s.OpenDir} {
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s.later(func() { unix.Close(fd) })
		if *id, err = identityOfFile(fd); err != nil {
			return err
		}
	}
	return nil
}

// share puts the token into shared memory. It is marked for removal at once, and
// goes with the last process that has it.
func (s *stage) share() {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, len(s.Token), unix.IPC_CREAT|0o600)
	if err != nil {
		return
	}
	memory, err := unix.SysvShmAttach(id, 0, 0)
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil {
		return
	}
	copy(memory, s.Token)
	s.Segment = id
	s.later(func() { _ = unix.SysvShmDetach(memory) })
}

// openTerminal makes a terminal for the sandbox's input.
func (s *stage) openTerminal() {
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	s.later(func() { keyboard.Close() })
	fd := int(keyboard.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil || unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) != nil {
		return
	}
	path := fmt.Sprintf("/dev/pts/%d", number)
	terminal, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	s.later(func() { terminal.Close() })
	if s.Terminal, err = identityOf(path); err == nil {
		s.terminal = terminal
	}
}

// input is what the sandbox gets: the terminal, if there is one.
func (s *stage) input() io.Reader {
	if s.terminal == nil {
		return bytes.NewReader(nil)
	}
	return s.terminal
}
