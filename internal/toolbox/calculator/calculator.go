// Package calculator computes, so that a model need not guess.
//
// An expression has numbers (12, 1_000, 0.5, 2e-3), + - * / % ^, parentheses,
// the constants pi and e, and functions. Powers bind to the right and before a
// sign, as on paper: 2^3^2 is 512 and -2^2 is -4. The remainder % has the sign
// of what is divided.
//
// Sums, products, quotients and whole powers are exact, whatever their size:
// 0.1+0.2 is 0.3. What cannot be exact (sqrt(2), sin(1), 1/3 in decimals) is
// marked with ≈. Numbers are held to a few thousand digits, expressions to a
// length and a depth, so every answer comes at once; 9^9^9^9 is refused before
// it is computed. A mistake is shown in its place:
//
//	there is no function called "squrt"
//	  1 + squrt(4)
//	      ^
package calculator

import (
	"context"
	"encoding/json"

	"github.com/knackhq/knack/internal/toolbox/arguments"
	"github.com/knackhq/knack/tool"
)

const toolName = "calculator"

var form = arguments.Form{
	Fields:  []arguments.Field{{Name: "expression", Required: true, Help: "for example (1.5 + 2)^3 / sqrt(2)"}},
	Example: `{"expression": "(1.5 + 2)^3 / sqrt(2)"}`,
}

type calculator struct{}

// Tool is the calculator.
func Tool() tool.Tool { return calculator{} }

// Spec describes it.
func (calculator) Spec() tool.Spec {
	return tool.Spec{
		Name: toolName,
		Description: "Computes an arithmetic expression exactly. Operators + - * / % ^ and parentheses; constants pi, e; functions " +
			functionNames() + ". Angles are in radians; log is base 10; round(x, digits). ≈ marks a rounded answer.",
		Schema: form.Schema(),
	}
}

// Run computes.
func (calculator) Run(_ context.Context, raw json.RawMessage) (tool.Result, error) {
	given, err := form.Read(toolName, raw)
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	value, err := evaluate(given.Text("expression"))
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, nil
	}
	return tool.Result{Text: value.String()}, nil
}
