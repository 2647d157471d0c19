package ism

// Base is what a kernel is a function of: β between two projected rows.
type Base uint8

// The bases of the family (paper, Table 3).
const (
	InnerProduct    Base = iota // β = x_iᵀWWᵀx_j
	SquaredDistance             // β = ‖Wᵀ(x_i−x_j)‖²
)

// Profile is a kernel of one's own (paper, Definition 1): a function of β that is
// twice differentiable, and its derivative. Both are called from several goroutines at
// once. The larger F, the more alike two rows: a distance comes with a minus.
type Profile struct {
	// Name is how the kernel is written in text, name(): a letter followed by
	// letters, digits and underscores, and none of the built-in names.
	Name       string
	Base       Base
	F          func(beta float64) float64
	Derivative func(beta float64) float64 // f'; [Solver.Fit] checks it against F
}

// Kernel is a kernel of the family: a conic combination of one kernel or more. It is a
// value; the zero Kernel cannot be used. In text:
//
//	linear()                    f = β, β an inner product
//	polynomial(degree=3, c=1)   f = (β + c)^degree, β an inner product, c ≥ 0
//	gaussian(sigma=median)      f = exp(−β/(2·sigma²)), β a squared distance
//	relative(neighbour=7)       f = exp(−β/(2·σ_i·σ_j)), σ_i the distance of row i
//	                            from its neighbour with that number in a sample,
//	                            rows equal to it not counted
//	squared()                   f = −β, β a squared distance
//	multiquadratic(c=1)         f = −√(β + c²), β a squared distance, c > 0
//
//	kernel  = sum | "aligned" "(" sum ")" | "independent" "(" sum ")"
//	sum     = term { "+" term }
//	term    = [ number "*" ] name [ "(" [ name "=" value { "," name "=" value } ] ")" ]
//
// sigma=median is the median distance between different rows, all columns counted, of a
// sample of at most 500. In aligned(a + b) the kernels get the weights that make the sum
// most like Γ, see [Kernel.Aligned], and in independent(a + b) each as it is like Γ, see
// [Kernel.Independent].
type Kernel struct {
	terms   []term
	aligned alignment
}

// alignment says how the weights of the terms come from the data.
type alignment uint8

const (
	notAligned alignment = iota
	alignedJointly
	alignedEach
)

// Parse reads a kernel in the grammar of [Kernel]. The names of the profiles can be
// used besides the built-in ones; Parse panics if one of them is no name, is taken, or
// lacks a function. An error says where in the text it is.
func Parse(text string, profiles ...Profile) (Kernel, error) { return parse(text, profiles) }

// New is a kernel of one's own. It panics where [Parse] would.
func New(p Profile) Kernel { return Kernel{terms: []term{{weight: 1, atom: p.atom()}}} }

// Linear is the kernel linear().
func Linear() Kernel { return builtin("linear") }

// Polynomial is the kernel (β + c)^degree; it panics unless degree ≥ 1 and c ≥ 0.
func Polynomial(degree int, c float64) Kernel { return builtin("polynomial", float64(degree), c) }

// Gaussian is the kernel exp(−β/(2σ²)); σ = 0 stands for the median distance.
func Gaussian(sigma float64) Kernel { return builtin("gaussian", sigma) }

// Relative is the kernel exp(−β/(2σ_iσ_j)) with σ_i the distance of row i from its
// neighbour with that number, at least 1, in a sample of the rows.
func Relative(neighbour int) Kernel { return builtin("relative", float64(neighbour)) }

// Squared is the kernel −β of distances.
func Squared() Kernel { return builtin("squared") }

// Multiquadratic is the kernel −√(β + c²) of distances; it panics unless c > 0.
func Multiquadratic(c float64) Kernel { return builtin("multiquadratic", c) }

// Sum is the sum of kernels. It panics if one of several is aligned.
func Sum(kernels ...Kernel) Kernel { return sum(kernels) }

// Scale is the kernel times a weight, which must be positive and finite: it panics
// otherwise, or if the kernel is aligned.
func Scale(weight float64, k Kernel) Kernel { return scale(weight, k) }

// Aligned is the kernel with the weights of its terms left to the data: those of
// alignment maximisation (Cortes, Mohri & Rostamizadeh 2012, Proposition 9, "alignf"),
// non-negative, between the centred kernels of the rows, not projected, and Γ, on a
// sample of at most 1000 rows. They are scaled so that the largest is 1. It is for the supervised
// paradigm, where Γ does not change.
func (k Kernel) Aligned() Kernel { return Kernel{terms: k.terms, aligned: alignedJointly} }

// Independent is as [Kernel.Aligned], with the weight of each term its own alignment with
// Γ over the norm of its centred kernel (Cortes, Mohri & Rostamizadeh 2012, §3.1,
// "align", for kernels that have been given norm 1). No kernel like Γ is left out then,
// where the best sum may do with one.
func (k Kernel) Independent() Kernel { return Kernel{terms: k.terms, aligned: alignedEach} }

// String is the canonical text of the kernel: [Parse] of it gives the same kernel.
func (k Kernel) String() string { return k.text() }

// Resolved says whether all parameters and weights are numbers.
func (k Kernel) Resolved() bool { return k.resolved() }
