package solvers_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/nasty"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// nastyFit fits a family to rows. A refusal is an error; what is wrong with a fit is in wrong.
type nastyFit struct {
	name string
	fit  func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error)
}

// nastyFits are fits of every family. Ranks are small, and those above the rank of the rows.
var nastyFits = []nastyFit{
	{"landmark", factored(lowrank.Landmark{Rank: 3})},
	{"landmark, one per column", factored(lowrank.Landmark{Rank: 16, Landmarks: 16})},
	{"landmark, rank 50", factored(lowrank.Landmark{Rank: 50})},
	{"s3spsd", factored(lowrank.S3SPSD{Rank: 3})},
	{"ssrsvd", factored(lowrank.SSRSVD{Rank: 3})},
	{"nystrom", factored(lowrank.Nystrom{Rank: 3})},
	{"rpcholesky", factored(lowrank.RPCholesky{Rank: 3})},
	{"subspace", factored(lowrank.Subspace{Rank: 3})},
	{"auto", factored(lowrank.Auto{ErrorTol: 0.01})},
	{"auto, frobenius", factored(lowrank.Auto{ErrorTol: 0.1, Norm: lowrank.NormFrobenius})},
	{"rff", factored(lowrank.RFF{Rank: 10})},
	{"landmark of two sources", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		return factors(ctx, lowrank.Landmark{Rank: 3}, model.Sources{Left: x, Right: x}, k)
	}},
	{"ksvd", asymmetricOf(ksvd.Exact{Rank: 2})},
	{"ksvd nystrom", asymmetricOf(ksvd.Nystrom{Rank: 2})},
	{"ism", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		known, err := ism.Classes(alternating(int(x.Info().Rows)), 2)
		if err != nil {
			return nil, err
		}
		d := &ism.Data{Rows: x, Known: known}
		return fitted(ctx, x)(ism.Solver{Dim: 1, Iterations: 5}.Fit(ctx, stream.Engine{}, d, k))
	}},
	{"askls", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		d, err := askls.Samples(x, alternating(int(x.Info().Rows)), 2)
		if err != nil {
			return nil, err
		}
		return fitted(ctx, x)(askls.Solver{C: 1}.Fit(ctx, stream.Engine{}, d, k))
	}},
	{"operator cca", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		d, err := rkhs.Pairs(x, x)
		if err != nil {
			return nil, err
		}
		return fitted(ctx, x)(rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 2}.Fit(ctx, stream.Engine{}, d, k))
	}},
	{"operator pca", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		d, err := rkhs.Single(x)
		if err != nil {
			return nil, err
		}
		return fitted(ctx, x)(rkhs.Solver{Operator: rkhs.Covariance{}, Rank: 2}.Fit(ctx, stream.Engine{}, d, k))
	}},
	{"transport", func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		d := &transport.Data{Sources: model.Sources{Left: x, Right: x}}
		return fitted(ctx, x)(transport.Auto{}.Fit(ctx, stream.Engine{}, d, k))
	}},
}

// TestNastyRows fits every family to rows that break naive codes, with several kernels. A fit is
// refused, or its figures are finite, its factors orthonormal, and its values not above the trace.
// With -short a fit meets each kernel on a third of the kinds of rows.
func TestNastyRows(t *testing.T) {
	const mostRows = 60
	var kernels []kernelgen.Kernel
	for _, text := range []string{"rbf(gamma=1)", "linear", "poly(degree=2)", "laplace", "matern32(length=1)", "cosine", "sigmoid"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
	}
	done, refused := 0, 0
	for i, kind := range nasty.Kinds {
		x := stream.FromMatrix(kind.Name, kind.Rows(mostRows))
		for j, k := range kernels {
			for h, f := range nastyFits {
				if testing.Short() && (i+j+h)%3 > 0 {
					continue
				}
				wrong, refusal := attempt(t, f, x, k)
				switch {
				case wrong != nil:
					t.Errorf("%s of %s, %v: %v", f.name, kind.Name, k, wrong)
				case refusal != nil:
					refused++
				default:
					done++
				}
			}
		}
	}
	if done < refused {
		t.Errorf("only %d fits are done and %d refused: the test looks at little", done, refused)
	}
	t.Logf("%d fits are done, %d refused", done, refused)
}

// attempt turns a panic into what is wrong.
func attempt(t *testing.T, f nastyFit, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Errorf("panic: %v", p)
		}
	}()
	return f.fit(t.Context(), x, k)
}

// factored returns the fit of a method to one source.
func factored(m lowrank.Method) func(context.Context, stream.Source, kernelgen.Kernel) (wrong, refused error) {
	return func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		return factors(ctx, m, model.Sources{Left: x}, k)
	}
}

// asymmetricOf returns the fit of a method of package ksvd to one source on both sides.
func asymmetricOf(m ksvd.Method) func(context.Context, stream.Source, kernelgen.Kernel) (wrong, refused error) {
	return func(ctx context.Context, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
		d, err := ksvd.Between(x, x)
		if err != nil {
			return nil, err
		}
		return fitted(ctx, x)(m.Fit(ctx, stream.Engine{}, d, k))
	}
}

// factors fits a low-rank model and looks at its values and its factors.
func factors(ctx context.Context, m lowrank.Method, d model.Sources, k kernelgen.Kernel) (wrong, refused error) {
	f, err := m.Fit(ctx, stream.Engine{}, d, k)
	if err != nil {
		return nil, err
	}
	const allowedTrace = 1.25 // least squares on so few rows exceeds 1 at times
	if f.TraceKept > allowedTrace {
		return fmt.Errorf("the values are %.3g of the trace", f.TraceKept), nil
	}
	if err := finite(append(f.Values, f.Shift)...); err != nil {
		return fmt.Errorf("values: %w", err), nil
	}
	if err := f.Refine(ctx, stream.Engine{}, d); err != nil {
		return nil, err
	}
	sides := []model.Side{model.Left}
	if !f.Symmetric() {
		sides = append(sides, model.Right)
	}
	for _, side := range sides {
		u, err := transformed(ctx, f, side, d.Left)
		if err == nil {
			err = orthonormal(u)
		}
		if err != nil {
			return fmt.Errorf("factor of the %v side: %w", side, err), nil
		}
	}
	return nil, nil
}

// fitted returns a function that looks at what a family made of rows.
func fitted(ctx context.Context, x stream.Source) func(f model.Transformer, refused error) (wrong, _ error) {
	return func(f model.Transformer, refused error) (wrong, _ error) {
		if refused != nil {
			return nil, refused
		}
		if _, err := f.Outputs(model.Left, model.Coordinates); err != nil { // it embeds no rows of this side
			return nil, nil
		}
		_, err := transformed(ctx, f, model.Left, x)
		return err, nil
	}
}

// transformed returns what a model makes of rows, or an error if that is not finite.
func transformed(ctx context.Context, m model.Transformer, side model.Side, x stream.Source) (blas64.General, error) {
	var out blas64.General
	err := m.Transform(ctx, stream.Engine{}, x, model.Request{Side: side}, func(_ *stream.Block, rows blas64.General) error {
		out.Cols, out.Stride, out.Rows = rows.Cols, max(1, rows.Cols), out.Rows+rows.Rows
		for i := range rows.Rows * min(1, rows.Cols) { // a model of rank 0 has no columns
			out.Data = append(out.Data, rows.Data[i*rows.Stride:][:rows.Cols]...)
		}
		return nil
	})
	return out, cmp.Or(err, sketch.CheckFinite(out))
}

// finite returns an error if a number is not.
func finite(values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%g is not finite", v)
		}
	}
	return nil
}

// orthonormal returns an error unless the columns of U are orthonormal to rounding.
func orthonormal(u blas64.General) error {
	const tolerance = 1e-10
	if u.Cols == 0 || u.Rows == 0 {
		return nil
	}
	gram := stream.NewMatrix(u.Cols, u.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, u, u, 0, gram)
	for i := range u.Cols {
		gram.Data[i*gram.Stride+i]--
	}
	for _, v := range gram.Data {
		if math.Abs(v) > tolerance {
			return fmt.Errorf("UᵀU − I has an entry of %.2g", v)
		}
	}
	return nil
}
