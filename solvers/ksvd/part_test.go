package ksvd

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// TestPart compares the part of a fit with its factors and with G by definition; G is new
// rows' where the sums are taken without the own column.
func TestPart(t *testing.T) {
	x := gaussian(70, 3, 1, 1)
	data := between(t, x, x)
	number := []int64{2, 3, 17, 40, 41, 69}
	for _, kernel := range []string{"sne(gamma=2)", "t()", "rbf(gamma=0.3)"} {
		fit, err := Nystrom{Rank: 5, Rows: 30, Cols: 30}.Fit(context.Background(), stream.Engine{}, data, parse(t, kernel))
		if err != nil {
			t.Fatal(err)
		}
		p, err := fit.Part(context.Background(), stream.Engine{}, number)
		if err != nil {
			t.Fatal(err)
		}
		u, v, err := fit.Factors(context.Background(), stream.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		at := []int{2, 3, 17, 40, 41, 69}
		checkClose(t, kernel+" U", p.U, dense.PickRows(u, at), 1e-12)
		checkClose(t, kernel+" V", p.V, dense.PickRows(v, at), 1e-12)
		m, err := NewMatrix(context.Background(), stream.Engine{}, data, parse(t, kernel), true)
		if err != nil {
			t.Fatal(err)
		}
		g := dense.PickColumns(dense.PickRows(m.Held(), at), at)
		checkClose(t, kernel+" G", p.G, g, 1e-12)
		for i, k := range at {
			want := 1.0
			if fit.Left.All != nil {
				want = dense.Sum(dense.Row(m.Held(), k)) / (dense.Sum(dense.Row(m.Held(), k)) - m.Held().Data[k*m.Held().Stride+k])
			}
			if math.Abs(p.NewScale[i]-want) > 1e-9*want {
				t.Errorf("%s: scale %v, expected %v", kernel, p.NewScale[i], want)
			}
		}
	}
}

// TestPartAgain: with all of the part as landmarks and the full rank the approximation is G,
// whose rows sum up alike whether sums are exact or all rows are in the part.
func TestPartAgain(t *testing.T) {
	x := gaussian(40, 3, 1, 1)
	data := between(t, x, x)
	var parts [2]*Part
	for i, sums := range []Sums{SumsExact, SumsSampled} {
		fit, err := Nystrom{Rank: 5, Rows: 20, Cols: 20, Sums: sums}.Fit(context.Background(), stream.Engine{}, data, parse(t, "sne(gamma=1)"))
		if err != nil {
			t.Fatal(err)
		}
		if parts[i], err = fit.Part(context.Background(), stream.Engine{}, stream.Numbers(40)); err != nil {
			t.Fatal(err)
		}
	}
	checkClose(t, "sums", parts[1].G, parts[0].G, 1e-12)
	all := make([]int, 40)
	for i := range all {
		all[i] = i
	}
	values, u, v, err := parts[0].Again(context.Background(), all, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	dense.ScaleColumns(u, values)
	checkClose(t, "again", dense.Mul(blas.NoTrans, u, blas.Trans, v), parts[0].G, 1e-9)
	centred, err := Nystrom{Rank: 5, Rows: 20, Cols: 20, Centre: true}.Fit(context.Background(), stream.Engine{}, data, parse(t, "sne(gamma=1)"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := centred.Part(context.Background(), stream.Engine{}, stream.Numbers(40)); err == nil {
		t.Error("a part of a centred fit: no error")
	}
}
