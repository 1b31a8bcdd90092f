package knack_test

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// startCalls may stand where a package is initialised: they make an error, or put
// the work off, as a replacer does with its tables. Everything else is paid for by
// every run, also by one that needs none of it; sync.OnceValue does the same when
// it is first asked for. The cost of a start, package by package, is what
// go run ./bench -only init prints.
var startCalls = []string{"errors.New", "fmt.Errorf", "strings.NewReplacer", "sync.OnceValue", "sync.OnceValues", "sync.OnceFunc"}

// startsAnyway are the files with a call that costs next to nothing: the pattern
// that every prompt is made with, and a path with a number in it.
var startsAnyway = []string{"internal/prompt/substitute.go", "internal/sandbox/program_linux.go"}

func TestNothingIsComputedAtStart(t *testing.T) {
	calls := 0
	for _, src := range sources(t) {
		for _, d := range src.ast.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false // it runs when it is called
				}
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				// What a package calls of its own, such as a constructor of lazy
				// patterns, is known to whoever reads it.
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				calls++
				if name := of.Name + "." + sel.Sel.Name; !slices.Contains(startCalls, name) && !slices.Contains(startsAnyway, src.path) {
					t.Errorf("%s calls %s whenever the program starts; put it into sync.OnceValue", src.path, name)
				}
				return true
			})
		}
	}
	if calls == 0 {
		t.Error("no initialisation was seen at all")
	}
}
