package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/term"
)

type configOptions struct {
	json  bool
	local bool
	host  bool
}

// target is the file that the user means.
func (opt *configOptions) target() knack.Target {
	switch {
	case opt.host:
		return knack.HostsOwn
	case opt.local:
		return knack.Workspace
	default:
		return knack.User
	}
}

func newConfig(f *factory) *cobra.Command {
	var opt configOptions
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Read and change settings.

Knack reads config.toml in its home and .knack/config.toml in the workspace;
then KNACK_HOST, KNACK_AGENT and KNACK_LOG; then flags. The later wins. With
--host the configuration of that system counts too, below all of these. config
list shows every value and where it came from.`,
		Example: `  knack config list
  knack config set skills.entries.weather.enabled false
  knack config set browser.enabled true       # for skills that require it
  knack config unset skills.excluded
  knack config set --host NAME --write-host skills.load.watch false`,
		Args: cobra.ArbitraryArgs,
		RunE: orUnknown,
	}
	list := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List every setting and where it came from",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runConfigList(cmd.Context(), f, opt) },
	}
	get := &cobra.Command{
		Use: "get KEY", Short: "Print one setting",
		Args: argCount(1, 1, "one key"),
		RunE: func(cmd *cobra.Command, args []string) error { return runConfigGet(cmd.Context(), f, opt, args[0]) },
	}
	set := &cobra.Command{
		Use: "set KEY VALUE", Short: "Write one setting",
		Long: "Write one setting. Comments and order of the file stay as they are. A list is written as a,b or [\"a\", \"b\"].",
		Args: argCount(2, 2, "a key and a value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			value := args[1]
			return runConfigSet(cmd.Context(), f, opt, args[0], func(e *knack.Engine) error {
				if s, _ := e.Setting(args[0]); s.Type == "directories" || s.Type == "directory" {
					value = f.absDirs(value)
				}
				return e.Set(cmd.Context(), opt.target(), args[0], value)
			})
		},
	}
	unset := &cobra.Command{
		Use: "unset KEY", Short: "Remove one setting",
		Args: argCount(1, 1, "one key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigSet(cmd.Context(), f, opt, args[0], func(e *knack.Engine) error {
				return e.Unset(cmd.Context(), opt.target(), args[0])
			})
		},
	}
	path := &cobra.Command{
		Use: "path", Short: "Print the configuration file's path",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := f.engine(cmd.Context())
			if err != nil {
				return err
			}
			file := engine.ConfigFile(opt.target())
			switch {
			case file == "":
				return noConfigPath(engine, opt.target())
			case opt.json:
				return f.printJSON(map[string]string{"path": file})
			}
			fmt.Fprintln(f.env.Stdout, file)
			return nil
		},
	}
	for _, c := range []*cobra.Command{list, get, set, unset, path} {
		c.Flags().BoolVar(&opt.json, "json", false, "print JSON")
	}
	for _, c := range []*cobra.Command{set, unset, path} {
		c.Flags().BoolVar(&opt.local, "local", false, "the workspace's file instead of the one in Knack's home")
		c.Flags().BoolVar(&opt.host, "write-host", false, "the host's own file instead of Knack's")
		c.PreRunE = func(*cobra.Command, []string) error {
			if opt.local && opt.host {
				return &usageError{err: errors.New("--local and --write-host exclude each other")}
			}
			return nil
		}
	}
	cmd.AddCommand(list, get, set, unset, path)
	return cmd
}

func runConfigList(ctx context.Context, f *factory, opt configOptions) error {
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	settings := engine.Settings()
	if opt.json {
		return f.printJSON(map[string]any{"settings": settings, "diagnostics": nonNil(engine.Diagnostics())})
	}
	f.printSettings(settings)
	f.printDiagnostics(engine.Diagnostics())
	return nil
}

// printSettings shows a table where there is room for one: a key that is cut
// cannot be asked for.
func (f *factory) printSettings(settings []knack.Setting) {
	const gaps = 4
	out := f.stdout()
	table := term.Table{Headers: []string{"KEY", "VALUE", "FROM"}, Wrap: true}
	var widest [3]int
	for _, s := range settings {
		row := []string{term.Clean(s.Key), term.Clean(s.Value), f.origin(s)}
		table.Rows = append(table.Rows, row)
		for i, cell := range row {
			widest[i] = max(widest[i], term.Width(cell))
		}
	}
	if !out.TTY() || widest[0]+widest[1]+widest[2]+gaps <= out.Columns() {
		out.Table(table)
		return
	}
	for _, row := range table.Rows {
		if term.Width(row[0]+" = "+row[1]+"  "+row[2]) <= out.Columns() {
			fmt.Fprintf(f.env.Stdout, "%s = %s  %s\n", row[0], row[1], out.Dim(row[2]))
			continue
		}
		fmt.Fprintf(f.env.Stdout, "%s =\n    %s\n    %s\n", row[0], wrap(out, row[1], 4), out.Dim(wrap(out, row[2], 4)))
	}
}

// origin says where a value came from, in words.
func (f *factory) origin(s knack.Setting) string {
	switch {
	case s.File != "" && s.Line > 0:
		return fmt.Sprintf("%s:%d", f.short(s.File), s.Line)
	case s.File != "":
		return f.short(s.File)
	case s.Name != "":
		return s.Layer + " " + s.Name
	}
	return s.Layer
}

func runConfigGet(ctx context.Context, f *factory, opt configOptions, key string) error {
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	s, ok := engine.Setting(key)
	if !ok {
		return &hintedError{err: fmt.Errorf("%s is not set", key), hint: "knack config list shows what is"}
	}
	if opt.json {
		return f.printJSON(s)
	}
	fmt.Fprintln(f.env.Stdout, term.Clean(s.Value))
	return nil
}

// runConfigSet writes with change and reports the value now in force, which an
// environment variable or a workspace may still override.
func runConfigSet(ctx context.Context, f *factory, opt configOptions, key string, change func(*knack.Engine) error) error {
	engine, err := f.engine(ctx)
	if err != nil {
		return err
	}
	if err := change(engine); errors.Is(err, knack.ErrNoConfig) {
		return &hintedError{err: err, hint: noConfigHint(opt.target())}
	} else if err != nil {
		return err
	}
	after, err := f.engine(ctx)
	if err != nil {
		return err
	}
	file := engine.ConfigFile(opt.target())
	s, ok := after.Setting(key)
	if opt.json {
		return f.printJSON(map[string]any{"key": key, "set": ok, "setting": s, "file": file})
	}
	fmt.Fprintf(f.env.Stdout, "wrote %s\n", f.short(file))
	if ok && s.File != file && s.Layer != "default" {
		fmt.Fprintf(f.env.Stdout, "%s\n", f.stdout().Warn(fmt.Sprintf("but %s counts, from %s", strings.TrimSpace(s.Value), f.origin(s))))
	}
	return nil
}

// absDirs makes directories absolute: the user means those of where he types,
// the file would mean those beside it. What is written as TOML stays as it is.
func (f *factory) absDirs(value string) string {
	if strings.HasPrefix(strings.TrimSpace(value), "[") {
		return value
	}
	dirs := strings.Split(value, ",")
	for i, dir := range dirs {
		if dir = strings.TrimSpace(dir); dir != "" && !strings.HasPrefix(dir, "~") {
			dir = f.abs(dir)
		}
		dirs[i] = dir
	}
	return strings.Join(dirs, ",")
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
