package kernelgen

// Constructors of built-in kernels panic if a parameter is out of range. The package comment has the formulas.

// Linear returns the kernel x·y.
func Linear() Kernel { return builtin("linear") }

// Poly returns the kernel (gamma·x·y + coef0)^degree for degree ≥ 1 and gamma > 0.
func Poly(degree int, gamma, coef0 float64) Kernel {
	return builtin("poly", number("degree", float64(degree)), number("gamma", gamma), number("coef0", coef0))
}

// RBF returns the kernel exp(−gamma·‖x−y‖²), gamma > 0.
func RBF(gamma float64) Kernel { return builtin("rbf", number("gamma", gamma)) }

// Gaussian returns the kernel exp(−‖x−y‖²/(2·sigma²)), sigma > 0, which is [RBF] with another parameter.
func Gaussian(sigma float64) Kernel { return builtin("gaussian", number("sigma", sigma)) }

// Laplace returns the kernel exp(−gamma·Σ|x_k−y_k|), gamma > 0.
func Laplace(gamma float64) Kernel { return builtin("laplace", number("gamma", gamma)) }

// Exponential returns the kernel exp(−gamma·‖x−y‖), gamma > 0.
func Exponential(gamma float64) Kernel { return builtin("exponential", number("gamma", gamma)) }

// Matern12 returns the kernel exp(−‖x−y‖/length), the Matérn kernel with ν = 1/2.
func Matern12(length float64) Kernel { return builtin("matern12", number("length", length)) }

// Matern32 returns the kernel (1+z)·exp(−z) with z = √3·‖x−y‖/length, the Matérn kernel with ν = 3/2.
func Matern32(length float64) Kernel { return builtin("matern32", number("length", length)) }

// Matern52 returns the kernel (1+z+z²/3)·exp(−z) with z = √5·‖x−y‖/length, the Matérn kernel with ν = 5/2.
func Matern52(length float64) Kernel { return builtin("matern52", number("length", length)) }

// RationalQuadratic returns the kernel (1 + ‖x−y‖²/(2·alpha·length²))^−alpha.
func RationalQuadratic(alpha, length float64) Kernel {
	return builtin("rq", number("alpha", alpha), number("length", length))
}

// Cauchy returns the kernel 1/(1 + ‖x−y‖²/length²).
func Cauchy(length float64) Kernel { return builtin("cauchy", number("length", length)) }

// Multiquadric returns the kernel √(1 + ‖x−y‖²/length²). It is not positive semi-definite.
func Multiquadric(length float64) Kernel { return builtin("multiquadric", number("length", length)) }

// InverseMultiquadric returns the kernel 1/√(1 + ‖x−y‖²/length²).
func InverseMultiquadric(length float64) Kernel { return builtin("imq", number("length", length)) }

// Squared returns the kernel −‖x−y‖². It is not positive semi-definite.
func Squared() Kernel { return builtin("squared") }

// Multiquadratic returns the kernel −√(‖x−y‖² + c²), c > 0. It is not positive semi-definite.
func Multiquadratic(c float64) Kernel { return builtin("multiquadratic", number("c", c)) }

// Relative returns the kernel exp(−‖x−y‖²/(2·σ_x·σ_y)), where σ_x is the distance of x from its nearest neighbour of
// the given number: see [Term].
func Relative(neighbour int) Kernel {
	return builtin("relative", number("neighbour", float64(neighbour)))
}

// CompactRBF returns the kernel exp(−‖x−y‖²/sigma2)·max(0, 1−‖x−y‖/theta)^v. It is positive
// semi-definite for rows of up to 2v−1 columns.
func CompactRBF(sigma2, theta, v float64) Kernel {
	return builtin("csrbf", number("sigma2", sigma2), number("theta", theta), number("v", v))
}

// Sigmoid returns the kernel tanh(gamma·x·y + coef0), gamma > 0. It is not positive semi-definite.
func Sigmoid(gamma, coef0 float64) Kernel {
	return builtin("sigmoid", number("gamma", gamma), number("coef0", coef0))
}

// Cosine returns the kernel x·y/(‖x‖‖y‖), 0 if one of the rows is zero.
func Cosine() Kernel { return builtin("cosine") }

// ExpDot returns the kernel exp(scale·x·y), scale > 0.
func ExpDot(scale float64) Kernel { return builtin("expdot", number("scale", scale)) }

// ReLU returns the kernel max(0, x·y). It is not positive semi-definite.
func ReLU() Kernel { return builtin("relu") }

// KL returns the kernel exp(−a·KL(x‖y)), a > 0: see [KLDivergence]. It is not symmetric.
func KL(a float64) Kernel { return builtin("kl", number("a", a)) }

// SNE returns the kernel exp(−‖x−y‖²/gamma²) divided by its sum over all rows y, gamma > 0, as in stochastic neighbour
// embedding (Hinton & Roweis 2002): see [Kernel.Normaliser].
func SNE(gamma float64) Kernel { return builtin("sne", number("gamma", gamma)) }

// StudentT returns the kernel 1/(1 + ‖x−y‖²) divided by its sum over all rows y: see [Kernel.Normaliser].
func StudentT() Kernel { return builtin("t") }

// Softmax returns the kernel exp(scale·x·y) divided by its sum over all rows y, scale > 0, as in attention: see
// [Kernel.Normaliser].
func Softmax(scale float64) Kernel { return builtin("softmax", number("scale", scale)) }

func number(name string, v float64) arg { return arg{name: name, value: v} }

// builtin returns a kernel of the table, given all its arguments in order.
func builtin(name string, a ...arg) Kernel {
	s := findSpec(builtins, name)
	for _, arg := range a {
		p, _ := s.find(arg.name)
		if err := p.check(arg.value); err != nil {
			panic("kernelgen: " + name + ": " + err.Error())
		}
	}
	return newAtom(s, a).kernel()
}
