package simd

import "fmt"

// Function is an elementary function of one number, with up to two parameters a and b, applied to
// slices. The first eight, up to Bracket, round each operation as written and have the same bits on
// every path; the others are within 2 ulp. Special values follow the formula, or package math for
// functions that it has; NaN gives NaN.
type Function uint8

// The functions, with their parameters.
const (
	Scale       Function = iota // a·x
	Affine                      // a·x + b
	Relu                        // max(0, x)
	Clamp                       // x limited to [a, b]
	Reciprocal                  // 1/(1 + a·x)
	Root                        // √(1 + a·x)
	InverseRoot                 // 1/√(1 + a·x)
	Bracket                     // max(0, 1 − √x/a)
	ScaledExp                   // e^(a·x) of the rounded product, with the bits of Exponential
	Log1p                       // log(1 + a·x) of the rounded product
	Tanh                        // tanh(a·x + b) of the rounded argument
	Pow                         // x^a for 0 ≤ x ≤ 1 and a > 0
	add                         // dst + x
	multiply                    // dst·x, with 0·∞ = 0

	numFunctions
)

// parameters is the number of parameters of each function.
var parameters = [numFunctions]int{Scale: 1, Affine: 2, Clamp: 2, Reciprocal: 1, Root: 1, InverseRoot: 1,
	Bracket: 1, ScaledExp: 1, Log1p: 1, Tanh: 2, Pow: 1}

// Apply sets dst[i] = f(src[i]). The slices may be the same but must not overlap otherwise. It
// panics unless their lengths and the number of parameters fit. It takes 0.1 to 6 ns per value on a
// vector path.
func (f Function) Apply(dst, src []float64, p ...float64) {
	if len(p) != parameters[f] {
		panic(fmt.Sprintf("simd: function %d of %d parameters, want %d", f, len(p), parameters[f]))
	}
	var ab [2]float64
	copy(ab[:], p)
	f.apply(dst, src, &ab)
}

// Add sets dst[i] += src[i]. It panics unless the lengths agree.
func Add(dst, src []float64) { add.apply(dst, src, &[2]float64{}) }

// Multiply sets dst[i] *= src[i], where 0·∞ is 0: in kernels the zero comes from an exponential or
// a compact support, which dominates any power. It panics unless the lengths agree.
func Multiply(dst, src []float64) { multiply.apply(dst, src, &[2]float64{}) }

const (
	// vectorLanes is the maximal number of values that the routines process at a time.
	vectorLanes = 8
	// valuesAtATime bounds one call, to about 20 µs: assembly cannot be preempted.
	valuesAtATime = 4096
)

func (f Function) apply(dst, src []float64, p *[2]float64) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("simd: function of %d values into %d", len(src), len(dst)))
	}
	if active == Go {
		f.applyGo(dst, src, p)
		return
	}
	whole := len(src) &^ (vectorLanes - 1)
	for at := 0; at < whole; at += valuesAtATime {
		n := min(valuesAtATime, whole-at)
		f.applyWhole(dst[at:at+n], src[at:at+n], p)
	}
	f.applyRest(dst[whole:], src[whole:], p)
}

// applyRest pads the values that do not fill a register, so that they take the same code and
// nothing outside is touched.
func (f Function) applyRest(dst, src []float64, p *[2]float64) {
	if len(src) == 0 {
		return
	}
	var x, y [vectorLanes]float64
	copy(x[:], src)
	copy(y[:], dst)
	f.applyWhole(y[:], x[:], p)
	copy(dst, y[:])
}
