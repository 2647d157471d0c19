package sketch_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

func operators(t testing.TB, c, s int, seed uint64) sketch.ExplicitSketch {
	t.Helper()
	return sketch.ExplicitSketch{
		C: rowSign(t, c, min(c, 8), seed, "range"),
		H: rowSign(t, c, min(c, 8), seed, "co-range"),
		O: rowSign(t, s, min(s, 8), seed, "core left"),
		S: rowSign(t, s, min(s, 8), seed, "core right"),
	}
}

// explicitOf folds a in blocks that end at the given rows, last block first.
func explicitOf(t testing.TB, a *mat.Dense, with sketch.ExplicitSketch, ends ...int) *sketch.Explicit {
	t.Helper()
	rows, cols := a.Dims()
	e := sketch.NewExplicit(cols, with)
	to := rows
	for i := len(ends); i >= 0; i-- {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		if err := e.Add(int64(from), general(a, from, to)); err != nil {
			t.Fatal(err)
		}
		to = from
	}
	return e
}

func TestExplicitConformance(t *testing.T) {
	with := operators(t, 4, 6, 1)
	conformance.Run(t, func() *sketch.Explicit { return sketch.NewExplicit(5, with) }, func(block int64) *sketch.Explicit {
		e := sketch.NewExplicit(5, with)
		if err := e.Add(9*block, randomBlock(9, 5, uint64(block))); err != nil {
			t.Error(err)
		}
		return e
	}, 11)
}

func TestExplicitAgainstDense(t *testing.T) {
	const rows, cols, c, s = 130, 40, 6, 11
	a, with := random(rows, cols, 1), operators(t, c, s, 2)
	e := explicitOf(t, mat.DenseCopyOf(a.Slice(0, 100, 0, cols)), with, 1, 64)
	later := sketch.NewExplicit(cols, with)
	if err := errors.Join(later.Add(100, general(a, 100, rows)), e.Merge(later)); err != nil {
		t.Fatal(err)
	}
	y := mul(a, rowSignDense(with.C, 0, cols))
	o := rowSignDense(with.O, 0, rows)
	r := dense(e.R())
	checkClose(t, "RᵀR", mul(r.T(), r), mul(y.T(), y), 1e-13)
	checkClose(t, "OᵀY", dense(e.OY()), mul(o.T(), y), 1e-13)
	checkClose(t, "Xᵀ", dense(e.XT()), mul(rowSignDense(with.H, 0, rows).T(), a), 1e-13)
	checkClose(t, "Z", dense(e.Z()), mul(o.T(), a, rowSignDense(with.S, 0, cols)), 1e-13)
	if e.Rows() != rows {
		t.Errorf("%d rows", e.Rows())
	}
}

// Algorithm 1 of paper 1 from what the accumulator holds: a matrix of rank below
// the sketch width comes back to rounding.
func TestExplicitRecoversLowRank(t *testing.T) {
	const rows, cols, rank, c, s = 120, 70, 5, 5, 15
	a, with := mul(random(rows, rank, 1), random(rank, cols, 2)), operators(t, c, s, 3)
	e := explicitOf(t, a, with, 50)
	q := mul(a, rowSignDense(with.C, 0, cols), pinv(dense(e.R())))
	p := mat.DenseCopyOf(dense(e.XT()).T())
	left := mul(dense(e.OY()), pinv(dense(e.R())))                       // OᵀQ
	right := mul(rowSignDense(with.S, 0, cols).T(), p)                   // SᵀX
	w := mul(pinv(left), dense(e.Z()), mat.DenseCopyOf(pinv(right).T())) // (OᵀQ)⁺ Z (XᵀS)⁺
	checkClose(t, "QWXᵀ", mul(q, w, p.T()), a, 1e-10)
}

// pinv returns the pseudo-inverse.
func pinv(a *mat.Dense) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for i, s := range values {
		values[i] = 0
		if s > 1e-12*math.Max(values[0], s) {
			values[i] = 1 / s
		}
	}
	return mul(&v, mat.NewDiagDense(len(values), values), u.T())
}

func TestExplicitErrors(t *testing.T) {
	with := operators(t, 3, 5, 1)
	e := sketch.NewExplicit(4, with)
	before, _ := e.MarshalBinary()
	block := randomBlock(6, 4, 1)
	block.Data[5*block.Stride+3] = math.NaN()
	var where *sketch.NonFiniteError
	if err := e.Add(0, block); !errors.As(err, &where) || where.Row != 5 || where.Col != 3 {
		t.Errorf("error %v", err)
	}
	if after, _ := e.MarshalBinary(); string(after) != string(before) {
		t.Error("a refused block has changed the sketch")
	}
	for name, other := range map[string]*sketch.Explicit{
		"width": sketch.NewExplicit(5, with), "seed": sketch.NewExplicit(4, operators(t, 3, 5, 2)),
	} {
		if err := e.Merge(other); err == nil {
			t.Errorf("sketches of different %s were merged", name)
		}
		if data, _ := other.MarshalBinary(); e.UnmarshalBinary(data) == nil {
			t.Errorf("the state of a sketch of another %s was read", name)
		}
	}
	huge := mat.NewDense(40, 4, nil)
	huge.Apply(func(_, _ int, _ float64) float64 { return 1e308 }, huge)
	if err := e.Add(0, whole(huge)); err == nil {
		t.Error("an overflow was not noticed")
	}
	checkPanics(t, "width", func() { sketch.NewExplicit(4, with).Add(0, randomBlock(2, 3, 1)) })
	checkPanics(t, "no columns", func() { sketch.NewExplicit(0, with) })
}
