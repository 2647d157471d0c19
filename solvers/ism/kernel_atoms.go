package ism

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/kernelgen"
)

// term is a kernel with its weight in a sum.
type term struct {
	weight float64
	atom   *atom
}

// atom is a kernel of one name. It is not changed once made.
type atom struct {
	spec *spec
	args []float64 // one for each parameter of spec; 0 is the word of a parameter that has one
}

// spec is an entry in the table of kernels: a name, its parameters, and what they mean.
type spec struct {
	name   string
	params []param
	shape  func(args []float64) shape
	user   bool
}

// param is a parameter of a kernel.
type param struct {
	name   string
	preset float64
	word   string // that may stand for the number, "" if none; it is kept as 0
	ok     func(v float64) bool
	domain string // in words
}

// shape is f and f' of a kernel whose parameters are numbers.
type shape struct {
	base  Base
	f, df curve
	// conditional says that f is conditionally positive definite: positive where the
	// weights add up to 0, as those of a centred Γ do.
	conditional bool
	// power and offset say that f = (β + offset)·f'/power; 0 if it is not so.
	power, offset float64
	// ratio is f'/f where that does not depend on β, and 0 otherwise.
	ratio float64
	// local divides β by σ_i·σ_j, and then f' by it, ratio apart; neighbour is where σ
	// comes from.
	local     bool
	neighbour int
}

// curve is factor·kernel(β), or factor alone where flat.
type curve struct {
	factor float64
	flat   bool
	kernel kernelgen.Kernel
}

// apply turns values of β into those of the curve.
func (c curve) apply(v []float64, w *kernelgen.Workspace) {
	if c.flat {
		for i := range v {
			v[i] = c.factor
		}
		return
	}
	c.kernel.FromBase(v, w)
	if c.factor != 1 {
		for i := range v {
			v[i] *= c.factor
		}
	}
}

// at is the value of the curve for one β.
func (c curve) at(beta float64) float64 {
	v := []float64{beta}
	c.apply(v, nil)
	return v[0]
}

var builtins = []*spec{
	{name: "linear", shape: func([]float64) shape {
		return shape{base: InnerProduct, f: curve{factor: 1, kernel: kernelgen.Linear()}, df: curve{factor: 1, flat: true}}
	}},
	{name: "polynomial", params: []param{
		{name: "degree", preset: 3, ok: func(v float64) bool { return v >= 1 && v <= 64 && v == math.Trunc(v) }, domain: "a whole number from 1 to 64"},
		{name: "c", preset: 1, ok: func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }, domain: "a finite number, 0 or more"},
	}, shape: polynomialShape},
	{name: "gaussian", params: []param{
		{name: "sigma", word: "median", ok: positive, domain: "positive and finite, or median"},
	}, shape: gaussianShape},
	{name: "relative", params: []param{
		{name: "neighbour", preset: 7, ok: func(v float64) bool { return v >= 1 && v <= 1e6 && v == math.Trunc(v) }, domain: "a whole number from 1 to 1000000"},
	}, shape: func(args []float64) shape {
		s := gaussianShape([]float64{1})
		s.local, s.neighbour = true, int(args[0])
		return s
	}},
	{name: "squared", shape: func([]float64) shape {
		return shape{base: SquaredDistance, f: curve{factor: -1, kernel: kernelgen.SquaredDistance.Kernel()}, df: curve{factor: -1, flat: true}, conditional: true}
	}},
	{name: "multiquadratic", params: []param{{name: "c", preset: 1, ok: positive, domain: "positive and finite"}}, shape: func(args []float64) shape {
		c := args[0]
		return shape{base: SquaredDistance, conditional: true, f: curve{factor: -c, kernel: kernelgen.Multiquadric(c)},
			df: curve{factor: -1 / (2 * c), kernel: kernelgen.InverseMultiquadric(c)}}
	}},
}

func positive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

func polynomialShape(args []float64) shape {
	degree, c := int(args[0]), args[1]
	s := shape{base: InnerProduct, f: curve{factor: 1, kernel: kernelgen.Poly(degree, 1, c)}, df: curve{factor: 1, flat: true}}
	if degree > 1 {
		s.df = curve{factor: float64(degree), kernel: kernelgen.Poly(degree-1, 1, c)}
		s.power, s.offset = float64(degree), c
	}
	return s
}

// gaussianShape wants σ so large that 1/σ² is a number, and so small.
func gaussianShape(args []float64) shape {
	gamma := 1 / (2 * args[0] * args[0])
	k := kernelgen.RBF(math.Max(math.SmallestNonzeroFloat64, math.Min(math.MaxFloat64, gamma)))
	return shape{base: SquaredDistance, f: curve{factor: 1, kernel: k}, df: curve{factor: -gamma, kernel: k}, ratio: -gamma}
}

// generated is the base as package kernelgen calls it.
func (b Base) generated() kernelgen.Base {
	if b == InnerProduct {
		return kernelgen.InnerProduct
	}
	return kernelgen.SquaredDistance
}

// atom is a user's kernel.
func (p Profile) atom() *atom {
	if p.F == nil || p.Derivative == nil || p.Base > SquaredDistance {
		panic(fmt.Sprintf("ism: profile %q needs a function, its derivative, and a base", p.Name))
	}
	if !isName(p.Name) || find(builtins, p.Name) != nil || p.Name == alignedWord || p.Name == independentWord {
		panic(fmt.Sprintf("ism: profile name %q is built in, or not a letter followed by letters, digits and underscores", p.Name))
	}
	generate := func(f func(float64) float64) curve {
		return curve{factor: 1, kernel: kernelgen.New(kernelgen.Profile{Name: "profile", Base: p.Base.generated(), F: f})}
	}
	s := shape{base: p.Base, f: generate(p.F), df: generate(p.Derivative)}
	return &atom{spec: &spec{name: p.Name, shape: func([]float64) shape { return s }, user: true}}
}

func find(table []*spec, name string) *spec {
	for _, s := range table {
		if s.name == name {
			return s
		}
	}
	return nil
}

// builtin makes a kernel of the table. It panics if an argument is out of its domain.
func builtin(name string, args ...float64) Kernel {
	s := find(builtins, name)
	for i, p := range s.params {
		if v := args[i]; !p.allows(v) {
			panic(fmt.Sprintf("ism: %s of %s is %v; it must be %s", p.name, name, v, p.domain))
		}
	}
	return Kernel{terms: []term{{weight: 1, atom: &atom{spec: s, args: args}}}}
}

// allows says whether a value may be that of the parameter.
func (p param) allows(v float64) bool { return p.word != "" && v == 0 || p.ok(v) }

// resolved says whether all parameters are numbers.
func (a *atom) resolved() bool {
	for i, p := range a.spec.params {
		if p.word != "" && a.args[i] == 0 {
			return false
		}
	}
	return true
}

// shape is f and f' of the atom, which is resolved.
func (a *atom) shape() shape { return a.spec.shape(a.args) }
