package askls

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// With K = U·Σ·Vᵀ and triangular factors of the rows of both sides,
//
//	[1 U y] = Q_s·R      [1 V y] = Q_t·T      R = [R₁ R₂; 0 R₃], R₁ (r+1)×(r+1)
//
// M maps the space of the two biases, Q_s and Q_t (the first r+1 columns of each) to itself. There it is the bordered
// matrix of
//
//	C = Q_sᵀKQ_t = R₁·diag(0, Σ)·T₁ᵀ      Q_sᵀ1 = R₁e₁      Q_tᵀ1 = T₁e₁      Q_sᵀy = R₂
//
// and on the orthogonal complement it is 1/γ. No factor is inverted, so U need not have full rank. Functions of a row
// are
//
//	f_s(x) = u(x)·Σ·Vᵀb + b₁      Vᵀb = (T₁e₂ … )ᵀ·Q_tᵀb

// lowRank is the low-rank engine.
func (f *fit) lowRank(ctx context.Context) (*solution, error) {
	if f.data.explicit() {
		return nil, fmt.Errorf("%s: engine lowrank is for kernels of rows; use iterative for a matrix", f.data.name)
	}
	approximation, err := f.nystrom().Fit(ctx, f.engine, f.data.sides, f.kernel)
	if err != nil {
		return nil, err
	}
	l := &lowRank{fit: f, k: approximation, parts: f.partsOfRows()}
	sums, err := l.factors(ctx)
	if err != nil {
		return nil, err
	}
	s, err := l.solve(sums)
	if err != nil {
		return nil, err
	}
	if f.Merge == MergeStack {
		if err := l.leaveOut(ctx, sums, s); err != nil {
			return nil, err
		}
	}
	s.rank = approximation.Rank()
	s.report.Notes = append(approximation.Notes, s.report.Notes...)
	s.report.Warnings = append(approximation.Warnings, s.report.Warnings...)
	s.report.KernelEntries = approximation.KernelEntries + int64(l.passes)*passEntries(approximation)
	s.report.SourcePasses = approximation.SourcePasses + l.passes
	s.report.ExactPasses = approximation.ExactPasses
	s.report.AddEstimate(model.Estimate{Quantity: model.DecisionValues, Value: math.NaN(),
		Reason: "`Algorithm lowrank` is not compared with the exact machine: compare accuracies on test rows"})
	s.functions = l.functions(s.source, s.target)
	return s, nil
}

// functions returns functions of a row from weights of u(x) and of v(x).
func (l *lowRank) functions(source, target blas64.General) *ksvd.Model {
	functions := *l.k.Model
	left, right := *functions.Left, *functions.Right
	left.Projection = dense.Mul(blas.NoTrans, left.Projection, blas.NoTrans, source)
	right.Projection = dense.Mul(blas.NoTrans, right.Projection, blas.NoTrans, target)
	functions.Left, functions.Right, functions.Values = &left, &right, onesVector(source.Cols)
	return &functions
}

// nystrom returns the method by which the low-rank engine approximates K.
func (m Solver) nystrom() ksvd.Nystrom {
	landmarks := m.Landmarks
	if landmarks == 0 {
		landmarks = min(20*m.Rank, max(2000, 4*m.Rank))
	}
	return ksvd.Nystrom{Rank: m.Rank, Rows: landmarks, Cols: landmarks, Sums: m.Sums, Seed: m.Seed}
}

// lowRank is a low-rank fit in progress.
type lowRank struct {
	*fit
	k      *ksvd.Fit
	parts  []int // the fold that holds out each sample
	passes int
}

// partsOfRows returns the number of the fold that holds out each sample: 0 without folds.
func (f *fit) partsOfRows() []int {
	parts := make([]int, f.targets.Rows)
	for k, fold := range f.folds {
		for _, i := range fold.Test {
			parts[i] = k
		}
	}
	return parts
}

// factorSums holds the triangular factors of both sides, source and target, for each fold.
type factorSums = sketch.Both[sketch.List[*sketch.QR], sketch.List[*sketch.QR]]

func (l *lowRank) newSums() *factorSums {
	s := &factorSums{}
	for range max(1, len(l.folds)) {
		s.A = append(s.A, sketch.NewQR(1+l.k.Rank()+l.targets.Cols))
		s.B = append(s.B, sketch.NewQR(1+l.k.Rank()+l.targets.Cols))
	}
	return s
}

// passEntries returns the kernel entries of a pass over both sides: those of each row with the
// landmarks of its side.
func passEntries(k *ksvd.Fit) int64 {
	return k.Model.Rows*int64(len(k.Left.Rows)) + k.Cols*int64(len(k.Right.Rows))
}

// factors computes the triangular factors in one pass.
func (l *lowRank) factors(ctx context.Context) (*factorSums, error) {
	worker, src, err := l.k.Fitted(model.Both)
	if err != nil {
		return nil, err
	}
	l.passes++
	return stream.Fold(ctx, l.engine, "fit", src, l.newSums, func() func(*factorSums, *stream.Block) error {
		each := l.evaluator(worker)
		var panel []float64
		return func(sums *factorSums, b *stream.Block) error {
			return each(b, func(start int, uv blas64.General) error {
				for side, factors := range [][]*sketch.QR{sums.A, sums.B} {
					u := matrix.Columns(uv, side*l.k.Rank(), l.k.Rank())
					for fold, factor := range factors {
						if err := factor.Add(l.panel(&panel, fold, start, u)); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
	})
}

// evaluator returns a function for one goroutine that passes [u v] of the rows of a block to f,
// piece by piece, with the number of the first row.
func (l *lowRank) evaluator(worker func() model.Worker) func(b *stream.Block,
	f func(start int, uv blas64.General) error) error {
	embed := worker()
	var room []float64
	size := pieceRows(len(l.folds), l.k.Rank()+l.targets.Cols)
	return func(b *stream.Block, f func(start int, uv blas64.General) error) error {
		for first, x := range b.Panels(size) {
			piece := *b
			piece.Start, piece.X = b.Start+int64(first), x
			uv := matrix.Reuse(&room, x.Rows, 2*l.k.Rank())
			if err := embed(uv, &piece); err != nil {
				return err
			}
			if err := f(int(piece.Start), uv); err != nil {
				return err
			}
		}
		return nil
	}
}

// pieceRows returns the number of rows evaluated at a time: small, to save memory, but large enough for matrix products
// in the factor of each fold.
func pieceRows(folds, rank int) int { return max(tilesize.PanelRows, folds*max(128, rank/2)) }

// panel returns the rows [1 u y] of the samples of a fold in a piece.
func (l *lowRank) panel(buf *[]float64, fold, start int, u blas64.General) blas64.General {
	p := matrix.Reuse(buf, u.Rows, 1+u.Cols+l.targets.Cols)
	n := 0
	for i := range u.Rows {
		if l.parts[start+i] != fold {
			continue
		}
		row := matrix.Row(p, n)
		row[0] = 1
		copy(row[1:], matrix.Row(u, i))
		copy(row[1+u.Cols:], matrix.Row(l.targets, start+i))
		n++
	}
	return matrix.Rows(p, 0, n)
}

// stackFactors returns the triangular factor of all parts except number but; a negative but excludes none.
func stackFactors(parts []*sketch.QR, but int) (blas64.General, error) {
	if len(parts) == 1 {
		return parts[0].R(), nil
	}
	all := sketch.NewQR(parts[0].Cols())
	for k, part := range parts {
		if k == but {
			continue
		}
		if err := all.Add(part.R()); err != nil {
			return blas64.General{}, err
		}
	}
	return all.R(), nil
}

// solve solves the system of all samples.
func (l *lowRank) solve(sums *factorSums) (*solution, error) {
	c, err := l.core(sums, -1)
	if err != nil {
		return nil, err
	}
	s := newSolution()
	s.condition, s.ridge = c.condition(), l.Ridge
	if s.ridge == 0 && !(s.condition < singularCondition) {
		s.ridge = fallbackRidge
		s.report.Note(fallbackNote(s.condition, s.ridge))
	}
	s.source, s.target, s.biases = c.functions(s.ridge)
	return s, nil
}

// core returns the system of the samples of all folds except one.
func (l *lowRank) core(sums *factorSums, but int) (*core, error) {
	source, err := stackFactors(sums.A, but)
	if err != nil {
		return nil, err
	}
	target, err := stackFactors(sums.B, but)
	if err != nil {
		return nil, err
	}
	values := slices.Clone(l.k.Values)
	if but >= 0 {
		for i := range values {
			values[i] *= l.foldScale()
		}
	}
	return newCore(source, target, values, l.C)
}
