// Package kernelgen makes tiles of kernel matrices. A kernel is a value: a base
// computed between two rows (inner product, squared distance, …) and a profile,
// the function of one number applied to it. Kernels add, multiply and scale.
// They are written and read as text, in one spelling for flags, model files and
// checkpoints:
//
//	k, err := kernelgen.Parse("0.5*rbf(gamma=1) + 2*linear()")
//	k, err = k.Resolve(sample) // puts numbers for gamma=scale, gamma=median, …
//	panel := k.Pack(landmarks) // the column side, prepared once
//	k.Fill(tile, rows, panel, &workspace)
//
// # The kernels
//
// In the table r = ‖x−y‖ is the Euclidean distance and d the number of columns.
// Words in the last column: "psd" kernels have a positive semi-definite matrix
// for every data set.
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
// The names, parameters and defaults are scikit-learn's where it has the kernel
// (sklearn.metrics.pairwise for poly, rbf, laplace, sigmoid and cosine;
// sklearn.gaussian_process.kernels for the Matérn kernels and rq). csrbf is the
// compactly supported RBF of Genton (2001) and of the element-wise sketching
// paper (ssrSVD); theta=auto is 3·√sigma2 and v=auto is ⌈(d+1)/2⌉. gaussian is rbf by
// the standard deviation. polynomial(degree=3, c=1) is read as poly with gamma=1 and
// coef0=c. squared and multiquadratic are distances with a minus, so that like rows have
// the larger entries.
//
// # Kernels that are not symmetric
//
// kl is exp(−a·KL(x‖y)) with the divergence of Kullback and Leibler between rows
// of probabilities. Each row is divided by its sum, whatever that is; 0·log 0 is
// 0, and where x has what y has not the divergence is +∞ and the entry 0. A row
// with a negative entry, or of sum 0, gives NaN: [Kernel.CheckRows] names it
// beforehand. The divergence of rows near each other has an absolute error, of
// some 1e-16 times the entropy of x, so that a·1e-16 is what the entry is
// accurate to.
//
// sne, t and softmax are divided by the sum of their row of the matrix, over all
// rows y of the right source. A tile does not have that sum, so they have no
// tiles: [Kernel.Normaliser] is the kernel to fill tiles of, its sums are for the
// caller to make, and [Kernel.FillLog] keeps them from overflowing.
// [Kernel.CheckPlain] is for callers that know nothing of this. Such a kernel
// stands alone or with a weight.
//
// # Kernels with a derivative
//
// A method that follows a gradient through the kernel, as solvers/ism does, needs
// more than tiles: [Kernel.Terms] takes a kernel apart into a weighted sum of functions
// f of one number, the inner product or the squared distance of two rows, each with its
// derivative as a [Curve] and what is known of the two, such as that one is a multiple
// of the other. linear, poly, rbf, gaussian, matern32, matern52, rq, cauchy,
// multiquadric, imq, squared, multiquadratic, relative and expdot have a derivative, and
// a user's [Profile] that comes with one; others, and products, are refused with the
// reason.
//
// relative has a scale for each row, which two rows alone do not tell. It has no tiles;
// its [Term] says what its function is to be applied to.
//
// # Parameters taken from data
//
// Instead of a number some parameters accept a word, which [Kernel.Resolve]
// replaces by the number that a sample of the rows gives:
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
// The medians are over all pairs of at most 1000 sample rows, taken at equal
// steps. If a median is 0, the mean of the distances that are not 0 stands in its place.
// Rows that are all equal have no scale: it is 1. A column whose values differ by no
// more than rounding counts as constant.
//
// # Grammar
//
//	kernel = term { "+" term }
//	term   = factor { "*" factor }             one factor at least is no number
//	factor = number | name [ "(" [ name "=" value { "," name "=" value } ] ")" ]
//	       | "(" kernel ")"
//	value  = number | [ number "*" ] word
//
// [ParseAll] reads alternatives too: kernels, or values, separated by "|".
//
// Numbers that multiply are positive, so that sums are conic combinations.
// [Kernel.String] writes every parameter, defaults included, and numbers with
// the digits that read back to the same bits.
//
// # Numbers
//
// An entry depends on its two rows alone, and has the same bits wherever it
// stands in a tile, and for (x, y) as for (y, x) if the kernel is symmetric.
// Finite rows do not give NaN: a distance above the range of float64 is +Inf and
// the profile takes its limit, 0 times an infinite factor is 0. The exceptions are
// a sum of kernels that overflow in opposite directions, and kl of rows that are
// no probabilities. Squared distances below 1e-308, of rows that differ by less
// than about 1e-154, lose digits or become zero: scale such data.
//
// # Adding a kernel
//
// A user of the library hands over a Go function, no more:
//
//	k := kernelgen.New(kernelgen.Profile{
//		Name: "tstudent", Base: kernelgen.SquaredDistance,
//		F: func(r2 float64) float64 { return 1 / (1 + math.Sqrt(r2)) },
//	})
//
// and can then mix it with others, or give the Profile to [Parse] and use its
// name in text. A built-in kernel is one entry in the table in builtins.go: name,
// base, formula, parameters, and a function from parameters to a function over a
// slice of base values; for one with a derivative, a function from parameters to that.
// A base is one entry in the table in bases.go. There is nothing else to write, and no
// loop over rows.
package kernelgen
