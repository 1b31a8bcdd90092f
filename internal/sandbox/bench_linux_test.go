package sandbox

import (
	"os/exec"
	"testing"
)

// BenchmarkStart is what a process costs that does nothing, plainly and in each
// layer. The differences are what the layers cost.
func BenchmarkStart(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), trueProgram).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, layer := range layers {
		b.Run(string(layer), func(b *testing.B) {
			box := newBox(b, layer)
			spec, _ := shell(b, "")
			spec.Argv = []string{trueProgram}
			if _, err := box.Run(b.Context(), spec); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := box.Run(b.Context(), spec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
