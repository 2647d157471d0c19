package tiles

import (
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
)

// TestOrigin: tiles about an origin have the bits of tiles of shifted rows, for any number of rows.
func TestOrigin(t *testing.T) {
	k, err := kernelgen.Parse("2*linear() + rbf(gamma=0.1)")
	if err != nil {
		t.Fatal(err)
	}
	x, z, origin := randomMatrix(2*OriginRows+3, 5, 1), randomMatrix(7, 5, 2), []float64{1, -2, 0.3, 0, 1e3}
	about, plain := Plain(k), Plain(k)
	about.SetScale(2)
	plain.SetScale(2)
	about.SetOrigin(origin)
	mx, mz := about.shifted(x), about.shifted(z)
	if mx.Data[1] != x.Data[1]+2 {
		t.Fatal("rows are not less the origin")
	}
	for _, rows := range []int{0, 1, OriginRows, x.Rows} {
		got, want := matrix.New(rows, z.Rows), matrix.New(rows, z.Rows)
		about.FillDense(got, matrix.Rows(x, 0, rows), &Rows{Dense: z}, nil)
		plain.FillDense(want, matrix.Rows(mx, 0, rows), &Rows{Dense: mz}, nil)
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("a tile of %d rows has other entries", rows)
		}
		self, diagonal := make([]float64, rows), make([]float64, rows)
		about.Diagonal(self, matrix.Rows(x, 0, rows))
		plain.Diagonal(diagonal, matrix.Rows(mx, 0, rows))
		if !slices.Equal(self, diagonal) {
			t.Errorf("the diagonal of %d rows has other entries", rows)
		}
	}
	// Rows with padding.
	wide := matrix.New(x.Rows, 9)
	for i := range x.Rows {
		copy(matrix.Row(wide, i)[2:], matrix.Row(x, i))
	}
	got, want := matrix.New(x.Rows, z.Rows), matrix.New(x.Rows, z.Rows)
	about.FillDense(got, matrix.Columns(wide, 2, 5), &Rows{Dense: z}, nil)
	plain.FillDense(want, mx, &Rows{Dense: mz}, nil)
	if !slices.Equal(got.Data, want.Data) {
		t.Error("rows with gaps give other entries")
	}
}
