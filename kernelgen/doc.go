// Package kernelgen evaluates kernel matrices in tiles. A kernel is a value: a base computed between two rows (inner
// product, squared distance, …), and a profile, a function of one number applied to the base. Kernels can be added,
// multiplied and scaled. Flags, model files and checkpoints share one textual form:
//
//	k, err := kernelgen.Parse("0.5*rbf(gamma=1) + 2*linear()")
//	k, err = k.Resolve(sample) // puts numbers for gamma=scale, gamma=median, …
//	panel := k.Pack(landmarks) // the column side, prepared once
//	k.Fill(tile, rows, panel, &workspace)
//
// # The kernels
//
// In the table, r = ‖x−y‖ is the Euclidean distance and d the number of columns. Kernels marked "psd" have a positive
// semi-definite matrix for every data set.
//
//	linear()                            x·y                                  psd
//	poly(degree=3, gamma=auto, coef0=1) (gamma·x·y + coef0)^degree           psd if coef0 ≥ 0
//	rbf(gamma=auto | sigma2 | sigma)    exp(−gamma·r²), gamma = 1/sigma2     psd
//	                                    or 1/sigma²
//	gaussian(sigma=median)              exp(−r²/(2·sigma²))                  psd
//	laplace(gamma=auto)                 exp(−gamma·Σ|x_k−y_k|)               psd
//	exponential(gamma=auto)             exp(−gamma·r)                        psd
//	matern12(length=1)                  exp(−r/length)                       psd
//	matern32(length=1)                  (1+z)·exp(−z), z = √3·r/length       psd
//	matern52(length=1)                  (1+z+z²/3)·exp(−z), z = √5·r/length  psd
//	rq(alpha=1, length=1)               (1 + r²/(2·alpha·length²))^−alpha    psd
//	cauchy(length=1)                    1/(1 + r²/length²)                   psd
//	multiquadric(length=1)              √(1 + r²/length²)
//	imq(length=1)                       1/√(1 + r²/length²)                  psd
//	squared()                           −r²
//	multiquadratic(c=1)                 −√(r² + c²)
//	relative(neighbour=7)               exp(−r²/(2·σ_x·σ_y)), σ_x the distance of row x from
//	                                    its neighbour with that number
//	csrbf(sigma2, theta=auto, v=auto)   exp(−r²/sigma2)·max(0, 1−r/theta)^v  psd if v ≥ (d+1)/2
//	sigmoid(gamma=auto, coef0=1)        tanh(gamma·x·y + coef0)
//	cosine()                            x·y/(‖x‖·‖y‖); 0 for a zero row      psd
//	expdot(scale=1)                     exp(scale·x·y)                       psd
//	relu()                              max(0, x·y)
//	kl(a=1)                             exp(−a·Σ_k p_k·log(p_k/q_k)), p = x/Σx, q = y/Σy
//	sne(gamma)                          exp(−r²/gamma²) / Σ_y exp(−r²/gamma²)
//	t()                                 1/(1 + r²) / Σ_y 1/(1 + r²)
//	softmax(scale=1/sqrt(d))            exp(scale·x·y) / Σ_y exp(scale·x·y)
//
// Names, parameters and defaults are those of scikit-learn if it has the kernel (sklearn.metrics.pairwise for poly,
// rbf, laplace, sigmoid and cosine; sklearn.gaussian_process.kernels for the Matérn kernels and rq). csrbf is the
// compactly supported RBF of Genton (2001) and of the element-wise sketching paper (ssrSVD); theta=auto is 3·√sigma2
// and v=auto is ⌈(d+1)/2⌉. gaussian is rbf with the standard deviation as its parameter. polynomial(degree=3, c=1) is
// parsed as poly with gamma=1 and coef0=c. squared and multiquadratic are negated distances, so that similar rows have
// larger entries.
//
// # Kernels that are not symmetric
//
// kl is exp(−a·KL(x‖y)) with the divergence of Kullback and Leibler between rows of probabilities. Each row is divided
// by its sum; 0·log 0 is 0. If some entry is positive in x and 0 in y, the divergence is +∞ and the kernel 0. A row
// with a negative entry or a sum of 0 gives NaN; [Kernel.CheckRows] finds such rows beforehand. For nearly equal rows,
// the divergence has an absolute error of about 1e-16 times the entropy of x, so the entry is accurate to about
// a·1e-16.
//
// sne, t and softmax are divided by the sum of their row of the matrix, over all rows y of the right source. A tile
// does not contain the whole row, so they cannot fill tiles. Instead, fill tiles of the kernel returned by
// [Kernel.Normaliser] and sum its rows; [Kernel.FillLog] avoids overflow. Callers without this support should use
// [Kernel.CheckPlain]. Such a kernel may have a weight, but cannot be part of a sum or a product.
//
// # Kernels with a derivative
//
// Methods that use the gradient of the kernel, such as solvers/ism, need more than tiles. [Kernel.Terms] decomposes a
// kernel into a weighted sum of functions f of the inner product or the squared distance of two rows. Each comes with
// its derivative, as a [Curve], and with relations between the two, such as proportionality. linear, poly, rbf,
// gaussian, matern32, matern52, rq, cauchy, multiquadric, imq, squared, multiquadratic, relative and expdot have a
// derivative, and so has a custom [Profile] with one. Terms fails, with the reason, for other kernels and for products.
//
// relative has a scale for each row, which depends on other rows. It has no tiles; its [Term] describes the scaling.
//
// # Parameters taken from data
//
// Some parameters accept a word instead of a number. [Kernel.Resolve] replaces it by a number estimated from a sample
// of the rows:
//
//	gamma=auto     1/d
//	gamma=scale    1/(d·Var), Var the variance of all entries of the sample
//	gamma=median   1/median of the pairwise r² of different sample rows, or of the
//	               distance the kernel takes: r for exponential, Σ|x_k−y_k| for laplace
//	length=median, sigma=median, sigma2=median   the median of r, r, r²
//	gamma=median   of sne: the median of r, as for sigma
//	sigma=median   of gaussian: the median of r over pairs of rows that differ
//	scale=1/sqrt(d)   as it says
//
// A number may multiply a word: gamma=0.5*median.
//
// The medians are over all pairs of at most 1000 sample rows, evenly spaced. A median of 0 is replaced by the mean of
// the positive distances. If all rows are equal, it is 1. A column with values equal up to rounding counts as constant.
//
// # Grammar
//
//	kernel = term { "+" term }
//	term   = factor { "*" factor }             one factor at least is no number
//	factor = number | name [ "(" [ name "=" value { "," name "=" value } ] ")" ]
//	       | "(" kernel ")"
//	value  = number | [ number "*" ] word
//
// [ParseAll] also reads alternatives: kernels, or values, separated by "|".
//
// Weights are positive, so sums are conic combinations. [Kernel.String] writes every parameter, including defaults,
// with enough digits to read back the same bits.
//
// # Numbers
//
// An entry depends on its two rows alone. It has the same bits at any position in a tile, and for (y, x) as for (x, y)
// if the kernel is symmetric. Finite rows do not give NaN: a distance above the range of float64 is +Inf, where the
// profile takes its limit, and 0 times an infinite factor is 0. The exceptions are a sum of kernels that overflow in
// opposite directions, and kl of invalid rows. Squared distances below 1e-308, of rows that differ by less than about
// 1e-154, lose digits or become zero: scale such data.
//
// # Adding a kernel
//
// A user of the library only provides a Go function:
//
//	k := kernelgen.New(kernelgen.Profile{
//		Name: "tstudent", Base: kernelgen.SquaredDistance,
//		F: func(r2 float64) float64 { return 1 / (1 + math.Sqrt(r2)) },
//	})
//
// and can then combine it with other kernels, or pass the Profile to [Parse] and use its name in text. A built-in
// kernel is an entry in the table in builtins.go: name, base, formula, parameters, and a function that returns the
// profile for given parameters; with a derivative, another one that returns the derivative. A base is an entry in the
// table in bases.go. Neither needs a loop over rows.
package kernelgen
