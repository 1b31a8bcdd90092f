package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(f *factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  argCount(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return f.printJSON(map[string]string{
					"version": f.version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(f.env.Stdout, "knack %s (%s, %s/%s)\n", f.version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// version is the release, or what the build knows of itself.
func (f *factory) version() string {
	if f.env.Version != "" {
		return f.env.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

// build tells two builds apart even when both are of no release: an index that
// one made may not suit the other.
func (f *factory) build() string {
	build := f.version()
	if st, err := os.Stat(f.env.Program); err == nil {
		build = fmt.Sprintf("%s %d %d", build, st.Size(), st.ModTime().UnixNano())
	}
	return build
}
