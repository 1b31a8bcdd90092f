package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/internal/sandbox/probe"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"knack": func() {
			for _, child := range [...]func([]string) (int, bool){sandbox.Child, probe.Child} {
				if code, stage := child(os.Args); stage {
					syscall.Exit(code) // os.Exit waits a second for the race detector
				}
			}
			program, _ := os.Executable()
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			dir, _ := os.Getwd()
			code := Main(ctx, Env{
				Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Program: program, Now: time.Now, Version: "v0.0.0-test",
				Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			})
			stop()
			os.Exit(code)
		},
	})
}

// Every command is tested as its users use it: scripts in testdata/script run
// the real binary's Main in a directory of their own, with an empty home.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // each command would wait a second
			e.Setenv("USERPROFILE", home)
			e.Setenv("WS", filepath.Join(e.WorkDir, "ws"))
			for _, dir := range []string{home, filepath.Join(e.WorkDir, "ws", ".knack")} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  cmdExits,
			"json":   cmdJSON,
			"mkfifo": cmdMkfifo,
			"serve":  cmdServe,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// cmdExits runs knack and checks the exit code: exits 2 list --nonsense.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	err := ts.Exec("knack", args[1:]...)
	code := "0"
	var exit interface{ ExitCode() int }
	if e, ok := err.(interface{ ExitCode() int }); ok {
		exit = e
		code = fmt.Sprint(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("knack: %v", err)
	}
	if code != args[0] {
		ts.Fatalf("knack %s exited with %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// cmdServe starts a server on this machine for the rest of the script and puts
// its host and port into $SERVER and $PORT. It answers every request with what
// was asked, and /missing with 404.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/missing") {
			w.WriteHeader(http.StatusNotFound)
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s\n", r.Method, r.URL, body)
	}))
	ts.Defer(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	ts.Setenv("SERVER", strings.TrimPrefix(server.URL, "http://"))
	ts.Setenv("PORT", port)
}

// cmdJSON compares one value of the last command's JSON output:
// json skills.0.name weather. A list's length is at its key LEN.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("stdout is not JSON: %v", err)
	}
	got := fmt.Sprint(lookup(doc, strings.Split(args[0], ".")))
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %q, want %q (negated: %v)", args[0], got, args[1], neg)
	}
}

func lookup(doc any, path []string) any {
	for _, key := range path {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[key]
		case []any:
			if key == "LEN" {
				doc = len(v)
				continue
			}
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(v) {
				// A word selects the element whose name, key or code it is.
				doc = named(v, key)
				continue
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

func named(list []any, name string) any {
	for _, x := range list {
		if m, ok := x.(map[string]any); ok {
			for _, key := range []string{"name", "key", "code", "path"} {
				if m[key] == name {
					return m
				}
			}
		}
	}
	return nil
}
