package cli

import (
	"path/filepath"
	"strconv"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/memory"
	"github.com/knackhq/knack/internal/pdf"
	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

// moreTools are those that need more than the library brings: a database, a
// reader of documents. All sessions share what is behind them.
func (f *factory) moreTools(engine *knack.Engine) func(*knack.Session) []tool.Tool {
	runner := sandbox.New(sandbox.Options{Program: f.env.Program, Layer: layer(engine), Path: f.getenv("PATH")})
	store := f.memory()
	return func(s *knack.Session) []tool.Tool {
		var out []tool.Tool
		if store != nil {
			out = store.Tools()
		}
		return append(out, pdf.Tool(pdf.Options{Runner: runner, Program: f.env.Program, Open: s.OpenFile, Resolve: s.ResolveFile}))
	}
}

// strongest is the setting that leaves the layer to the machine.
const strongest = "strongest"

// layer is the one that contains programs, as configured; empty is the strongest.
func layer(engine *knack.Engine) sandbox.Layer {
	set, _ := engine.Setting("tools.layer")
	if name, err := strconv.Unquote(set.Value); err == nil && name != strongest {
		return sandbox.Layer(name)
	}
	return ""
}

// memory is the store of memories; nil without a place for one. It is opened when
// it is first used, and what is wrong with it said then.
func (f *factory) memory() *memory.Store {
	if f.memories == nil && f.home() != "" {
		f.memories, _ = memory.Open(filepath.Join(f.home(), "memory.db"), f.env.Now)
	}
	return f.memories
}

// close lets go of what commands used.
func (f *factory) close() {
	if f.memories != nil {
		_ = f.memories.Close() // what was stored is on disk
	}
}
