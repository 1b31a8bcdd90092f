package durable

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"
)

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "lock")
	var inside, total atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			unlock, err := Lock(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if now := inside.Add(1); now != 1 {
				t.Errorf("%d inside", now)
			}
			total.Add(1)
			runtime.Gosched()
			inside.Add(-1)
			if err := errors.Join(unlock(), unlock()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if total.Load() != 8 {
		t.Errorf("%d of 8 came in", total.Load())
	}
}

func TestLockHonoursItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := Lock(ctx, path)
			result <- err
		}()
		synctest.Wait() // it waits for the lock
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "another process holds it") {
			t.Errorf("got %v", err)
		}
		if _, err := Lock(ctx, path); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "another process") {
			t.Errorf("cancelled from the start: got %v", err)
		}
	})
	if err := unlock(); err != nil {
		t.Error(err)
	}
	again, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	again()
}

func TestLockFailsWhereItCannotBe(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	for _, path := range []string{filepath.Join(dir, "file", "lock"), filepath.Join(dir, "nul\x00")} {
		if _, err := Lock(t.Context(), path); err == nil || strings.Contains(err.Error(), "another process") {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

// A process that dies frees its locks.
func TestLockEndsWithItsProcess(t *testing.T) {
	const child = "KNACK_TEST_LOCK"
	if path := os.Getenv(child); path != "" {
		if _, err := Lock(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("locked\n")
		select {} // until killed
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(exe, "-test.run", "^TestLockEndsWithItsProcess$")
	cmd.Env = append(os.Environ(), child+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if ok, err := flock.New(path).TryLock(); ok || err != nil {
		t.Fatalf("locked twice: %t, %v", ok, err)
	}
	cmd.Process.Kill()
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
