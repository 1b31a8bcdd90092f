package main

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// manifests are the names under which a skill's folder is asked for them.
var manifests = [...]string{"SKILL.toml", "manifest.toml", "SKILL.md"}

// floor is the least that any loader must do with a folder of skills.
type floor struct {
	Manifests int64 `json:"manifests"`
	Bytes     int64 `json:"bytes"`
}

// readFloor opens and reads every manifest below root, and does nothing with
// it. A loader without an index cannot cost less.
func readFloor(root string) (floor, error) {
	return visit(root, func(path string) (int64, bool) {
		data, err := os.ReadFile(path)
		return int64(len(data)), err == nil
	})
}

// statFloor only asks for every manifest's size and time. A loader that has an
// index and wants to know whether it still holds cannot cost less.
func statFloor(root string) (floor, error) {
	return visit(root, func(path string) (int64, bool) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, false
		}
		return info.Size(), true
	})
}

// visit lists root and looks at each manifest that its folders could hold, with
// one worker for each processor.
func visit(root string, look func(path string) (size int64, ok bool)) (floor, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return floor{}, err
	}
	dirs := make(chan string, len(entries))
	for _, e := range entries {
		dirs <- filepath.Join(root, e.Name())
	}
	close(dirs)
	var f floor
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for dir := range dirs {
				for _, name := range manifests {
					if size, ok := look(filepath.Join(dir, name)); ok {
						atomic.AddInt64(&f.Manifests, 1)
						atomic.AddInt64(&f.Bytes, size)
					}
				}
			}
		})
	}
	workers.Wait()
	return f, nil
}
