package lowrank

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestFactor: Y·P equals the embedding, for landmarks, signs, random features and after refinement.
func TestFactor(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{Threads: 2}
	r := rand.New(rand.NewPCG(4, 1))
	x := matrix.New(300, 3)
	for i := range x.Data {
		x.Data[i] = r.Float64()
	}
	src := stream.FromMatrix("x", x)
	one, two := model.Sources{Left: src}, model.Sources{Left: src, Right: stream.FromMatrix("y", matrix.Rows(x, 50, 200))}
	for name, fit := range map[string]func() (*Fit, error){
		"landmark": func() (*Fit, error) { return Landmark{Rank: 10}.Fit(ctx, e, two, kernelgen.RBF(2)) },
		"ssrsvd":   func() (*Fit, error) { return SSRSVD{Rank: 10}.Fit(ctx, e, two, kernelgen.RBF(2)) },
		"s3spsd":   func() (*Fit, error) { return S3SPSD{Rank: 10}.Fit(ctx, e, one, kernelgen.RBF(2)) },
		"rff":      func() (*Fit, error) { return RFF{Rank: 10}.Fit(ctx, e, one, kernelgen.RBF(2)) },
		"refined": func() (*Fit, error) {
			f, err := Landmark{Rank: 10}.Fit(ctx, e, one, kernelgen.RBF(2))
			if err == nil {
				err = f.Refine(ctx, e, one)
			}
			return f, err
		},
	} {
		f, err := fit()
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []model.Side{model.Left, model.Right} {
			emb := f.Left
			if side == model.Right {
				emb = f.right()
			}
			want, factor := factors(t, f.Model, emb, x), f.Factor(side)
			y, err := factor.Rows(src.Info())(x, 0)
			if err != nil {
				t.Fatal(err)
			}
			if y.Cols != factor.Width() {
				t.Fatalf("%s: Y has %d columns, not %d", name, y.Cols, factor.Width())
			}
			identity := matrix.New(f.Left.Rank(), f.Left.Rank())
			for i := range identity.Rows {
				identity.Data[i*identity.Stride+i] = 1
			}
			got := dense.Mul(blas.NoTrans, y, blas.NoTrans, factor.Lift(identity))
			if d := dense.MaxAbs(difference(want, got)); d > 1e-9 {
				t.Errorf("%s, %v: Y·P is %.1e off the embedding", name, side, d)
			}
			down := dense.Mul(blas.Trans, want, blas.NoTrans, x)
			if d := dense.MaxAbs(difference(down, factor.Lower(dense.Mul(blas.Trans, y, blas.NoTrans, x)))); d > 1e-8 {
				t.Errorf("%s, %v: Pᵀ·Yᵀ·x is %.1e off Uᵀ·x", name, side, d)
			}
		}
	}
}
