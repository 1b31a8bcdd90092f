package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/knackhq/knack/internal/llm/llmtest"
)

// On a narrow screen nothing runs past the edge, and keys are never cut: a key
// that cannot be read cannot be asked for.
func TestNarrowScreen(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".openclaw/openclaw.json"), `{ skills: { entries: { "long-name": { apiKey: "k", enabled: true } } } }`)
	write(t, filepath.Join(home, ".openclaw/skills/long-name/SKILL.md"),
		"---\nname: long-name\ndescription: Long\nversion: 1.2.3\nmetadata: {\"openclaw\":{\"requires\":{\"bins\":[\"no-such-program-anywhere\"]}}}\n---\nDo it.\n")
	ws := filepath.Join(home, "ws")
	if err := os.MkdirAll(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, row := range [...]struct {
		columns int
		args    []string
		want    string
	}{
		{40, []string{"doctor"}, "openclaw  1"},
		{80, []string{"doctor", "--host", "openclaw"}, "openclaw  1"},
		{40, []string{"lint", "--as", "openclaw", filepath.Join(home, ".openclaw/skills")}, "gated as"},
		{40, []string{"config", "list", "--host", "openclaw"}, "skills.install.allow_uploaded_archives"},
		{60, []string{"config", "list", "--host", "openclaw"}, "skills.entries.long-name.api_key ="},
		{40, []string{"disable", "long-name", "--host", "openclaw"}, "switched off"},
	} {
		t.Run(fmt.Sprint(row.columns, row.args[0]), func(t *testing.T) {
			lines := onScreen(t, row.columns, home, ws, "", row.args)
			if !strings.Contains(strings.Join(lines, "\n"), row.want) {
				t.Errorf("no %q in\n%s", row.want, strings.Join(lines, "\n"))
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > row.columns {
					t.Errorf("%d columns on a screen of %d: %s", n, row.columns, line)
				}
			}
		})
	}
}

var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// A person is asked about a workspace once, and the answer counts.
func TestAWorkspaceIsAskedAboutOnce(t *testing.T) {
	for answer, trust := range map[string]string{"y\n": "trusted", "n\n": "installed", "\n": "installed"} {
		home, ws := t.TempDir(), t.TempDir()
		write(t, filepath.Join(ws, ".knack/skills/tidy/SKILL.md"), "---\nname: tidy\ndescription: Tidies up\n---\nTidy.\n")
		first := strings.Join(onScreen(t, 80, home, ws, answer, []string{"prompt"}), "\n")
		if !strings.Contains(first, "brings 1 skill") || !strings.Contains(first, "tidy: Tidies up") || !strings.Contains(first, "[y/N]") {
			t.Errorf("it is not asked:\n%s", first)
		}
		again := strings.Join(onScreen(t, 80, home, ws, answer, []string{"prompt"}), "\n")
		if strings.Contains(again, "[y/N]") {
			t.Errorf("it is asked twice:\n%s", again)
		}
		if list := strings.Join(onScreen(t, 80, home, ws, "", []string{"list", "--json"}), "\n"); !strings.Contains(list, `"trust": "`+trust+`"`) {
			t.Errorf("after %q it is not %s:\n%s", answer, trust, list)
		}
	}
}

// openScreen makes a terminal of so many columns: the side of the user, and that of
// the program.
func openScreen(t *testing.T, columns int) (master, screen *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: 50})
	}
	if err != nil {
		t.Skip("cannot make a pseudo-terminal:", err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("cannot open a pseudo-terminal:", err)
	}
	return master, screen
}

// onScreen runs a command on a terminal of so many columns, on which a person
// types; without typing there is nobody to ask.
func onScreen(t *testing.T, columns int, home, dir, typed string, args []string) []string {
	t.Helper()
	master, screen := openScreen(t, columns)
	defer master.Close()
	read := make(chan []string)
	go func() {
		var lines []string
		for s := bufio.NewScanner(master); s.Scan(); { // ends when the other side is closed
			lines = append(lines, strings.TrimRight(styles.ReplaceAllString(s.Text(), ""), "\r"))
		}
		read <- lines
	}()
	var keys io.Reader = strings.NewReader("")
	if typed != "" {
		if _, err := master.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		keys = screen
	}
	Main(context.Background(), Env{
		Args: args, Environ: []string{"HOME=" + home, "PATH=/usr/bin", "TERM=xterm", "LANG=C.UTF-8"}, Dir: dir,
		Now: time.Now, Stdin: keys, Stdout: screen, Stderr: screen,
	})
	screen.Close()
	return <-read
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Whose output goes elsewhere is still asked, by the one who reads what is typed.
func TestAChatWhoseOutputIsPiped(t *testing.T) {
	c := newCommand(t, "")
	script := `
-- 1.answer --
call: file_write {"path":"one.txt","content":"1"}
-- 2.request.lacks --
was not called
-- 2.answer --
text: First.
-- 3.request.contains --
and again
-- 3.answer --
call: file_write {"path":"two.txt","content":"2"}
-- 4.answer --
text: Second.
`
	c.environ = append(c.environ, models["openai"](llmtest.Serve(t, script))...)
	master, screen := openScreen(t, 80)
	defer master.Close()
	asked := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when the other side is closed
		asked <- string(all)
	}()
	if _, err := master.WriteString("go\no\nand again\nn\n/quit\n"); err != nil {
		t.Fatal(err)
	}
	Main(t.Context(), Env{
		Args: []string{"chat"}, Environ: c.environ, Dir: filepath.Join(c.dir, "ws"), Stdin: screen, Stdout: &c.stdout, Stderr: screen, Now: time.Now,
	})
	screen.Close()
	seen, out := <-asked, c.stdout.String()
	if strings.Count(seen, "wants to call file_write") != 2 || !strings.Contains(out, "First.") || !strings.Contains(out, "Second.") {
		t.Errorf("%s\n--\n%s", seen, out)
	}
	for file, want := range map[string]bool{"one.txt": true, "two.txt": false} {
		if _, err := os.Stat(filepath.Join(c.dir, "ws", file)); (err == nil) != want {
			t.Errorf("%s: %v\n%s\n--\n%s", file, err, seen, out)
		}
	}
}
