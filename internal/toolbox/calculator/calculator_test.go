package calculator

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/tool"
)

func run(t testing.TB, expression string) tool.Result {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"expression": expression})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Tool().Run(t.Context(), arguments)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAnswers(t *testing.T) {
	for expression, want := range map[string]string{
		"0.1+0.2": "0.3", "1 - 0.9": "0.1", "2+3*4": "14", "(2+3)*4": "20", "2^3^2": "512", "2**3**2": "512", "-2^2": "-4",
		"(-2)^2": "4", "2^-2": "0.25", "--3": "3", "+-+3": "-3", "7%3": "1", "-7%3": "-1", "7.5%2": "1.5", "1_000*1_000": "1000000",
		".5+.5": "1", "5.": "5", "1e3": "1000", "1.5E-3": "0.0015", "10/4": "2.5", "1/3": "≈ 0.333333333333333333333333333333 (1/3)",
		"1/3*3": "1", "8-3-2": "3", "100/10/2": "5", "6×7": "42", "6÷4": "1.5", "3−1": "2", "2*-3": "-6", "0^0": "1", "0^5": "0",
		"1^123456789012345678901234567890": "1", "(-1)^123456789012345678901234567891": "-1", "0^123456789012345678901234567890": "0",
		"2^100": "1267650600228229401496703205376", "12345678901234567890*98765432109876543210": "1219326311370217952237463801111263526900",
		"sqrt(16)": "4", "sqrt(2)": "≈ 1.4142135623731", "sqrt(0.25)": "0.5", "16^0.5": "4", "2^0.5": "≈ 1.4142135623731", "abs(-3.5)": "3.5",
		"min(3,1,2)": "1", "max(3, 1/3, pi)": "≈ 3.14159265358979", "sum(1,2,3.5)": "6.5", "mean(1,2)": "1.5",
		"round(2.5)": "3", "round(-2.5)": "-3", "round(2.345, 2)": "2.35", "round(1234, -2)": "1200", "floor(-1.5)": "-2", "ceil(1.2)": "2",
		"ceil(-1.2)": "-1", "trunc(-1.7)": "-1", "sign(-4)": "-1", "fact(20)": "2432902008176640000", "fact(0)": "1", "gcd(12, -18)": "6",
		"ln(e)": "≈ 1", "log(1000)": "3", "log10(0.001)": "-3", "log2(8)": "3", "log(2)": "≈ 0.301029995663981", "exp(1)": "≈ 2.71828182845905",
		"sin(pi)": "≈ 0", "cos(0)": "≈ 1", "atan2(1,1)*4": "≈ 3.14159265358979", "hypot(3,4)": "≈ 5", "PI": "≈ 3.14159265358979",
		"Sqrt ( 4 )": "2", "1\n+\t1": "2",
	} {
		if diff := cmp.Diff(tool.Result{Text: want}, run(t, expression)); diff != "" {
			t.Errorf("%s:\n%s", expression, diff)
		}
	}
}

func TestMistakes(t *testing.T) {
	deep := strings.Repeat("(", 300)
	for expression, want := range map[string]error{
		"": errEmpty, " \n": errEmpty, strings.Repeat("1+", 3000) + "1": errLong, deep: errDeep, strings.Repeat("-", 300) + "1": errDeep,
		strings.Repeat("2^", 300) + "1": errDeep, strings.Repeat("sin(", 300): errDeep,
		"9^9^9^9": errBig, "9^9^9": errBig, "2^20000": errBig, "2^-20000": errBig, "1e5000": errBig, "1e-5000": errBig, "1e99999999999999999999": errBig,
		"(2^16000)*(2^16000)": errBig, "2^123456789012345678901234567890": errBig,
		"1/0": errZero, "1%0": errZero, "0^-1": errZero, "1/(pi-pi)": errZero, "0^(-1/2)": errZero,
		"sqrt(-1)": errDomain, "(-8)^(1/3)": errDomain, "ln(-1)": errDomain, "log(0)": errDomain, "asin(2)": errDomain,
		"exp(1000)": errOverflow, "2^16000*pi": errOverflow, "ln(0)": errOverflow, "fact(1001)": errWhole, "fact(2.5)": errWhole, "fact(-1)": errWhole,
	} {
		_, err := evaluate(expression)
		if !errors.Is(err, want) {
			t.Errorf("%.40s: %v, want %v", expression, err, want)
		}
		if result := run(t, expression); !result.Failed || result.Text != err.Error() {
			t.Errorf("%.40s: %+v", expression, result)
		}
	}
}

// The caret stands under the mistake.
func TestPlaces(t *testing.T) {
	for expression, want := range map[string]string{
		"1 + squrt(4)": "there is no function called \"squrt\"; there are " + functionNames() + "\n  1 + squrt(4)\n      ^",
		"2 + ":         "something is missing at the end\n  2 + \n      ^",
		"2(3)":         "an operator such as * is missing\n  2(3)\n   ^",
		"2e":           "an operator such as * is missing\n  2e\n   ^",
		"(1+2":         "this parenthesis is not closed\n  (1+2\n  ^",
		"1,5":          "a comma separates the arguments of a function; write 1_000 for thousands and 0.5 for decimals\n  1,5\n   ^",
		"1 + * 2":      "a number is missing before '*'\n  1 + * 2\n      ^",
		"1+)":          "a number is missing before ')'\n  1+)\n    ^",
		"1/0":          "division by zero\n  1/0\n   ^",
		"é*2":          "there is no constant called \"é\"; there are pi and e\n  é*2\n  ^",
		"sin":          "sin needs its argument in parentheses\n  sin\n     ^",
		"sin()":        "sin takes 1 argument, not 0\n  sin()\n  ^",
		"round(1,2,3)": "round takes 1 or 2 arguments, not 3\n  round(1,2,3)\n  ^",
		"gcd(1)":       "gcd takes 2 arguments, not 1\n  gcd(1)\n  ^",
		"max()":        "max takes 1 or more arguments, not 0\n  max()\n  ^",
		"1__0":         "an underscore stands between two digits\n  1__0\n  ^",
		"1.2.3":        "\"1.2.3\" is not a number\n  1.2.3\n  ^",
		"1\x00":        "\"\ufffd\" makes no sense here\n  1 \n   ^",
		"1 \x1b[31m":   "\"\\x1b\" makes no sense here\n  1  [31m\n    ^",
		"1 $ 2":        "\"$\" makes no sense here\n  1 $ 2\n    ^",
		strings.Repeat("1+", 100) + "$" + strings.Repeat("+1", 100): "\"$\" makes no sense here\n  " +
			strings.Repeat("1+", 18) + "$" + strings.Repeat("+1", 17) + "+\n  " + strings.Repeat(" ", 36) + "^",
	} {
		if diff := cmp.Diff(tool.Result{Text: want, Failed: true}, run(t, expression)); diff != "" {
			t.Errorf("%q:\n%s", expression, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, arguments := range []string{"", "{}", "null", `{"expression":3}`, `{"expresion":"1"}`, `[`, `"1"`} {
		if result, err := Tool().Run(t.Context(), json.RawMessage(arguments)); err != nil || !result.Failed {
			t.Errorf("%s: %+v, %v", arguments, result, err)
		}
	}
	if result, err := Tool().Run(t.Context(), json.RawMessage(form.Example)); err != nil || result.Failed {
		t.Errorf("%+v, %v", result, err)
	}
	spec := Tool().Spec()
	if !json.Valid(spec.Schema) || spec.Effects != (tool.Effects{}) {
		t.Errorf("%+v", spec)
	}
}

// Fractions are computed as fractions.
func TestExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 1, 20).Draw(t, "cents")
		var terms []string
		var total int64
		for _, c := range cents {
			terms = append(terms, fmt.Sprintf("(%s)", big.NewRat(c, 100).FloatString(2)))
			total += c
		}
		got, err := evaluate(strings.Join(terms, " + "))
		if err != nil || got.exact == nil || got.exact.Cmp(big.NewRat(total, 100)) != 0 {
			t.Fatalf("%v: %v, %v", cents, got, err)
		}
		back, err := evaluate(got.String())
		if err != nil || back.exact.Cmp(got.exact) != 0 {
			t.Fatalf("%s reads as %v, %v", got, back, err)
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"0.1+0.2", "9^9^9^9", "min(1,2)^-3%4", "((((", "1e9", "2**3", "sin(pi)/0", "1_0 × é", "fact(900)^2", "round(1/3, 9)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		result := run(t, expression)
		if result.Text == "" || len(result.Text) > maxDigits+2*maxLength {
			t.Errorf("%q: an answer of %d bytes", expression, len(result.Text))
		}
	})
}
