package rkhs

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestTrajectories: no pair crosses the end of a trajectory, and trajectories no longer than the lag have no pairs. The
// pairs equal those of two explicit sources.
func TestTrajectories(t *testing.T) {
	const lag = 3
	for _, lengths := range [][]int64{{20}, {7, 13}, {2, 9, 3, 0, 6}, {3, 3, 10, 4}} {
		t.Run(fmt.Sprint(lengths), func(t *testing.T) {
			path, rows := matrix.New(20, 2), int64(0)
			for i := range path.Data {
				path.Data[i] = float64((7*i+i*i)%23) / 10
			}
			var early, late []int64
			for _, length := range lengths {
				for i := lag; i < int(length); i++ {
					early, late = append(early, rows+int64(i)-lag), append(late, rows+int64(i))
				}
				rows += length
			}
			d, err := Lagged(stream.FromMatrix("path", path), lag, lengths...)
			if err != nil {
				t.Fatal(err)
			}
			x, y := chosen(path, early), chosen(path, late)
			if d.Count() != int64(len(early)) {
				t.Fatalf("%d pairs, not %d", d.Count(), len(early))
			}
			for first := range early {
				checkPairs(t, d, first, x, y)
			}
			for s, want := range map[PairSide]blas64.General{SideX: x, SideY: y} {
				got, err := d.gather(t.Context(), s, []int64{0, d.n / 2, d.n - 1})
				if err != nil || !slices.Equal(got.Data, chosen(want, []int64{0, d.n / 2, d.n - 1}).Data) {
					t.Errorf("side %s: %v, %v", s, got.Data, err)
				}
			}
			for _, op := range []Operator{Koopman{1e-2}, Covariance{}} {
				s := Solver{Operator: op, Rank: 2, Algorithm: AlgorithmLandmark}
				got, want := mustFit(t, s, d, kernelgen.RBF(0.5)), mustFit(t, s, pairs(t, x, y), kernelgen.RBF(0.5))
				for i, v := range want.Values {
					if !near(got.Values[i], v, 1e-10) {
						t.Errorf("operator %s: value %d is %v, not %v", op, i, got.Values[i], v)
					}
				}
			}
		})
	}
	for _, lengths := range [][]int64{{19}, {10, 11}, {-1, 21}} {
		if _, err := Lagged(stream.FromMatrix("path", matrix.New(20, 1)), 1, lengths...); err == nil {
			t.Errorf("lengths %v are taken for 20 rows", lengths)
		}
	}
}

// near compares two numbers to an absolute tolerance.
func near(a, b, tolerance float64) bool { return a-b <= tolerance && b-a <= tolerance }

// chosen returns the rows of a matrix with the given numbers.
func chosen(m blas64.General, rows []int64) blas64.General {
	out := matrix.New(len(rows), m.Cols)
	for i, r := range rows {
		copy(out.Data[i*out.Stride:][:m.Cols], matrix.Row(m, int(r)))
	}
	return out
}

// checkPairs compares the pairs from number first on.
func checkPairs(t *testing.T, d *Data, first int, x, y blas64.General) {
	t.Helper()
	r, err := d.pairedSource().Open(t.Context(), int64(first))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := x.Rows - first
	got := matrix.New(n, 2*x.Cols)
	if read, err := stream.ReadFull(r, &stream.Batch{X: got}); read != n {
		t.Fatalf("pairs from %d on: %d of %d, %v", first, read, n, err)
	}
	for i := range n {
		want := append(slices.Clone(matrix.Row(x, first+i)), matrix.Row(y, first+i)...)
		if !slices.Equal(matrix.Row(got, i), want) {
			t.Errorf("pair %d, read from %d on, is %v and not %v", first+i, first, matrix.Row(got, i), want)
		}
	}
}
