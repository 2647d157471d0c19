package tiles

import (
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestOrigin: tiles about an origin have the bits of those of moved rows, for any number of rows.
func TestOrigin(t *testing.T) {
	k, err := kernelgen.Parse("2*linear() + rbf(gamma=0.1)")
	if err != nil {
		t.Fatal(err)
	}
	x, z, origin := matrix(2*OriginRows+3, 5, 1), matrix(7, 5, 2), []float64{1, -2, 0.3, 0, 1e3}
	about, plain := Plain(k), Plain(k)
	about.SetScale(2)
	plain.SetScale(2)
	about.SetOrigin(origin)
	mx, mz := about.moved(x), about.moved(z)
	if mx.Data[1] != x.Data[1]+2 {
		t.Fatal("rows are not less the origin")
	}
	for _, rows := range []int{0, 1, OriginRows, x.Rows} {
		got, want := stream.NewMatrix(rows, z.Rows), stream.NewMatrix(rows, z.Rows)
		about.FillDense(got, stream.RowSlice(x, 0, rows), &Rows{Dense: z}, nil)
		plain.FillDense(want, stream.RowSlice(mx, 0, rows), &Rows{Dense: mz}, nil)
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("a tile of %d rows has other entries", rows)
		}
		self, diagonal := make([]float64, rows), make([]float64, rows)
		about.Diagonal(self, stream.RowSlice(x, 0, rows))
		plain.Diagonal(diagonal, stream.RowSlice(mx, 0, rows))
		if !slices.Equal(self, diagonal) {
			t.Errorf("the diagonal of %d rows has other entries", rows)
		}
	}
	// Rows with gaps.
	wide := stream.NewMatrix(x.Rows, 9)
	for i := range x.Rows {
		copy(dense.Row(wide, i)[2:], dense.Row(x, i))
	}
	got, want := stream.NewMatrix(x.Rows, z.Rows), stream.NewMatrix(x.Rows, z.Rows)
	about.FillDense(got, dense.Columns(wide, 2, 5), &Rows{Dense: z}, nil)
	plain.FillDense(want, mx, &Rows{Dense: mz}, nil)
	if !slices.Equal(got.Data, want.Data) {
		t.Error("rows with gaps give other entries")
	}
}
