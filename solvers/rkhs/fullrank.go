package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// Where no few rows span the features of all of them, as with Laplace and Matérn kernels,
// EngineExact finds the leading functions as expansions over all rows, by block Krylov
// iteration with the inner product of the RKHS. With functions Φ·a and values G·a = Φᵀ(Φ·a)
// at the rows, the operators are maps of values to coefficients,
//
//	covariance            Φ·a → Φ·(G·a)
//	cross-covariance      Φ·a → Ψ·(G_Φ·a)
//	cme                   Φ·a → Ψ·(G_Φ+ε)⁻¹·(G_Φ·a)
//	koopman               Ψ·b → Φ·(G_Φ+ε)⁻¹·(G_Ψ·b)
//	perron-frobenius      (C_XX+ε)⁻¹·h = (h − Φ·(G_Φ+ε)⁻¹·Φᵀh)/ε of h = Ψ·(Φᵀg)
//	cca                   Φ·a → Ψ·(G_Ψ+ε)⁻¹·(G_Φ·a)
//
// each with its adjoint, the last between the spaces of inner product ⟨g, (C+ε)h⟩, where it
// has the singular values of CCA and canonical functions as singular functions. A product
// with G is a pass over exact tiles; systems are solved by [inverse].

// whole is a fit of functions that are expansions over all rows.
type whole struct {
	setting
	engine stream.Engine
	data   *Data
	x, y   *gramTiles // the same for functions of one space, whose rows are x and behind them y
	invert [2]*inverse
	fit    *Fit
}

// wholeTolerance is that on residuals, wholePasses how many iterations there are at most.
const (
	wholeTolerance = 1e-11
	wholePasses    = 300
)

// supportsWhole says why an operator has no such fit, or nil.
func (s setting) supportsWhole() error {
	ridge, inverts := s.Operator.Regularisation()
	_, cca := s.Operator.(CCA)
	known := false
	switch o := s.Operator.(type) {
	case Covariance, CrossCovariance, MeanEmbedding, Koopman, CCA:
		known = true
	case PerronFrobenius:
		known = !o.Sampled
	}
	switch {
	case !known:
		return fmt.Errorf("operator %s is made of features that have a span", s.Operator)
	case inverts && ridge == 0:
		return fmt.Errorf("an inverse of a Gram matrix of all rows needs a `ridge` above 0")
	case cca && s.Task == Eigen:
		return fmt.Errorf("eigenvalues of operator %s need features that have a span", s.Operator)
	}
	for _, k := range s.kernels {
		if !k.PositiveSemiDefinite() {
			return fmt.Errorf("kernel %s is not known to be positive semi-definite", k)
		}
	}
	return nil
}

// fitWhole decomposes the operator by expansions over all rows, after entries that were spent.
func (s setting) fitWhole(ctx context.Context, e stream.Engine, d *Data, asked int, spent int64) (*Fit, error) {
	w := s.newWhole(e, d)
	w.fit.KernelEntries = spent
	w.fit.Note(fmt.Sprintf("functions are expansions over all rows, found by exact passes: no %d rows span the features of kernel %s", s.Landmarks, s.kernels[OfX]))
	if err := w.decompose(ctx); err != nil {
		return nil, err
	}
	w.report()
	w.fit.remark(s.Solver, asked)
	return w.fit, nil
}

// newWhole returns a fit that has not begun.
func (s setting) newWhole(e stream.Engine, d *Data) *whole {
	w := &whole{setting: s, engine: e, data: d}
	w.fit = &Fit{Model: &Model{Task: s.Task, Operator: s.Operator, Engine: EngineExact, Centred: s.Centre, Seed: s.Seed, Pairs: d.n, Lag: d.lag},
		Partial: true, TraceResiduals: [2]float64{0, math.NaN()}, Trace: math.NaN()}
	return w
}

// decompose makes the model.
func (w *whole) decompose(ctx context.Context) error {
	if err := w.load(ctx); err != nil {
		return err
	}
	solve := w.svd
	if w.Task == Eigen {
		solve = w.eigen
	}
	if err := solve(ctx); err != nil {
		return err
	}
	if values := w.fit.Eigenvalues(); cmplx.Abs(values[0]) <= wholeRounding*w.size() {
		return errZeroOperator(w.Operator)
	}
	return nil
}

// wholeRounding is the part of the size of an operator below which all of it is rounding.
const wholeRounding = 1e-14

// size returns what the product of the norms of the factors of the operator is at most.
func (w *whole) size() float64 {
	size := w.x.bound()
	if w.y != nil {
		size = math.Sqrt(size * w.y.bound())
	}
	if ridge, inverts := w.Operator.Regularisation(); inverts {
		size /= ridge
	}
	return size
}

// oneSpan reports whether the functions of both sides are expansions over the rows of both.
func (w *whole) oneSpan() bool {
	_, transfer := w.Operator.(PerronFrobenius)
	return transfer || w.Task == Eigen && !w.Operator.Traits().Alone
}

// load reads all rows.
func (w *whole) load(ctx context.Context) error {
	d := w.data
	all := stream.Numbers(int(d.n))
	rows, err := d.gather(ctx, OfX, all)
	if err != nil {
		return err
	}
	w.x = w.tiles(OfX, rows, 1)
	w.fit.Features[0] = rows.Rows
	if !w.Centre {
		w.fit.Trace = w.trace(rows)
	}
	if w.Operator.Traits().Alone {
		return w.x.kernel.CheckRows(rows, 0)
	}
	late, err := d.gather(ctx, OfY, all)
	if err != nil {
		return err
	}
	w.fit.TraceResiduals[1], w.fit.Features[1] = 0, late.Rows
	if !w.oneSpan() {
		w.y = w.tiles(OfY, late, 1)
		return errors.Join(w.x.kernel.CheckRows(rows, 0), w.y.kernel.CheckRows(late, 0))
	}
	both := stream.NewMatrix(2*rows.Rows, rows.Cols)
	copy(both.Data, rows.Data)
	copy(both.Data[len(rows.Data):], late.Data)
	w.x = w.tiles(OfX, both, 2)
	w.y = w.x
	return w.x.kernel.CheckRows(both, 0)
}

// trace returns that of C_XX.
func (w *whole) trace(x blas64.General) (t float64) {
	diagonal := make([]float64, x.Rows)
	w.kernels[OfX].Diag(diagonal, x)
	for i, k := range diagonal {
		r := w.data.rootWeight(int64(i))
		t += r * r * k
	}
	return t
}

func (w *whole) tiles(s Side, rows blas64.General, parts int) *gramTiles {
	g := &gramTiles{kernel: w.kernels[s], engine: w.engine, rows: rows, parts: parts, centred: w.Centre, roots: make([]float64, rows.Rows)}
	for i := range g.roots {
		g.roots[i] = w.data.rootWeight(int64(i) % w.data.n)
	}
	return g
}

// inverse returns the solver of a side.
func (w *whole) inverse(ctx context.Context, s Side) (*inverse, error) {
	if w.invert[s] != nil {
		return w.invert[s], nil
	}
	ridge, _ := w.Operator.Regularisation()
	g := w.y
	if s == OfX {
		g = w.x
	}
	if g.parts == 2 { // x is the first half
		g = w.tiles(s, g.part(g.rows, int(s)), 1)
	}
	var err error
	w.invert[s], err = newInverse(ctx, g, ridge, w.Seed)
	return w.invert[s], err
}

// halves puts coefficients of x and y, either of which may be empty, above each other.
func halves(n int, x, y blas64.General) blas64.General {
	m := stream.NewMatrix(2*n, max(x.Cols, y.Cols))
	for i := range x.Rows {
		copy(dense.Row(m, i), dense.Row(x, i))
	}
	for i := range y.Rows {
		copy(dense.Row(m, n+i), dense.Row(y, i))
	}
	return m
}

// action is a map of elements to coefficients.
type action func(ctx context.Context, g elements) (blas64.General, error)

// copyValues is the map of values to the same coefficients.
func copyValues(_ context.Context, g elements) (blas64.General, error) { return dense.Clone(g.v), nil }

// actions returns the operator and its adjoint between two spans.
func (w *whole) actions(ctx context.Context) (forth, back action, err error) {
	solving := func(in *inverse) action {
		return func(ctx context.Context, g elements) (blas64.General, error) { return in.solve(ctx, g.v, 0) }
	}
	var x, y *inverse
	if _, inverts := w.Operator.Regularisation(); inverts {
		if x, err = w.inverse(ctx, OfX); err != nil {
			return nil, nil, err
		}
	}
	switch w.Operator.(type) {
	case MeanEmbedding, Koopman:
		return solving(x), solving(x), nil
	case CCA:
		y, err = w.inverse(ctx, OfY)
		return solving(y), solving(x), err
	}
	return copyValues, copyValues, nil
}

// oneSpanActions returns operators and their adjoints between expansions over x and y.
func (w *whole) oneSpanActions(ctx context.Context) (forth, back action, err error) {
	n, none := int(w.data.n), blas64.General{}
	if _, inverts := w.Operator.Regularisation(); !inverts { // C_YX
		return func(_ context.Context, g elements) (blas64.General, error) {
				return halves(n, none, w.x.part(g.v, 0)), nil
			},
			func(_ context.Context, g elements) (blas64.General, error) {
				return halves(n, w.x.part(g.v, 1), none), nil
			}, nil
	}
	// Perron and Frobenius: (C_XX+ε)⁻¹·Ψ·Φᵀg and, for the adjoint, Φ·Ψᵀ·(C_XX+ε)⁻¹·h.
	in, err := w.inverse(ctx, OfX)
	forth = func(ctx context.Context, g elements) (blas64.General, error) {
		return w.divided(ctx, halves(n, none, w.x.part(g.v, 0)))
	}
	back = func(ctx context.Context, h elements) (blas64.General, error) {
		c, err := in.solve(ctx, w.x.part(h.v, 0), 0)
		if err != nil {
			return c, err
		}
		v, err := w.x.multiply(ctx, halves(n, c, none))
		if err != nil {
			return v, err
		}
		out := dense.Clone(w.x.part(h.v, 1))
		dense.Add(-1, w.x.part(v, 1), out)
		scaleBy(1/in.ridge, out)
		return halves(n, out, none), nil
	}
	return forth, back, err
}

// divided returns the coefficients of (C_XX+ε)⁻¹·h = (h − Φ·(G_Φ+ε)⁻¹·Φᵀh)/ε.
func (w *whole) divided(ctx context.Context, h blas64.General) (blas64.General, error) {
	in, err := w.inverse(ctx, OfX)
	if err != nil {
		return h, err
	}
	v, err := w.x.multiply(ctx, h)
	if err != nil {
		return v, err
	}
	c, err := in.solve(ctx, w.x.part(v, 0), 0)
	if err != nil {
		return c, err
	}
	out := dense.Clone(h)
	dense.Add(-1, c, w.x.part(out, 0))
	scaleBy(1/in.ridge, out)
	return out, nil
}

func scaleBy(by float64, m blas64.General) {
	for i := range m.Rows {
		row := dense.Row(m, i)
		for j := range row {
			row[j] *= by
		}
	}
}

// spaces returns the domain and the range.
func (w *whole) spaces() (domain, codomain space) {
	_, cca := w.Operator.(CCA)
	ridge, _ := w.Operator.Regularisation()
	of := func(s Side) space {
		g := w.x
		if s == OfY {
			g = w.y
		}
		if cca {
			return space{g, ridge, ofCovariance}
		}
		return space{g, ridge, ofFunctions}
	}
	t := w.Operator.Traits()
	return of(t.Domain), of(t.Range)
}

// iteration returns an iteration that has not begun.
func (w *whole) iteration(on space) *ritz {
	return &ritz{space: on, op: w.Operator, rank: min(w.Rank, on.rows.Rows), seed: w.Seed}
}

// svd finds the leading eigenpairs of S*S, and with them the singular functions.
func (w *whole) svd(ctx context.Context) error {
	domain, codomain := w.spaces()
	actions := w.actions
	if w.oneSpan() {
		actions = w.oneSpanActions
	}
	forth, back, err := actions(ctx)
	if err != nil {
		return err
	}
	it := w.iteration(domain)
	it.symmetric = true
	it.apply = func(ctx context.Context, g elements) (image, half elements, err error) {
		c, err := forth(ctx, g)
		if err != nil {
			return
		}
		if half, err = codomain.element(ctx, c); err != nil {
			return
		}
		if c, err = back(ctx, half); err != nil {
			return
		}
		image, err = domain.element(ctx, c)
		return
	}
	if _, err := it.run(ctx); err != nil {
		return err
	}
	u, v := it.singular(codomain, w.fit)
	if u.count() == 0 {
		return errZeroOperator(w.Operator)
	}
	m, t := w.fit.Model, w.Operator.Traits()
	left, right := []placed{{u.a, t.Range, &m.Left}}, []placed{{v.a, t.Domain, &m.Right}}
	if domain.metric == ofCovariance {
		left[0].to, right[0].to = &m.CanonicalLeft, &m.CanonicalRight
		a, err := w.invert[OfY].root(ctx, u, w.y.bound())
		if err != nil {
			return err
		}
		b, err := w.invert[OfX].root(ctx, v, w.x.bound())
		if err != nil {
			return err
		}
		left, right = append(left, placed{a, t.Range, &m.Left}), append(right, placed{b, t.Domain, &m.Right})
	}
	if domain.gramTiles == codomain.gramTiles {
		return w.place(ctx, domain.gramTiles, append(left, right...)...)
	}
	return errors.Join(w.place(ctx, codomain.gramTiles, left...), w.place(ctx, domain.gramTiles, right...))
}

// bound returns a number that no eigenvalue of G is above: its trace.
func (g *gramTiles) bound() float64 {
	diagonal, trace := make([]float64, g.rows.Rows), 0.0
	g.kernel.Diag(diagonal, g.rows)
	for i, v := range diagonal {
		trace += g.roots[i] * g.roots[i] * v
	}
	return trace
}

// singular returns the singular functions, and puts values and residuals into fit.
func (r *ritz) singular(codomain space, fit *Fit) (u, v elements) {
	vectors := dense.Columns(r.pairs.right.re, 0, r.wanted())
	v, u = r.basis.times(vectors), r.halves.times(vectors)
	values := codomain.norms(u)
	keep := dense.Rank(values, rankTolerance)
	u, v = u.columns(0, keep), v.columns(0, keep)
	over := dense.Reciprocals(values[:keep])
	dense.ScaleColumns(u.a, over)
	dense.ScaleColumns(u.v, over)
	fit.Values, fit.Spectrum = values[:keep], values[:keep]
	for j, off := range r.residual[:keep] { // ‖S*Sv−σ²v‖/σ_1², and Sv = σu
		fit.Residuals = append(fit.Residuals, off*values[0]/values[j])
	}
	return u, v
}

// eigen finds eigenpairs of S, and of S* for the left functions.
func (w *whole) eigen(ctx context.Context) error {
	on, _ := w.spaces()
	if w.Operator.Traits().Symmetric {
		it := w.iteration(on)
		it.symmetric = true
		it.apply = w.imagesBy(on, copyValues)
		if _, err := it.run(ctx); err != nil {
			return err
		}
		vectors := dense.Clone(dense.Columns(it.pairs.right.re, 0, it.wanted()))
		w.eigenvalues(it.pairs.values[:it.wanted()], it.residual)
		v := it.basis.times(vectors)
		err := w.place(ctx, on.gramTiles, placed{v.a, OfX, &w.fit.Right})
		w.fit.Left = w.fit.Right
		return err
	}
	if _, inverts := w.Operator.Regularisation(); inverts {
		return w.transfer(ctx)
	}
	forth, back, err := w.oneSpanActions(ctx)
	if err != nil {
		return err
	}
	right, left, err := w.bothWays(ctx, on, forth, back)
	if err != nil {
		return err
	}
	return w.placePairs(ctx, on.gramTiles, left, right)
}

// transfer finds the eigenpairs of transfer operators from those of a matrix and its
// transpose,
//
//	A = G_ΨΦ·(G_Φ+ε)⁻¹        A·r = λ·r        Aᵀ·t = λ·t
//
// which is nearly normal for processes that are reversible, while the operators are far
// from it in the norm of the RKHS: Koopman's have v = Φ·(G_Φ+ε)⁻¹·r and, of S*, Ψ·t;
// the conditional mean embedding has the same the other way round; and
// Perron–Frobenius' are (C_XX+ε)⁻¹·Ψ·t and (C_XX+ε)·v.
func (w *whole) transfer(ctx context.Context) error {
	in, err := w.inverse(ctx, OfX)
	if err != nil {
		return err
	}
	n, none := int(w.data.n), blas64.General{}
	forth := func(ctx context.Context, r elements) (blas64.General, error) {
		c, err := in.solve(ctx, r.a, 0)
		if err != nil {
			return c, err
		}
		v, err := w.x.multiply(ctx, halves(n, c, none))
		return dense.Clone(w.x.part(v, 1)), err
	}
	back := func(ctx context.Context, t elements) (blas64.General, error) {
		v, err := w.x.multiply(ctx, halves(n, none, t.a))
		if err != nil {
			return v, err
		}
		return in.solve(ctx, w.x.part(v, 0), 0)
	}
	on := space{in.gramTiles, 0, ofVectors}
	r, t, err := w.bothWays(ctx, on, forth, back)
	if err != nil {
		return err
	}
	c, err := in.solve(ctx, r, 0)
	if err != nil {
		return err
	}
	koopman, embedded := halves(n, c, none), halves(n, none, t)
	switch w.Operator.(type) {
	case Koopman:
		return w.placePairs(ctx, w.x, embedded, koopman)
	case MeanEmbedding:
		return w.placePairs(ctx, w.x, koopman, embedded)
	}
	right, err := w.divided(ctx, embedded)
	if err != nil {
		return err
	}
	v, err := w.x.multiply(ctx, koopman)
	if err != nil {
		return err
	}
	left := halves(n, w.x.part(v, 0), none)
	dense.Add(in.ridge, koopman, left)
	return w.placePairs(ctx, w.x, left, right)
}

// imagesBy returns what makes elements of an action.
func (w *whole) imagesBy(on space, a action) func(context.Context, elements) (image, half elements, err error) {
	return func(ctx context.Context, g elements) (image, half elements, err error) {
		c, err := a(ctx, g)
		if err != nil {
			return
		}
		image, err = on.element(ctx, c)
		return
	}
}

// eigenvalues puts values and residuals into the fit.
func (w *whole) eigenvalues(values []complex128, residuals []float64) {
	m := w.fit.Model
	isComplex := false
	for i, v := range values {
		m.Values, m.Imag = append(m.Values, real(v)), append(m.Imag, imag(v))
		w.fit.Spectrum = append(w.fit.Spectrum, math.Hypot(real(v), imag(v)))
		isComplex = isComplex || imag(v) != 0
		w.fit.Residuals = append(w.fit.Residuals, residuals[i])
	}
	if !isComplex {
		m.Imag = nil
	}
}

// bothWays iterates with an operator and with its adjoint, and returns what twoSided does.
func (w *whole) bothWays(ctx context.Context, on space, forth, back action) (v, u blas64.General, err error) {
	var found [2]*ritz
	for i, a := range []action{forth, back} {
		found[i] = w.iteration(on)
		found[i].apply = w.imagesBy(on, a)
		if _, err := found[i].run(ctx); err != nil {
			return v, u, err
		}
	}
	return w.twoSided(found[0], found[1])
}

// twoSided returns the eigenvectors of an operator and of its adjoint, imaginary parts behind
// the real ones if there are any, both for the same values λ.
func (w *whole) twoSided(right, left *ritz) (v, u blas64.General, err error) {
	r := min(right.wanted(), left.wanted())
	residuals := make([]float64, r)
	for j := range residuals {
		residuals[j] = math.Max(right.residual[j], left.residual[j])
		apart := cmplx.Abs(right.pairs.values[j] - left.pairs.values[j])
		residuals[j] = math.Max(residuals[j], apart/cmplx.Abs(right.pairs.values[0]))
	}
	w.eigenvalues(right.pairs.values[:r], residuals)
	parts := func(it *ritz) blas64.General {
		re := it.basis.times(dense.Columns(it.pairs.right.re, 0, r))
		if w.fit.Imag == nil {
			return re.a
		}
		return joinColumns(re.a, it.basis.times(dense.Columns(it.pairs.right.im, 0, r)).a)
	}
	return parts(right), parts(left), nil
}

// placePairs makes eigenfunctions of S for λ and, of S*, the conjugates of those for λ.
func (w *whole) placePairs(ctx context.Context, on *gramTiles, left, right blas64.General) error {
	m := w.fit.Model
	if m.Imag != nil {
		scaleBy(-1, dense.Columns(left, left.Cols/2, left.Cols/2))
	}
	return w.place(ctx, on, placed{left, OfX, &m.Left}, placed{right, OfX, &m.Right})
}

// placed are functions that are to be made of coefficients, and whose rows their means are over.
type placed struct {
	coefficients blas64.General
	side         Side
	to           **Functions
}

// place makes functions in an orthonormal basis of their span.
func (w *whole) place(ctx context.Context, of *gramTiles, functions ...placed) error {
	var all blas64.General
	for _, f := range functions {
		all = joinColumns(all, f.coefficients)
	}
	v, err := of.multiply(ctx, all)
	if err != nil {
		return err
	}
	squares, vectors, err := symeig.Decompose(dense.SymmetricPart(transposedTimes(all, v)))
	if err != nil {
		return err
	}
	r := dense.Rank(squares, 1e-14)
	lengths := dense.Roots(squares[:r]) // all = basis·diag(lengths)·vectorsᵀ
	forth := dense.Clone(dense.Columns(vectors, 0, r))
	dense.ScaleColumns(forth, dense.Reciprocals(lengths))
	basis, raw, err := w.basis(ctx, of, mul(all, forth))
	if err != nil {
		return err
	}
	first := 0
	for _, f := range functions {
		c := f.coefficients.Cols
		m := dense.Transpose(dense.Columns(stream.RowSlice(vectors, first, c), 0, r))
		dense.ScaleRows(m, lengths)
		var means []float64
		if w.Centre {
			means = of.means(raw, int(f.side)%of.parts)
		}
		isComplex := w.fit.Imag != nil
		switch {
		case isComplex:
			complexMatrix{dense.Columns(m, 0, c/2), dense.Columns(m, c/2, c/2)}.normalise()
		case w.Task == Eigen:
			complexMatrix{m, stream.NewMatrix(r, c)}.normalise()
		}
		*f.to = newFunctions(basis, m, means)
		(*f.to).Complex = isComplex
		first += c
	}
	return nil
}

// basis returns orthonormal functions as features, and if they are centred their values at the
// rows as they are.
func (w *whole) basis(ctx context.Context, of *gramTiles, a blas64.General) (m *lowrank.Model, raw blas64.General, err error) {
	c := of.coefficients(a)
	if w.Centre {
		raw, err = of.values(ctx, c)
	}
	n := int64(c.Rows)
	return &lowrank.Model{Method: "expansion", Kernel: of.kernel, Seed: w.Seed, Rows: n, Cols: n, Values: slices.Repeat([]float64{1}, c.Cols),
		Left: &lowrank.Embedding{Landmarks: of.rows, Rows: stream.Numbers(c.Rows), Projection: c}}, raw, err
}

// report fills in what was done.
func (w *whole) report() {
	f := w.fit
	f.Landmarks[0] = w.x.rows.Rows
	if w.y != nil {
		f.Landmarks[1] = w.y.rows.Rows
	}
	done := map[*gramTiles]bool{nil: true}
	all := []*gramTiles{w.x, w.y}
	for _, in := range w.invert {
		if in != nil {
			all = append(all, in.gramTiles)
			if in.worst > 1e-10 {
				f.Unsettled = true
				f.Note(fmt.Sprintf("systems of the Gram matrix were solved to %.1e only: raise `ridge`", in.worst))
			}
		}
	}
	for _, g := range all {
		if !done[g] {
			f.KernelEntries += g.entries
			f.ExactPasses += g.passes
			done[g] = true
		}
	}
	if worst := f.Residual(); worst > 10*wholeTolerance {
		f.Unsettled = true
		f.Note(fmt.Sprintf("after %d iterations residuals are up to %.1e of the first value: values that are close to each other converge slowly; another `rank` may part them", wholePasses, worst))
	}
}
