package calculator

import (
	"math"
	"math/big"
	"strconv"
	"sync"
)

const (
	// maxBits holds numerators and denominators to what is computed in well under
	// a millisecond and still printed on a few screens.
	maxBits = 1 << 14
	// maxDigits is how many decimal digits that is.
	maxDigits = 4932
	// maxDecimals is how many digits after the point are told of an exact number;
	// more are a rounded one to every reader.
	maxDecimals = 60
)

// number is exact if it has a fraction, and a rounded one otherwise.
type number struct {
	exact  *big.Rat
	approx float64
}

func whole(n int64) number { return number{exact: new(big.Rat).SetInt64(n)} }

// exactly is the number of a fraction, unless that is too large.
func exactly(r *big.Rat) (number, error) {
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return number{}, errBig
	}
	return number{exact: r}, nil
}

// roughly is the number of a float, unless that is none.
func roughly(f float64) (number, error) {
	switch {
	case math.IsNaN(f):
		return number{}, errDomain
	case math.IsInf(f, 0):
		return number{}, errOverflow
	}
	return number{approx: f}, nil
}

// float is infinite for an exact number that no float can hold.
func (n number) float() float64 {
	if n.exact == nil {
		return n.approx
	}
	f, _ := n.exact.Float64()
	return f
}

// rat is the fraction that the number is, also of a rounded one.
func (n number) rat() *big.Rat {
	if n.exact != nil {
		return n.exact
	}
	return new(big.Rat).SetFloat64(n.approx)
}

func (n number) sign() int {
	if n.exact != nil {
		return n.exact.Sign()
	}
	return big.NewFloat(n.approx).Sign()
}

func (n number) negative() number {
	if n.exact != nil {
		return number{exact: new(big.Rat).Neg(n.exact)}
	}
	return number{approx: -n.approx}
}

// String is the number for people: all digits of an exact one, else ≈ and as
// many as are right.
func (n number) String() string {
	if n.exact == nil {
		// A float is right to 15 digits; the ones after that are noise.
		return "≈ " + strconv.FormatFloat(n.approx, 'g', 15, 64)
	}
	if n.exact.IsInt() {
		return n.exact.Num().String()
	}
	if digits, exact := n.exact.FloatPrec(); exact && digits <= maxDecimals {
		return n.exact.FloatString(digits)
	}
	text := "≈ " + new(big.Float).SetPrec(128).SetRat(n.exact).Text('g', 30)
	if n.exact.Num().BitLen() <= 64 && n.exact.Denom().BitLen() <= 64 {
		text += " (" + n.exact.String() + ")"
	}
	return text
}

// operations are what the operators do.
var operations = sync.OnceValue(func() map[rune]func(a, b number) (number, error) {
	return map[rune]func(a, b number) (number, error){
		'+': both((*big.Rat).Add, func(a, b float64) float64 { return a + b }),
		'-': both((*big.Rat).Sub, func(a, b float64) float64 { return a - b }),
		'*': both((*big.Rat).Mul, func(a, b float64) float64 { return a * b }),
		'/': divisor(both((*big.Rat).Quo, func(a, b float64) float64 { return a / b })),
		'%': divisor(both(remainder, math.Mod)),
	}
})

// both computes with fractions if both numbers are exact.
func both(exact func(z, a, b *big.Rat) *big.Rat, approx func(a, b float64) float64) func(a, b number) (number, error) {
	return func(a, b number) (number, error) {
		if a.exact != nil && b.exact != nil {
			return exactly(exact(new(big.Rat), a.exact, b.exact))
		}
		return roughly(approx(a.float(), b.float()))
	}
}

func divisor(divide func(a, b number) (number, error)) func(a, b number) (number, error) {
	return func(a, b number) (number, error) {
		if b.sign() == 0 {
			return number{}, errZero
		}
		return divide(a, b)
	}
}

func remainder(z, a, b *big.Rat) *big.Rat {
	z.Quo(a, b)
	z.SetInt(new(big.Int).Quo(z.Num(), z.Denom())) // towards zero
	return z.Sub(a, z.Mul(z, b))
}

// power is exact for whole exponents, if the result can be.
func power(base, exponent number) (number, error) {
	if base.exact == nil || exponent.exact == nil || !exponent.exact.IsInt() {
		if root, ok := exactRoot(base, exponent); ok {
			return root, nil
		}
		if base.sign() == 0 && exponent.sign() < 0 {
			return number{}, errZero
		}
		return roughly(math.Pow(base.float(), exponent.float()))
	}
	r, n := base.exact, exponent.exact.Num()
	if r.Sign() == 0 && n.Sign() < 0 {
		return number{}, errZero
	}
	size := max(r.Num().BitLen(), r.Denom().BitLen())
	if size <= 1 { // 0, 1 and -1 stay small; of the exponent only its parity counts
		n = new(big.Int).And(n, big.NewInt(1))
		if r.Sign() == 0 && exponent.exact.Sign() > 0 {
			n = big.NewInt(1)
		}
	}
	// The result has at least (size-1)·n bits: known before anything is computed.
	if !n.IsInt64() || size > 1 && absolute(n.Int64()) > maxBits/int64(size-1) {
		return number{}, errBig
	}
	e := big.NewInt(absolute(n.Int64()))
	num, denom := new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil)
	if n.Sign() < 0 {
		num, denom = denom, num
	}
	return exactly(new(big.Rat).SetFrac(num, denom))
}

func absolute(n int64) int64 { return max(n, -n) }

// exactRoot is the square root that x^0.5 asks for, if it is a fraction.
func exactRoot(base, exponent number) (number, bool) {
	if exponent.exact == nil || exponent.exact.Cmp(big.NewRat(1, 2)) != 0 {
		return number{}, false
	}
	return fractionRoot(base)
}

// fractionRoot is the square root of a number whose root is a fraction.
func fractionRoot(n number) (number, bool) {
	if n.exact == nil || n.exact.Sign() < 0 {
		return number{}, false
	}
	num, denom := new(big.Int).Sqrt(n.exact.Num()), new(big.Int).Sqrt(n.exact.Denom())
	root := new(big.Rat).SetFrac(num, denom)
	if new(big.Rat).Mul(root, root).Cmp(n.exact) != 0 {
		return number{}, false
	}
	return number{exact: root}, true
}
