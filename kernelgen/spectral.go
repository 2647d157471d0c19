package kernelgen

import (
	"fmt"
	"math"
	"strings"
)

// Kernels as expectations, from which random features are drawn.

// Draws is a source of independent random numbers, such as a *sketch.Draws.
type Draws interface {
	Float64() float64 // uniform in [0, 1)
	Normal() float64  // standard normal
}

// SpectralMeasure is the probability measure of frequencies ω of a kernel of the
// difference of two rows (Bochner's theorem; Rahimi & Recht 2007):
//
//	k(x, y) = Weight·E cos(ω·(x−y))
//
// Radial kernels are mixtures of Gaussians, so ω = τ·z with z standard normal and an independent τ ≥ 0: a constant for
// rbf; √(2ν/χ²)/length with 2ν degrees of freedom for the Matérn kernels (a multivariate t, Rasmussen & Williams 2006,
// eq. 4.15); the root of a gamma variable for rq, cauchy and imq. The frequencies of laplace are Cauchy in each
// coordinate.
type SpectralMeasure struct {
	Weight float64 // k(x, x)

	scale  func(Draws) float64 // draws τ; nil for laplace
	cauchy float64             // the scale of the coordinates for laplace
}

// RotationInvariant reports whether the kernel is radial, so that ω = τ·z.
func (m *SpectralMeasure) RotationInvariant() bool { return m.scale != nil }

// Scale draws τ. It panics unless the measure is rotation-invariant.
func (m *SpectralMeasure) Scale(d Draws) float64 {
	if m.scale == nil {
		panic("kernelgen: Scale of a spectral measure that is not invariant under rotations")
	}
	return m.scale(d)
}

// Frequency stores a draw of ω in dst, one number for each column of the rows.
func (m *SpectralMeasure) Frequency(dst []float64, d Draws) {
	if m.scale == nil {
		for i := range dst {
			dst[i] = m.cauchy * math.Tan(math.Pi*(d.Float64()-0.5))
		}
		return
	}
	scale := m.scale(d)
	for i := range dst {
		dst[i] = scale * d.Normal()
	}
}

// SpectralMeasure returns the spectral measure of the kernel. Otherwise the error names the kernels with a known one.
// It panics unless the kernel is resolved.
func (k Kernel) SpectralMeasure() (*SpectralMeasure, error) {
	weight, a := k.single()
	if a != nil {
		for _, s := range spectra {
			if s.name == a.spec.name {
				m := s.measure(a.args)
				m.Weight = weight
				return &m, nil
			}
		}
	}
	return nil, fmt.Errorf("no spectral measure is known for %v: it is for %s, and for a multiple of one of them, not for sums and products", k, spectralNames())
}

// single returns the weight and the atom of a kernel that is a multiple of one atom, nil otherwise.
func (k Kernel) single() (float64, *atom) {
	k.checkReady()
	if len(k.terms) != 1 || len(k.terms[0].factors) != 1 {
		return 0, nil
	}
	return k.terms[0].weight, k.terms[0].factors[0].atom
}

// spectra lists the kernels with a known spectral measure.
var spectra = []struct {
	name    string
	measure func(a args) SpectralMeasure
}{
	{"rbf", func(a args) SpectralMeasure {
		scale := math.Sqrt2 * math.Sqrt(rbfGamma(a))
		return SpectralMeasure{scale: func(Draws) float64 { return scale }}
	}},
	{"gaussian", func(a args) SpectralMeasure {
		scale := math.Sqrt2 * math.Sqrt(gaussianGamma(a))
		return SpectralMeasure{scale: func(Draws) float64 { return scale }}
	}},
	{"laplace", func(a args) SpectralMeasure { return SpectralMeasure{cauchy: a.get("gamma")} }},
	{"exponential", func(a args) SpectralMeasure { return studentT(1, a.get("gamma")) }},
	{"matern12", func(a args) SpectralMeasure { return studentT(1, inverse(a.get("length"))) }},
	{"matern32", func(a args) SpectralMeasure { return studentT(3, inverse(a.get("length"))) }},
	{"matern52", func(a args) SpectralMeasure { return studentT(5, inverse(a.get("length"))) }},
	{"rq", func(a args) SpectralMeasure {
		alpha := a.get("alpha")
		return gammaMixture(alpha, inverse(a.get("length"))/math.Sqrt(alpha))
	}},
	{"cauchy", func(a args) SpectralMeasure { return gammaMixture(1, math.Sqrt2*inverse(a.get("length"))) }},
	{"imq", func(a args) SpectralMeasure { return gammaMixture(0.5, math.Sqrt2*inverse(a.get("length"))) }},
}

func spectralNames() string {
	var names []string
	for _, s := range spectra {
		names = append(names, s.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// studentT returns the multivariate t with the given degrees of freedom.
func studentT(freedom int, scale float64) SpectralMeasure {
	return SpectralMeasure{scale: func(d Draws) float64 {
		chi := 0.0
		for range freedom {
			z := d.Normal()
			chi += z * z
		}
		return scale * math.Sqrt(float64(freedom)/max(chi, math.SmallestNonzeroFloat64))
	}}
}

// gammaMixture returns (1 + (scale·r)²/2)^−alpha = E exp(−u·(scale·r)²/2), u of the
// gamma distribution with shape alpha.
func gammaMixture(alpha, scale float64) SpectralMeasure {
	return SpectralMeasure{scale: func(d Draws) float64 { return scale * math.Sqrt(gammaDraw(d, alpha)) }}
}

// gammaDraw draws from the gamma distribution with shape alpha and scale 1
// (Marsaglia & Tsang 2000, "A simple method for generating gamma variables").
func gammaDraw(d Draws, alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = math.Pow(1-d.Float64(), 1/alpha)
		alpha++
	}
	a := alpha - 1.0/3
	c := 1 / (3 * math.Sqrt(a))
	for {
		z := d.Normal()
		v := 1 + c*z
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-d.Float64()) < z*z/2+a*(1-v+math.Log(v)) {
			return boost * a * v
		}
	}
}

// Polynomial is weight·(gamma·x·y + coef0)^degree.
type Polynomial struct {
	Weight, Gamma, Coef0 float64
	Degree               int
}

// Polynomial returns the parameters of a multiple of poly or linear. It panics
// unless the kernel is resolved.
func (k Kernel) Polynomial() (Polynomial, bool) {
	weight, a := k.single()
	switch {
	case a == nil:
	case a.spec.name == "linear":
		return Polynomial{Weight: weight, Gamma: 1, Degree: 1}, true
	case a.spec.name == "poly":
		return Polynomial{Weight: weight, Gamma: a.args.get("gamma"), Coef0: a.args.get("coef0"), Degree: int(a.args.get("degree"))}, true
	}
	return Polynomial{}, false
}

// ProductExponential is weight·exp(scale·x·y). If damped, it is multiplied by exp(−scale·‖x‖²/2)·exp(−scale·‖y‖²/2),
// which makes it weight·exp(−scale·r²/2).
type ProductExponential struct {
	Weight, Scale float64
	Damped        bool
}

// ProductExponential returns the parameters of a multiple of expdot, or of rbf or gaussian, for which it is damped. It
// panics unless the kernel is resolved.
func (k Kernel) ProductExponential() (ProductExponential, bool) {
	weight, a := k.single()
	switch {
	case a == nil:
	case a.spec.name == "expdot":
		return ProductExponential{Weight: weight, Scale: a.args.get("scale")}, true
	case a.spec.name == "rbf":
		return ProductExponential{Weight: weight, Scale: clampPositive(2 * rbfGamma(a.args)), Damped: true}, true
	case a.spec.name == "gaussian":
		return ProductExponential{Weight: weight, Scale: clampPositive(2 * gaussianGamma(a.args)), Damped: true}, true
	}
	return ProductExponential{}, false
}
