package cli

import (
	"path/filepath"

	"github.com/knackhq/knack"
	"github.com/knackhq/knack/internal/memory"
	"github.com/knackhq/knack/internal/pdf"
	"github.com/knackhq/knack/internal/sandbox"
	"github.com/knackhq/knack/tool"
)

// moreTools are those that need more than the library brings: a database, a
// reader of documents.
func (f *factory) moreTools(s *knack.Session) []tool.Tool {
	var out []tool.Tool
	if f.home() != "" {
		// It is opened when it is first used, and what is wrong with it said then.
		if store, err := memory.Open(filepath.Join(f.home(), "memory.db"), f.env.Now); err == nil {
			out = store.Tools()
		}
	}
	return append(out, pdf.Tool(pdf.Options{
		Runner: sandbox.New(sandbox.Options{Program: f.env.Program, Path: f.getenv("PATH")}), Program: f.env.Program, Open: s.OpenFile,
	}))
}
