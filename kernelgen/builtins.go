package kernelgen

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
)

// The table of built-in kernels. The shorthands for parameters are at the end.
var builtins = []*spec{
	{
		name: "linear", base: InnerProduct, formula: "x·y", psd: always,
		affine:  func(args) bool { return true },
		profile: func(args) profile { return profile{} },
		smooth:  func(args) smooth { return flat(1) },
	},
	{
		name: "poly", base: InnerProduct, formula: "(gamma·x·y + coef0)^degree",
		params: []param{degree("3"), gamma((*sample).medianSquared), coef0("1")},
		psd:    func(a args, _ int) bool { return a.get("coef0") >= 0 },
		affine: func(a args) bool { return a.get("degree") == 1 },
		profile: func(a args) profile {
			gamma, coef0, degree := a.get("gamma"), a.get("coef0"), int(a.get("degree"))
			return profile{fused: simd.Power(gamma, coef0, degree)}
		},
		smooth: polynomialSlope,
	},
	{
		name: "rbf", base: SquaredDistance, formula: "exp(−gamma·r²), gamma = 1/sigma2 = 1/sigma²", psd: always,
		params: []param{
			{name: "gamma", preset: "auto", domain: positive, words: gammaWords((*sample).medianSquared), or: "width"},
			{name: "sigma2", domain: positive, words: medianWord((*sample).medianSquared), or: "width"},
			{name: "sigma", domain: positive, words: medianWord((*sample).medianL2), or: "width"},
		},
		profile: func(a args) profile { return decay(rbfGamma(a)) },
		smooth:  func(a args) smooth { return proportional(-rbfGamma(a)) },
	},
	{
		name: "gaussian", base: SquaredDistance, formula: "exp(−r²/(2·sigma²))", psd: always,
		params:  []param{{name: "sigma", preset: "median", domain: positive, words: medianWord((*sample).medianApart)}},
		profile: func(a args) profile { return decay(gaussianGamma(a)) },
		smooth:  func(a args) smooth { return proportional(-gaussianGamma(a)) },
	},
	{
		name: "laplace", base: L1Distance, formula: "exp(−gamma·Σ|x_k−y_k|)", psd: always,
		params:  []param{gamma((*sample).medianL1)},
		profile: func(a args) profile { return decay(a.get("gamma")) },
	},
	{
		name: "exponential", base: SquaredDistance, formula: "exp(−gamma·r)", psd: always,
		params:  []param{gamma((*sample).medianL2)},
		profile: func(a args) profile { return matern(a.get("gamma"), 1, 0, 0) },
	},
	{
		name: "matern12", base: SquaredDistance, formula: "exp(−r/length)", psd: always,
		params:  []param{length()},
		profile: func(a args) profile { return matern(1, a.get("length"), 0, 0) },
	},
	{
		name: "matern32", base: SquaredDistance, formula: "(1+z)·exp(−z), z = √3·r/length", psd: always,
		params:  []param{length()},
		profile: func(a args) profile { return matern(math.Sqrt(3), a.get("length"), 1, 0) },
		smooth: func(a args) smooth {
			l := a.get("length")
			return falling(-3/(2*l*l), matern(math.Sqrt(3), l, 0, 0))
		},
	},
	{
		name: "matern52", base: SquaredDistance, formula: "(1+z+z²/3)·exp(−z), z = √5·r/length", psd: always,
		params:  []param{length()},
		profile: func(a args) profile { return matern(math.Sqrt(5), a.get("length"), 1, 1.0/3) },
		smooth: func(a args) smooth {
			l := a.get("length")
			return falling(-5/(6*l*l), matern(math.Sqrt(5), l, 1, 0))
		},
	},
	{
		name: "rq", base: SquaredDistance, formula: "(1 + r²/(2·alpha·length²))^−alpha", psd: always,
		params: []param{{name: "alpha", preset: "1", domain: positive}, length()},
		profile: func(a args) profile {
			alpha, length := a.get("alpha"), a.get("length")
			return rationalQuadratic(inverse(2*alpha*length*length), alpha)
		},
		smooth: func(a args) smooth {
			alpha, l := a.get("alpha"), a.get("length")
			return falling(-1/(2*l*l), rationalQuadratic(inverse(2*alpha*l*l), alpha+1))
		},
	},
	{
		name: "cauchy", base: SquaredDistance, formula: "1/(1 + r²/length²)", psd: always,
		params: []param{length()},
		profile: func(a args) profile {
			return elementwise(simd.Reciprocal, inverseSquare(a.get("length")))
		},
		smooth: func(a args) smooth {
			c := inverseSquare(a.get("length"))
			return falling(-c, rationalQuadratic(c, 2))
		},
	},
	{
		name: "multiquadric", base: SquaredDistance, formula: "√(1 + r²/length²)", psd: never,
		params: []param{length()},
		profile: func(a args) profile {
			return elementwise(simd.Root, inverseSquare(a.get("length")))
		},
		smooth: func(a args) smooth { return rootSlope(1, a.get("length")) },
	},
	{
		name: "imq", base: SquaredDistance, formula: "1/√(1 + r²/length²)", psd: always,
		params: []param{length()},
		profile: func(a args) profile {
			return elementwise(simd.InverseRoot, inverseSquare(a.get("length")))
		},
		smooth: func(a args) smooth {
			c := inverseSquare(a.get("length"))
			return falling(-c/2, rationalQuadratic(c, 1.5))
		},
	},
	{
		name: "squared", base: SquaredDistance, formula: "−r²", psd: never,
		profile: func(args) profile { return negative(1, profile{}) },
		smooth:  distanceSlope,
	},
	{
		name: "multiquadratic", base: SquaredDistance, formula: "−√(r² + c²)", psd: never,
		params: []param{{name: "c", preset: "1", domain: positive}},
		profile: func(a args) profile {
			return negative(a.get("c"), elementwise(simd.Root, inverseSquare(a.get("c"))))
		},
		smooth: func(a args) smooth { return rootSlope(-a.get("c"), a.get("c")) },
	},
	{
		name: "relative", base: SquaredDistance, formula: "exp(−r²/(2·σ_x·σ_y)), σ the distance of a neighbour", psd: never, scaled: true,
		params:  []param{{name: "neighbour", preset: "7", domain: count}},
		profile: neverApplied,
		smooth: func(args) smooth {
			s := proportional(-0.5)
			s.value = Curve{Factor: 1, profile: decay(0.5), psd: true}
			return s
		},
	},
	{
		name: "csrbf", base: SquaredDistance, formula: "exp(−r²/sigma2)·max(0, 1−r/theta)^v",
		params: []param{
			{name: "sigma2", domain: positive, words: medianWord((*sample).medianSquared)},
			{name: "theta", preset: "auto", domain: positive, words: []word{{"auto", threeSigma}}},
			{name: "v", preset: "auto", domain: positive, words: []word{{"auto", smallestExponent}}},
		},
		psd: compactIsPSD,
		profile: func(a args) profile {
			return compactRBF(inverse(a.get("sigma2")), a.get("theta"), a.get("v"))
		},
	},
	{
		name: "sigmoid", base: InnerProduct, formula: "tanh(gamma·x·y + coef0)", psd: never,
		params: []param{gamma((*sample).medianSquared), coef0("1")},
		profile: func(a args) profile {
			return elementwise(simd.Tanh, a.get("gamma"), a.get("coef0"))
		},
	},
	{
		name: "cosine", base: CosineSimilarity, formula: "x·y/(‖x‖·‖y‖); 0 for a zero row", psd: always,
		profile: func(args) profile { return profile{} },
	},
	{
		name: "expdot", base: InnerProduct, formula: "exp(scale·x·y)", psd: always,
		params:  []param{dotScale("1")},
		profile: func(a args) profile { return exponentialOf(a.get("scale")) },
		smooth:  func(a args) smooth { return proportional(a.get("scale")) },
	},
	{
		name: "relu", base: InnerProduct, formula: "max(0, x·y)", psd: never,
		profile: func(args) profile { return elementwise(simd.Relu) },
	},
	{
		name: "kl", base: KLDivergence, formula: "exp(−a·Σ p_k·log(p_k/q_k)), p = x/Σx, q = y/Σy", psd: never,
		params:  []param{{name: "a", preset: "1", domain: positive}},
		profile: func(a args) profile { return decay(a.get("a")) },
	},
	{
		name: "sne", base: SquaredDistance, formula: "exp(−r²/gamma²), divided by its sum over all y", psd: never,
		params: []param{{name: "gamma", domain: positive, words: medianWord((*sample).medianL2)}},
		divides: &normalisation{"rbf", func(a args) args {
			return args{{name: "sigma", value: a[0].value, word: a[0].word}}
		}},
		profile: neverApplied,
	},
	{
		name: "t", base: SquaredDistance, formula: "1/(1 + r²), divided by its sum over all y", psd: never,
		divides: &normalisation{"cauchy", func(args) args { return args{number("length", 1)} }},
		profile: neverApplied,
	},
	{
		name: "softmax", base: InnerProduct, formula: "exp(scale·x·y), divided by its sum over all y", psd: never,
		params:  []param{dotScale("1/sqrt(d)")},
		divides: &normalisation{"expdot", func(a args) args { return a }},
		profile: neverApplied,
	},
}

// otherNames are alternative spellings of kernels in the table. They are parsed but never written.
var otherNames = []*spec{
	{
		name: "polynomial", base: InnerProduct, formula: "poly with gamma = 1 and coef0 = c",
		params: []param{degree("3"), {name: "c", preset: "1", domain: finite}},
		spells: &normalisation{"poly", func(a args) args { return args{a[0], number("gamma", 1), number("coef0", a[1].value)} }},
	},
}

// neverApplied is the profile of kernels that are not functions of two rows alone.
func neverApplied(args) profile { return profile{} }

func always(args, int) bool { return true }
func never(args, int) bool  { return false }

func degree(preset string) param { return param{name: "degree", preset: preset, domain: count} }
func coef0(preset string) param  { return param{name: "coef0", preset: preset, domain: finite} }

// gamma returns the inverse of a distance or squared distance; median is the statistic it inverts.
func gamma(median statistic) param {
	return param{name: "gamma", preset: "auto", domain: positive, words: gammaWords(median)}
}

// dotScale returns the factor of an inner product; 1/sqrt(d) is that of attention (Vaswani et al. 2017).
func dotScale(preset string) param {
	return param{name: "scale", preset: preset, domain: positive, words: []word{{"1/sqrt(d)", inverseRootCols}}}
}

func length() param {
	return param{name: "length", preset: "1", domain: positive, words: medianWord((*sample).medianL2)}
}
