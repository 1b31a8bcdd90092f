package calculator

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
)

// constants are rounded ones.
var constants = map[string]float64{"pi": math.Pi, "π": math.Pi, "e": math.E}

// function is computed of a number of arguments.
type function struct {
	least, most int
	compute     func(arguments []number) (number, error)
}

// many is more arguments than an expression has room for.
const many = maxLength

func (f function) count() string {
	switch {
	case f.most == many:
		return fmt.Sprintf("%d or more arguments", f.least)
	case f.least < f.most:
		return fmt.Sprintf("%d or %d arguments", f.least, f.most)
	case f.least == 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", f.least)
}

var functions = sync.OnceValue(func() map[string]function {
	return map[string]function{
		"abs":   {1, 1, absoluteValue},
		"min":   {1, many, extreme(-1)},
		"max":   {1, many, extreme(1)},
		"sum":   {1, many, sum},
		"mean":  {1, many, mean},
		"round": {1, 2, round},
		"floor": {1, 1, integer(floor)},
		"ceil":  {1, 1, integer(func(r *big.Rat) *big.Int { return new(big.Int).Neg(floor(new(big.Rat).Neg(r))) })},
		"trunc": {1, 1, integer(func(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) })},
		"sign":  {1, 1, func(a []number) (number, error) { return whole(int64(a[0].sign())), nil }},
		"fact":  {1, 1, factorial},
		"gcd":   {2, 2, divisorOf},
		"sqrt":  {1, 1, squareRoot},
		"cbrt":  {1, 1, float(math.Cbrt)},
		"exp":   {1, 1, float(math.Exp)},
		"ln":    {1, 1, float(math.Log)},
		"log":   {1, 1, logarithm(10, math.Log10)},
		"log10": {1, 1, logarithm(10, math.Log10)},
		"log2":  {1, 1, logarithm(2, math.Log2)},
		"sin":   {1, 1, circular(math.Sin)},
		"cos":   {1, 1, circular(math.Cos)},
		"tan":   {1, 1, circular(math.Tan)},
		"asin":  {1, 1, float(math.Asin)},
		"acos":  {1, 1, float(math.Acos)},
		"atan":  {1, 1, float(math.Atan)},
		"atan2": {2, 2, func(a []number) (number, error) { return roughly(math.Atan2(a[0].float(), a[1].float())) }},
		"sinh":  {1, 1, float(math.Sinh)},
		"cosh":  {1, 1, float(math.Cosh)},
		"tanh":  {1, 1, float(math.Tanh)},
		"hypot": {2, 2, func(a []number) (number, error) { return roughly(math.Hypot(a[0].float(), a[1].float())) }},
	}
})

func functionNames() string { return strings.Join(slices.Sorted(maps.Keys(functions())), " ") }

func float(f func(float64) float64) func([]number) (number, error) {
	return func(a []number) (number, error) { return roughly(f(a[0].float())) }
}

// circular drops what lies below the error of pi: sin(pi) is 0.
func circular(f func(float64) float64) func([]number) (number, error) {
	return func(a []number) (number, error) {
		x := a[0].float()
		y := f(x)
		if math.Abs(x) > 1 && math.Abs(y) < 1e-15 {
			y = 0
		}
		return roughly(y)
	}
}

func absoluteValue(a []number) (number, error) {
	if a[0].sign() < 0 {
		return a[0].negative(), nil
	}
	return a[0], nil
}

func extreme(side int) func([]number) (number, error) {
	return func(a []number) (number, error) {
		return slices.MaxFunc(a, func(x, y number) int { return side * x.rat().Cmp(y.rat()) }), nil
	}
}

func sum(a []number) (number, error) {
	total := whole(0)
	var err error
	for _, n := range a {
		if total, err = operations()['+'](total, n); err != nil {
			return number{}, err
		}
	}
	return total, nil
}

func mean(a []number) (number, error) {
	total, err := sum(a)
	if err != nil {
		return number{}, err
	}
	return operations()['/'](total, whole(int64(len(a))))
}

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func integer(f func(*big.Rat) *big.Int) func([]number) (number, error) {
	return func(a []number) (number, error) { return exactly(new(big.Rat).SetInt(f(a[0].rat()))) }
}

// round takes halves away from zero, as people do.
func round(a []number) (number, error) {
	digits := int64(0)
	if len(a) == 2 {
		r := a[1].rat()
		if !r.IsInt() || !r.Num().IsInt64() || absolute(r.Num().Int64()) > maxDecimals {
			return number{}, fmt.Errorf("round takes a whole number of digits up to %d", maxDecimals)
		}
		digits = r.Num().Int64()
	}
	scale, err := power(whole(10), whole(digits))
	if err != nil {
		return number{}, err
	}
	r := new(big.Rat).Mul(a[0].rat(), scale.exact)
	sign := r.Sign()
	r.Add(r.Abs(r), big.NewRat(1, 2))
	r.SetInt(floor(r))
	if sign < 0 {
		r.Neg(r)
	}
	return exactly(r.Quo(r, scale.exact))
}

func factorial(a []number) (number, error) {
	r := a[0].rat()
	if !r.IsInt() || r.Sign() < 0 || !r.Num().IsInt64() || r.Num().Int64() > 1000 {
		return number{}, errWhole
	}
	return exactly(new(big.Rat).SetInt(new(big.Int).MulRange(1, r.Num().Int64())))
}

func divisorOf(a []number) (number, error) {
	x, y := a[0].rat(), a[1].rat()
	if !x.IsInt() || !y.IsInt() {
		return number{}, fmt.Errorf("gcd takes whole numbers")
	}
	abs := func(n *big.Int) *big.Int { return new(big.Int).Abs(n) }
	return exactly(new(big.Rat).SetInt(new(big.Int).GCD(nil, nil, abs(x.Num()), abs(y.Num()))))
}

func squareRoot(a []number) (number, error) {
	if root, ok := fractionRoot(a[0]); ok {
		return root, nil
	}
	return roughly(math.Sqrt(a[0].float()))
}

// logarithm is exact for powers of the base, which a float is not.
func logarithm(base int64, f func(float64) float64) func([]number) (number, error) {
	return func(a []number) (number, error) {
		y := f(a[0].float())
		n, err := roughly(y)
		if a[0].sign() == 0 {
			return number{}, errDomain
		}
		if err != nil || a[0].exact == nil {
			return n, err
		}
		whole := whole(int64(math.Round(y)))
		if back, err := power(number{exact: big.NewRat(base, 1)}, whole); err == nil && back.exact.Cmp(a[0].exact) == 0 {
			return whole, nil
		}
		return n, nil
	}
}
