package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// figures are what `bench -json` prints, as far as promises are made of them.
type figures struct {
	Loads struct {
		Load   ratio `json:"load_to_read"`
		Reload ratio `json:"reload_to_stat"`
	}
	List struct {
		First struct {
			Peak int64 `json:"peak_bytes"`
		}
	}
	Start struct {
		Layers []struct {
			Name  string
			Extra int64 // nanoseconds
		}
	}
	Scale struct {
		Load   ratio `json:"load_growth"`
		Reload ratio `json:"reload_growth"`
	}
}

// ratio compares two costs by the clock and by the processors' time.
type ratio struct{ Wall, CPU float64 }

// measureSpeed checks the figures of the parts that were measured. What the
// clock says counts; for growth the better of clock and processor does, since
// a hundred thousand folders no longer fit the caches of the machine itself.
// parts are those that were measured; a figure of theirs that is missing fails.
func measureSpeed(file, parts string) {
	data, err := os.ReadFile(file)
	check(err)
	var f figures
	check(json.Unmarshal(data, &f))
	peak := float64(f.List.First.Peak) / (1 << 20)
	met := true
	strongest := 0.0
	if len(f.Start.Layers) > 0 {
		strongest = float64(f.Start.Layers[0].Extra) / 1e6
	}
	for _, row := range [...]struct {
		part, what  string
		value, most float64
		unit        string
	}{
		{"load", "load", f.Loads.Load.Wall, 2.5, "× reading the manifests"},
		{"reload", "reload from the index", f.Loads.Reload.Wall, 2.5, "× asking for them"},
		{"list", "list --json", peak, 60, "MiB at the peak"},
		{"start", "starting contained, at the median", strongest, 30, "ms more than plainly"},
		{"scale", "load per skill at 100,000", min(f.Scale.Load.Wall, f.Scale.Load.CPU), 1.5, "× that at 2,500"},
		{"scale", "reload per skill at 100,000", min(f.Scale.Reload.Wall, f.Scale.Reload.CPU), 1.5, "× that at 2,500"},
	} {
		if !slices.Contains(strings.Split(parts, ","), row.part) {
			continue
		}
		fmt.Printf("%s: %.2f %s (at most %.1f)\n", row.what, row.value, row.unit, row.most)
		met = met && row.value > 0 && row.value <= row.most
	}
	if !met {
		fail("not met")
	}
}
