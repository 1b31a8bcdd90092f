package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// victim is the argument that makes this binary run a program that never ends,
// for somebody who kills it meanwhile.
const victim = "__victim"

// unprivileged is set where the tests run once more, as a user who is not root.
const unprivileged = "SANDBOX_TEST_UNPRIVILEGED"

func TestMain(m *testing.M) {
	if code, stage := Child(os.Args); stage {
		syscall.Exit(code) // os.Exit waits a second where races are looked for
	}
	if len(os.Args) == 5 && os.Args[1] == victim {
		beVictim(Layer(os.Args[2]), os.Args[3], os.Args[4])
	}
	if len(os.Args) == 4 && os.Args[1] == replaced {
		beReplaced(Layer(os.Args[2]), os.Args[3])
	}
	os.Exit(m.Run())
}

func newBox(tb testing.TB, layer Layer) *Box {
	tb.Helper()
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return New(Options{Program: program, Layer: layer, Path: "/usr/local/bin:/usr/bin:/bin"})
}

// eachLayer runs a test in every layer that works here.
func eachLayer(t *testing.T, test func(t *testing.T, b *Box, layer Layer)) {
	for _, layer := range layers {
		t.Run(string(layer), func(t *testing.T) {
			b := newBox(t, layer)
			for _, status := range b.Layers(t.Context()) {
				if status.Layer == layer && !status.Works {
					t.Skip(status.Why)
				}
			}
			test(t, b, layer)
		})
	}
}

// shell is a spec for a script, in a workspace of its own.
func shell(tb testing.TB, script string, args ...string) (Spec, string) {
	ws := tb.TempDir()
	return Spec{
		Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: []string{"PATH=/usr/bin:/bin"}, Dir: ws, Write: []string{ws},
	}, ws
}

// output runs a spec and returns what it printed.
func output(t *testing.T, b *Box, spec Spec) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	spec.Stdout, spec.Stderr = &out, &out
	result, err := b.Run(t.Context(), spec)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), result
}

// Where nothing contains, the other tests would prove nothing.
func TestSomeLayerContains(t *testing.T) {
	contains, limits := false, false
	for _, status := range newBox(t, "").Layers(t.Context()) {
		t.Logf("%+v", status)
		contains = contains || status.Works && status.Layer.Contains()
		limits = limits || status.Works && status.Layer == Limits
	}
	if !contains || !limits {
		t.Error("the layers that work here are too few")
	}
}

func TestProgramsRun(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		read := t.TempDir()
		if err := os.WriteFile(filepath.Join(read, "given"), []byte("given\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, script, want string
			exit               int
			signal             string
			stdin              string
		}{
			{name: "prints", script: "echo out; echo err >&2", want: "out\nerr\n"},
			{name: "reads what it was given", script: `cat "$1/given"`, want: "given\n"},
			{name: "writes the workspace", script: "echo new >f && mkdir -p a/b && mv f a/b/g && cat a/b/g", want: "new\n"},
			{name: "has a tmp", script: `echo t >"$TMPDIR/x" && cat "$HOME/x"`, want: "t\n"},
			{name: "exits", script: "exit 42", exit: 42},
			{name: "dies by a signal", script: "kill -TERM $$", exit: -1, signal: "terminated"},
			{name: "reads its input", script: "wc -c", stdin: strings.Repeat("x", 300_000), want: "300000\n"},
			{name: "has an empty input", script: "wc -c", want: "0\n"},
			{name: "has devices", script: "head -c 3 /dev/zero | wc -c; echo gone >/dev/null", want: "3\n"},
			{name: "reaps", script: "(true &) ; (true &) ; true | true; sleep 0.05; echo ok", want: "ok\n"},
			{name: "packs and copies", script: "mkdir a && echo x >a/f && chmod 750 a && tar cf t a && rm -r a && tar xf t && cp -a a b && install -m 755 b/f g && cat g", want: "x\n"},
			{name: "makes pipes of names", script: "mkfifo p; echo through >p & cat p", want: "through\n"},
		} {
			t.Run(c.name, func(t *testing.T) {
				spec, _ := shell(t, c.script, read)
				spec.Read = []string{read}
				if c.stdin != "" {
					spec.Stdin = strings.NewReader(c.stdin)
				}
				got, result := output(t, b, spec)
				want := Result{Exit: c.exit, Signal: c.signal, Report: result.Report}
				if diff := cmp.Diff(want, result); diff != "" || got != c.want {
					t.Errorf("printed %q\n%s", got, diff)
				}
				if result.Report.Layer != layer {
					t.Errorf("layer %s", result.Report.Layer)
				}
				if diff := cmp.Diff(result.Report, b.Expect(t.Context(), spec)); diff != "" {
					t.Errorf("expected otherwise: %s", diff)
				}
			})
		}
	})
}

func TestStreams(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		spec, _ := shell(t, "head -c 5000000 /dev/zero; echo done >&2")
		var out, errs bytes.Buffer
		spec.Stdout, spec.Stderr = &out, &errs
		result, err := b.Run(t.Context(), spec)
		if err != nil || result.Exit != 0 || out.Len() != 5_000_000 || errs.String() != "done\n" {
			t.Errorf("%+v, %v, %d bytes, %q", result, err, out.Len(), errs.String())
		}
		// A reader that never ends does not hold the process up.
		spec, _ = shell(t, "exit 7")
		r, w := io.Pipe()
		defer w.Close()
		spec.Stdin = r
		if result, err := b.Run(t.Context(), spec); err != nil || result.Exit != 7 {
			t.Errorf("%+v, %v", result, err)
		}
		// Nor does a daemon that holds the output.
		spec, _ = shell(t, "(setsid sleep 1000 &) ; echo here")
		spec.Stdout = &out
		out.Reset()
		if result, err := b.Run(t.Context(), spec); err != nil || result.Exit != 0 || out.String() != "here\n" {
			t.Errorf("%+v, %v, %q", result, err, out.String())
		}
	})
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Setenv("SANDBOX_TEST_SECRET", "secret")
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		spec, ws := shell(t, "")
		spec.Argv = []string{"env"}
		spec.Env = []string{"PATH=/usr/bin:/bin", "A=b c", "HOME=/root"}
		got, _ := output(t, b, spec)
		want := "PATH=/usr/bin:/bin\nA=b c\nHOME=/tmp\nTMPDIR=/tmp\n"
		if layer == Landlock || layer == Limits {
			_, tmp, _ := strings.Cut(got, "TMPDIR=")
			want = strings.ReplaceAll(want, "=/tmp", "="+strings.TrimSpace(tmp))
			if _, err := os.Stat(strings.TrimSpace(tmp)); err == nil {
				t.Errorf("%s is left", tmp)
			}
		}
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		spec.Argv = []string{"pwd"}
		if got, _ := output(t, b, spec); got != ws+"\n" {
			t.Errorf("in %q, not %s", got, ws)
		}
	})
}

func TestNoDescriptorsButStreams(t *testing.T) {
	// One that is inherited on purpose, as from a careless parent.
	fd, err := syscall.Open("/", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		spec, _ := shell(t, `for n in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			if [ "$n" -ge 10 ]; then [ -e "/dev/fd/$n" ] && echo "$n is open"; else (eval ": <&$n") 2>/dev/null && echo "$n is open"; fi; done; true`)
		if got, _ := output(t, b, spec); got != "" {
			t.Error(got)
		}
	})
}

func TestNothingOutsideIsTouched(t *testing.T) {
	secret := t.TempDir()
	if err := os.WriteFile(filepath.Join(secret, "key"), []byte("private"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"reads":                 `cat "$1/key"`,
		"lists":                 `ls "$1"`,
		"writes":                `echo x >"$1/new"`,
		"changes":               `echo x >"$1/key"`,
		"deletes":               `rm "$1/key"`,
		"changes rights":        `chmod 777 "$1/key" 2>/dev/null; [ "$(stat -c %a "$1/key" 2>/dev/null)" = 777 ]`,
		"reads through a link":  `ln -s "$1/key" l && cat l`,
		"writes through a link": `ln -s "$1" l && echo x >l/new`,
		"reads shadow":          `[ -n "$(cat /etc/shadow 2>/dev/null)" ]`,
		"reads its parent":      `[ -n "$(tr '\0' ' ' </proc/$PPID/environ 2>/dev/null)" ]`,
		"writes the kernel":     `echo x 2>/dev/null >>/proc/sys/kernel/domainname`,
		"writes system":         `echo x 2>/dev/null >/usr/sandbox-test`,
	} {
		eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
			if !layer.Contains() {
				t.Skip("nothing is contained")
			}
			t.Run(name, func(t *testing.T) {
				spec, _ := shell(t, script, secret)
				spec.Contained = true
				if got, result := output(t, b, spec); result.Exit == 0 {
					t.Errorf("it can: %s", got)
				}
				data, err := os.ReadFile(filepath.Join(secret, "key"))
				if entries, _ := os.ReadDir(secret); err != nil || string(data) != "private" || len(entries) != 1 {
					t.Fatal("it did")
				}
			})
		})
	}
}

func TestKeptPlaces(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() {
			t.Skip("nothing is contained")
		}
		for name, script := range map[string]string{
			"write":                `echo x >.git/config`,
			"append":               `echo x >>.git/config`,
			"delete":               `rm .git/config`,
			"add":                  `echo x >.git/hooks/new`,
			"rename":               `mv .git git`,
			"rename a parent":      `mv deep elsewhere && mkdir -p deep/down/kept && echo x >deep/down/kept/evil`,
			"write a parent":       `echo x >deep/down/kept/evil`,
			"hard link":            `ln .git/config alias && echo x >alias`,
			"make":                 `mkdir absent && echo x >absent/f`,
			"make a file":          `echo x >absent/f`,
			"make a link":          `ln -sfn /tmp absent && [ -L absent ]`,
			"rename to":            `mkdir other && mv -T other absent && echo x >absent/f`,
			"remove and make":      `rmdir absent; echo x >absent`,
			"make in between":      `mkdir -p none/such && echo x >none/such/place`,
			"write a kept file":    `echo x >lock`,
			"write through a link": `echo x >link/down/f`,
			"write a link's goal":  `echo x >goal/down/f`,
			"rename the goal":      `mv goal elsewhere && mkdir -p goal/down && echo x >goal/down/f`,
			"replace it":           `echo x >lock2 && mv lock2 lock`,
		} {
			t.Run(name, func(t *testing.T) {
				spec, ws := shell(t, script)
				if err := os.Symlink("goal", filepath.Join(ws, "link")); err != nil {
					t.Fatal(err)
				}
				for _, dir := range []string{".git/hooks", "deep/down/kept", "sub", "goal/down"} {
					if err := os.MkdirAll(filepath.Join(ws, dir), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				for _, file := range []string{".git/config", "lock"} {
					if err := os.WriteFile(filepath.Join(ws, file), []byte("kept"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				for _, keep := range []string{".git", "absent", "none/such/place", "deep/down/kept", "lock", "link/down"} {
					spec.Keep = append(spec.Keep, filepath.Join(ws, keep))
				}
				spec.Contained = true
				before := tree(t, ws)
				got, result := output(t, b, spec)
				if result.Exit == 0 {
					t.Errorf("it can: %s", got)
				}
				after := tree(t, ws)
				for _, ours := range []string{"other", "lock2"} {
					delete(after, ours)
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Error(diff)
				}
				spec.Argv = []string{"sh", "-c", "echo y >sub/f && cat .git/config"}
				if got, result := output(t, b, spec); result.Exit != 0 || got != "kept" {
					t.Errorf("%+v %s", result, got)
				}
			})
		}
	})
}

// A link on the way to what is kept stays, where the kernel can hold it.
func TestKeptLinks(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() {
			t.Skip("nothing is contained")
		}
		for _, script := range []string{"rm link", "mv link other", "ln -sfn /tmp link", "rm link && mkdir link"} {
			spec, ws := shell(t, script)
			if err := os.MkdirAll(filepath.Join(ws, "goal"), 0o755); err != nil {
				t.Fatal(err)
			}
			for from, to := range map[string]string{"link": "goal", "round": "about", "about": "round"} {
				if err := os.Symlink(to, filepath.Join(ws, from)); err != nil {
					t.Fatal(err)
				}
			}
			spec.Keep = []string{filepath.Join(ws, "link", "x"), filepath.Join(ws, "round", "x")}
			spec.Contained = true
			got, result := output(t, b, spec)
			to, err := os.Readlink(filepath.Join(ws, "link"))
			stays := result.Exit != 0 && err == nil && to == "goal"
			told := strings.Contains(strings.Join(result.Report.Weak, "\n"), replaceable(filepath.Join(ws, "link")))
			if stays == told {
				t.Errorf("%s: stays %v, told otherwise %v: %s", script, stays, told, got)
			}
		}
	})
}

// A workspace may be reached by a link.
func TestLinkedWorkspace(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		spec, ws := shell(t, "echo x 2>/dev/null >absent/f; echo y >sub/f && pwd -L && cat sub/f")
		if err := os.Mkdir(filepath.Join(ws, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(ws, link); err != nil {
			t.Fatal(err)
		}
		spec.Dir, spec.Write, spec.Keep = link, []string{link}, []string{filepath.Join(link, "absent")}
		spec.Contained = layer.Contains()
		if got, result := output(t, b, spec); result.Exit != 0 || !strings.HasSuffix(got, "y\n") {
			t.Errorf("%q %+v", got, result)
		}
		if _, err := os.Lstat(filepath.Join(ws, "absent")); err == nil {
			t.Error("it was made")
		}
	})
}

// tree is what is below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		out[rel] = d.Type().String()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			out[rel] += " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What somebody who was killed left reserved is removed by the next, in any
// layer; what somebody still holds, what is not empty, and what only looks alike
// stay.
func TestLeftReserved(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		ws := t.TempDir()
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(ws, link); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"left", "held", "full", "kept"} {
			if err := os.Mkdir(filepath.Join(ws, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(ws, "full", "f"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"left", "held", "full"} {
			if err := os.Chmod(filepath.Join(ws, name), os.ModeSticky|0o555); err != nil {
				t.Fatal(err)
			}
		}
		held, err := os.Open(filepath.Join(ws, "held"))
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		if err := syscall.Flock(int(held.Fd()), syscall.LOCK_SH); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Argv: []string{trueProgram}, Dir: link, Write: []string{link}}
		for _, name := range []string{"left", "held", "full", "kept"} {
			spec.Keep = append(spec.Keep, filepath.Join(link, name))
		}
		output(t, b, spec)
		entries, _ := os.ReadDir(ws)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if diff := cmp.Diff([]string{"full", "held", "kept"}, got); diff != "" {
			t.Error(diff)
		}
		if err := os.Chmod(filepath.Join(ws, "full"), 0o755); err != nil {
			t.Error(err) // so that it can be removed
		}
	})
}

// A workspace that is shared keeps what is reserved until the last is done.
func TestReservedBySeveral(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if layer == Landlock || layer == Limits {
			t.Skip("nothing is reserved")
		}
		ws := t.TempDir()
		spec := Spec{
			Argv: []string{"sh", "-c", "for i in 1 2 3; do echo x 2>/dev/null >absent/f && exit 1; sleep 0.01; done; exit 0"},
			Env:  []string{"PATH=/usr/bin:/bin"}, Dir: ws, Write: []string{ws}, Keep: []string{filepath.Join(ws, "absent")},
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 3 {
					if result, err := b.Run(t.Context(), spec); err != nil || result.Exit != 0 {
						t.Errorf("%+v, %v", result, err)
					}
				}
			})
		}
		all.Wait()
		if entries, _ := os.ReadDir(ws); len(entries) != 0 {
			t.Errorf("%v is left", entries)
		}
	})
}

// endless is an argument by which a process can be found.
func endless() string {
	return strconv.FormatInt(100_000+time.Now().UnixNano()%1_000_000_000, 10)
}

// alive lists processes with an argument.
func alive(arg string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for _, a := range strings.Split(string(data), "\x00") {
			if a == arg {
				out = append(out, f+": "+strings.ReplaceAll(string(data), "\x00", " "))
			}
		}
	}
	return out
}

// daemons leaves processes of every sort behind.
const daemons = `
sleep "$1" &
(setsid sleep "$1" &)
setsid sh -c 'trap "" TERM HUP INT; (setsid sleep "$1" </dev/null >/dev/null 2>&1 &) ; exec sleep "$1"' sh "$1" &
nohup sleep "$1" >/dev/null 2>&1 &
`

func TestNothingOutlives(t *testing.T) {
	runs := 3
	if n, err := strconv.Atoi(os.Getenv("SANDBOX_TEST_RUNS")); err == nil {
		runs = n
	}
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		files := openFiles(t)
		for range runs {
			for _, end := range []string{"exit 0", "sleep \"$1\""} {
				arg := endless()
				spec, _ := shell(t, daemons+"echo ready\n"+end, arg)
				ctx, cancel := context.WithCancel(t.Context())
				r, w := io.Pipe()
				go func() {
					buf := make([]byte, 6)
					_, _ = io.ReadFull(r, buf)
					cancel()
					_, _ = io.Copy(io.Discard, r)
				}()
				spec.Stdout = w
				result, err := b.Run(ctx, spec)
				cancel()
				w.Close()
				if err != nil {
					t.Fatal(err)
				}
				if left := alive(arg); len(left) > 0 {
					t.Fatalf("%s: %d processes are left: %v", end, len(left), left)
				}
				if end != "exit 0" && (!result.TimedOut || result.Exit != -1) {
					t.Errorf("%+v", result)
				}
			}
		}
		if now := openFiles(t); now > files {
			t.Errorf("%d files open, %d before", now, files)
		}
		nothingLeft(t)
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// nothingLeft finds control groups and children of this process.
func nothingLeft(t *testing.T) {
	t.Helper()
	for _, h := range hierarchies() {
		if left, _ := filepath.Glob(filepath.Join(h.dir, groupName()+"*")); len(left) > 0 {
			t.Errorf("control groups are left: %v", left)
		}
	}
	if n := descendants("self", func(int) {}); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// beVictim runs a program that does not end.
func beVictim(layer Layer, ws, arg string) {
	program, _ := os.Executable()
	b := New(Options{Program: program, Layer: layer, Path: "/usr/bin"})
	_, err := b.Run(context.Background(), Spec{
		Argv: []string{"sh", "-c", daemons + "touch ready; exec sleep \"$1\"", "sh", arg},
		Env:  []string{"PATH=/usr/bin:/bin"}, Dir: ws, Write: []string{ws}, Keep: []string{filepath.Join(ws, "absent")},
	})
	fmt.Println("unexpectedly ended:", err)
	os.Exit(1)
}

func TestKilledParentLeavesNothing(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		ws, arg := t.TempDir(), endless()
		cmd := exec.CommandContext(t.Context(), program, victim, string(layer), ws, arg)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		within(t, "the program to start", func() bool {
			_, err := os.Stat(filepath.Join(ws, "ready"))
			return err == nil
		})
		if len(alive(arg)) < 3 {
			t.Fatal("the program does not run")
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		within(t, "all processes to end", func() bool { return len(alive(arg)) == 0 })
		if layer == Bubblewrap {
			// Nobody is left to do it; the next who runs something there does.
			output(t, b, Spec{Argv: []string{trueProgram}, Dir: ws, Write: []string{ws}, Keep: []string{filepath.Join(ws, "absent")}})
		}
		within(t, "the workspace to be as it was", func() bool {
			_, err := os.Stat(filepath.Join(ws, "absent"))
			return errors.Is(err, os.ErrNotExist)
		})
		removeStale(hierarchies())
	})
}

// within waits for something that takes milliseconds.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

func TestProxy(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	other := strconv.Itoa(outside.Addr().(*net.TCPAddr).Port)
	const script = `
import os, socket, sys
port = int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1])
assert os.environ["https_proxy"] == os.environ["HTTP_PROXY"] and os.environ["NO_PROXY"] == ""
s = socket.create_connection(("127.0.0.1", port)); s.sendall(b"hello\n"); print(s.makefile().readline().strip())
def fails(what, f):
    try: f()
    except OSError: return
    print(what)
fails("loopback of the host", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2))
fails("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
fails("unix", lambda: socket.socket(socket.AF_UNIX))
fails("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
socket.socketpair()
`
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
			t.Skip("no python3")
		}
		spec, _ := shell(t, "")
		spec.Argv = []string{"python3", "-c", script, other}
		ended := make(chan struct{})
		spec.Proxy = func(l net.Listener) {
			defer close(ended)
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				buf := make([]byte, 64)
				n, _ := c.Read(buf)
				_, _ = c.Write([]byte("proxy heard " + string(buf[:n])))
				c.Close()
			}
		}
		want := "proxy heard hello\n"
		if layer == Limits {
			want += "loopback of the host\nudp\nunix\nnetlink\n"
		}
		if got, result := output(t, b, spec); got != want || result.Exit != 0 {
			t.Errorf("%q %+v", got, result)
		}
		select {
		case <-ended:
		default:
			t.Error("the proxy is still there")
		}
		spec.Contained, spec.Proxy, spec.Argv = true, func(net.Listener) {}, []string{"true"}
		_, err := b.Run(t.Context(), spec)
		refused := layer == Landlock || layer == Limits
		if errors.Is(err, ErrUncontained) != refused {
			t.Errorf("contained: %v", err)
		}
	})
}

func TestNoNetwork(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() {
			t.Skip("nothing is contained")
		}
		spec, _ := shell(t, "")
		spec.Argv = []string{"python3", "-c", `
import socket
for f in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK):
    for k in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try: socket.socket(f, k); print(f, k)
        except OSError: pass
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1).decode())`}
		if got, _ := output(t, b, spec); got != "x\n" {
			t.Error(got)
		}
	})
}

func TestContainedIsRefusedByLimits(t *testing.T) {
	spec, _ := shell(t, "true")
	spec.Contained = true
	for _, b := range []*Box{newBox(t, Limits), New(Options{})} {
		if _, err := b.Run(t.Context(), spec); !errors.Is(err, ErrUncontained) {
			t.Errorf("%v", err)
		}
		if r := b.Expect(t.Context(), spec); r.Layer != "" || len(r.Weak) != 1 {
			t.Errorf("%+v", r)
		}
	}
}

func TestWithoutStages(t *testing.T) {
	b := New(Options{})
	spec, _ := shell(t, `echo "$A"; cat; exit 3`)
	spec.Env = append(spec.Env, "A=b")
	spec.Stdin = strings.NewReader("in")
	got, result := output(t, b, spec)
	if got != "b\nin" || result.Exit != 3 || result.Report.Layer != Limits || len(result.Report.Weak) == 0 {
		t.Errorf("%q %+v", got, result)
	}
	if diff := cmp.Diff(result.Report, b.Expect(t.Context(), spec)); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	spec, _ = shell(t, `sleep "$1" & sleep "$1"`, endless())
	result, err := b.Run(ctx, spec)
	if err != nil || !result.TimedOut || result.Signal != "killed" {
		t.Errorf("%+v %v", result, err)
	}
	within(t, "the group to end", func() bool { return len(alive(spec.Argv[4])) == 0 })
}

func TestBounds(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		for _, c := range []struct {
			name   string
			bounds Bounds
			argv   []string
		}{
			{"memory", Bounds{Memory: 128 << 20}, []string{"python3", "-c", "x = bytearray(256 << 20)"}},
			{"file size", Bounds{FileSize: 1 << 20}, []string{"sh", "-c", "head -c 2000000 /dev/zero >big"}},
			{"files", Bounds{Files: 16}, []string{"python3", "-c", "f = [open('/dev/null') for _ in range(32)]"}},
			{"processes", Bounds{Processes: 16}, []string{"python3", "-c", `
import os, time
for _ in range(64):
    if os.fork() == 0:
        time.sleep(5); os._exit(0)
time.sleep(1)
`}},
			{"processor time", Bounds{CPU: time.Second}, []string{"sh", "-c", "while :; do :; done"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				spec, _ := shell(t, "")
				spec.Argv, spec.Bounds = c.argv, c.bounds
				if got, result := output(t, b, spec); result.Exit == 0 {
					t.Errorf("%+v\n%s", result, got)
				}
			})
		}
	})
}

func TestTmpIsBounded(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if layer == Landlock || layer == Limits {
			t.Skip("it says so")
		}
		spec, _ := shell(t, "head -c 3000000 /dev/zero >/tmp/a; head -c 3000000 /dev/zero >/dev/shm/b")
		spec.Bounds.Tmp = 4 << 20
		if got, result := output(t, b, spec); result.Exit == 0 {
			t.Error(got)
		}
	})
}

func TestSystemCallsAreRefused(t *testing.T) {
	const script = `
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def call(want, *args):
    ctypes.set_errno(0)
    if libc.syscall(*[ctypes.c_long(a) for a in args]) != -1 or ctypes.get_errno() != want:
        print(args, errno.errorcode.get(ctypes.get_errno()))
def unshare(flags):
    ctypes.set_errno(0)
    if libc.unshare(flags) != -1: print("unshare", flags)
unshare(0x10000000); unshare(0x20000)
ctypes.set_errno(0)
if libc.ptrace(0, 0, 0, 0) != -1: print("ptrace")
if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) != -1: print("mount")
if libc.personality(0x40000) != -1: print("personality")
if libc.personality(0xffffffff) == -1: print("no personality")
if libc.chroot(b"/tmp") != -1: print("chroot")
if os.uname().machine == "x86_64":
    call(errno.EPERM, 425, 8, 0)           # io_uring_setup
    call(errno.ENOSYS, 435, 0, 0)          # clone3
    call(errno.EPERM, 56, 0x10000000 | 17, 0) # clone with a user namespace
    call(errno.ENOSYS, 0x40000000 | 39)    # getpid of x32
    call(errno.EPERM, 16, 0, 0x5412, 0)    # TIOCSTI
    call(errno.EPERM, 321, 0, 0, 0)        # bpf
    call(errno.EPERM, 250, 0, 0, 0)        # keyctl
    call(errno.EPERM, 310, 1, 0, 0, 0, 0, 0) # process_vm_readv
    call(errno.ENOSYS, 437, -100, 0, 0, 0) # openat2
os.close(os.dup(0)); import threading
t = threading.Thread(target=lambda: None); t.start(); t.join()
`
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() {
			t.Skip("nothing is contained")
		}
		spec, _ := shell(t, "")
		spec.Argv = []string{"python3", "-c", script}
		if got, result := output(t, b, spec); got != "" || result.Exit != 0 {
			t.Errorf("%+v\n%s", result, got)
		}
	})
}

func TestSignalsStayInside(t *testing.T) {
	sleeper := exec.CommandContext(t.Context(), "sleep", "1000")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		if !layer.Contains() || layer == Landlock && landlockABI() < 6 {
			t.Skip("they do not")
		}
		spec, _ := shell(t, `kill -0 "$1" || kill -TERM "$1" "$PPID"; kill -KILL "$PPID" 2>/dev/null; echo still here`, strconv.Itoa(sleeper.Process.Pid))
		got, result := output(t, b, spec)
		if !strings.HasSuffix(got, "still here\n") || result.Exit != 0 {
			t.Errorf("%q %+v", got, result)
		}
		if err := sleeper.Process.Signal(syscall.Signal(0)); err != nil {
			t.Error(err)
		}
	})
}

func TestFailuresToStart(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		files := openFiles(t)
		for name, change := range map[string]func(*Spec){
			"no program":       func(s *Spec) { s.Argv = nil },
			"unknown program":  func(s *Spec) { s.Argv = []string{"no-such-program"} },
			"missing program":  func(s *Spec) { s.Argv = []string{"/no/such/program"} },
			"not a program":    func(s *Spec) { s.Argv = []string{"/usr"} },
			"missing folder":   func(s *Spec) { s.Dir = "/no/such/folder" },
			"relative folder":  func(s *Spec) { s.Dir = "x" },
			"relative write":   func(s *Spec) { s.Write = []string{"x"} },
			"zero in argument": func(s *Spec) { s.Argv = append(s.Argv, "a\x00b") },
			"no variable":      func(s *Spec) { s.Env = append(s.Env, "X") },
		} {
			t.Run(name, func(t *testing.T) {
				spec, _ := shell(t, "true")
				change(&spec)
				if result, err := b.Run(t.Context(), spec); err == nil {
					t.Errorf("%+v", result)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		spec, _ := shell(t, "true")
		if _, err := b.Run(ctx, spec); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if now := openFiles(t); now > files {
			t.Errorf("%d files open, %d before", now, files)
		}
		nothingLeft(t)
	})
}

func TestConcurrentRuns(t *testing.T) {
	eachLayer(t, func(t *testing.T, b *Box, _ Layer) {
		var all sync.WaitGroup
		for i := range 8 {
			spec, _ := shell(t, `echo "$1" >f; cat f; exit "$1"`, strconv.Itoa(i))
			var out bytes.Buffer
			spec.Stdout = &out
			all.Go(func() {
				result, err := b.Run(t.Context(), spec)
				if err != nil || result.Exit != i || out.String() != strconv.Itoa(i)+"\n" {
					t.Errorf("%d: %+v, %v, %q", i, result, err, out.String())
				}
			})
		}
		all.Wait()
	})
}

// Somebody who starts a stage by hand gets an error, and nothing happens.
func TestStageByHand(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, stageWord)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), errNoParent.Error()) {
		t.Errorf("%v: %s", err, out)
	}
	for _, args := range [][]string{nil, {"x"}, {"x", "list"}, {"x", stageWord, "more"}} {
		if code, stage := Child(args); code != 0 || stage {
			t.Errorf("%q is a stage", args)
		}
	}
}

// Root works in the folder of another user as that user.
func TestRootBecomesTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root only")
	}
	eachLayer(t, func(t *testing.T, b *Box, layer Layer) {
		spec, ws := shell(t, "id -u; echo x >f; stat -c %u f; echo y >>theirs && cat theirs")
		if err := os.WriteFile(filepath.Join(ws, "theirs"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{ws, filepath.Join(ws, "theirs")} {
			if err := os.Chown(path, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		want := "12345\n12345\ny\n"
		if layer == Limits {
			want = "0\n0\ny\n"
		}
		if layer == Bubblewrap {
			t.Skip("the test's folder cannot be reached by others")
		}
		if got, result := output(t, b, spec); got != want {
			t.Errorf("%q %+v", got, result)
		}
	})
}

// The same tests hold for a user who is not root.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root only")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "unprivileged-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "sandbox.test")
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, copied} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), copied, "-test.v", "-test.failfast")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), unprivileged+"=1", "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("--- PASS: TestProgramsRun/namespaces")) {
		t.Logf("namespaces did not run\n%s", out)
	}
}
