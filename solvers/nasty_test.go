package solvers_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/nasty"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestNastyRows fits every family to rows that break naive codes, with several kernels. A fit is refused, or its
// numbers are finite, its factors orthonormal, and its values at most the trace. With -short each kernel meets a third
// of the kinds of rows.
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
			h := 0
			for _, f := range families {
				for _, r := range f.rows {
					if h++; r.has(variant) || r.data != nil || testing.Short() && (i+j+h)%3 > 0 {
						continue
					}
					wrong, refusal := attempt(t, f, r, x, k)
					switch {
					case wrong != nil:
						t.Errorf("%s of %s, %v: %v", r.name, kind.Name, k, wrong)
					case refusal != nil:
						refused++
					default:
						done++
					}
				}
			}
		}
	}
	if done < refused {
		t.Errorf("only %d fits are done and %d refused: the test looks at little", done, refused)
	}
	t.Logf("%d fits are done, %d refused", done, refused)
}

// attempt fits a row of the table with x on both sides. It returns panics and failed checks as wrong, and errors as
// refused.
func attempt(t *testing.T, f family, r row, x stream.Source, k kernelgen.Kernel) (wrong, refused error) {
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Errorf("panic: %v", p)
		}
	}()
	d, err := f.dataOf(t, r, x, x)
	if err != nil {
		return nil, err
	}
	fit, err := fitOf(t.Context(), stream.Engine{}, r.method, d, k)
	if err != nil {
		return nil, err
	}
	if factors, is := fit.(*lowrank.Fit); is {
		return checkFactors(t.Context(), factors, d.(model.Sources))
	}
	m := modelOf(fit)
	if _, err := m.Outputs(model.Left, model.Coordinates); err != nil { // the model has no outputs for this side
		return nil, nil
	}
	_, err = transformed(t.Context(), m, model.Left, x)
	return err, nil
}

// checkFactors checks the values and the factors of a low-rank model.
func checkFactors(ctx context.Context, f *lowrank.Fit, d model.Sources) (wrong, refused error) {
	const allowedTrace = 1.25 // least squares on few rows may exceed 1
	if f.TraceKept > allowedTrace {
		return fmt.Errorf("the values are %.3g of the trace", f.TraceKept), nil
	}
	if err := finite(append(f.Values, f.Shift)...); err != nil {
		return fmt.Errorf("values: %w", err), nil
	}
	if f.Explicit != nil { // for a matrix the fit itself refines
		return nil, nil
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

// transformed returns the outputs for rows, or an error if one is not finite.
func transformed(ctx context.Context, m model.Transformer, side model.Side, x stream.Source) (blas64.General, error) {
	var out blas64.General
	err := m.Transform(ctx, stream.Engine{}, x, model.Request{Side: side}, func(_ *stream.Block, rows blas64.General) error {
		out.Cols, out.Stride, out.Rows = rows.Cols, max(1, rows.Cols), out.Rows+rows.Rows
		for i := range rows.Rows * min(1, rows.Cols) { // a model of rank 0 has no columns
			out.Data = append(out.Data, matrix.Row(rows, i)...)
		}
		return nil
	})
	return out, cmp.Or(err, sketch.CheckFinite(out))
}

// finite returns an error for a number that is not finite.
func finite(values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%g is not finite", v)
		}
	}
	return nil
}

// orthonormal returns an error unless the columns of u are orthonormal up to rounding.
func orthonormal(u blas64.General) error {
	const tolerance = 1e-10
	if u.Cols == 0 || u.Rows == 0 {
		return nil
	}
	gram := matrix.New(u.Cols, u.Cols)
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
