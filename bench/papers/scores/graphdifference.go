package scores

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/stream"
)

// GraphDifference is how far apart two adjacency matrices are, in three readings
// of the ℓ1 and ℓ2 of paper 2 (KSVD), Table 2. With D = A − Ã:
type GraphDifference struct {
	Entries  int64   // entries of D that are not zero: missing and surplus edges
	OneNorm  float64 // ‖D‖₁, the largest sum of |d_ij| over a column
	Spectral float64 // ‖D‖₂, the largest singular value, see spectralNorm
}

// CompareGraphs returns the difference of two adjacency matrices of one shape; another
// shape panics. Weights count: give matrices without values to compare edges
// alone. Cost: linear in the entries but for the steps of spectralNorm.
func CompareGraphs(a, b *stream.CSR) (GraphDifference, error) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		panic(fmt.Sprintf("scores: a graph of %d×%d against one of %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	d, err := subtract(a, b)
	if err != nil {
		return GraphDifference{}, err
	}
	norm, err := spectralNorm(d)
	if err != nil {
		return GraphDifference{}, err
	}
	return GraphDifference{Entries: d.NNZ(), OneNorm: oneNorm(d), Spectral: norm}, nil
}

// oneNorm returns the largest column sum of magnitudes.
func oneNorm(d *stream.CSR) float64 {
	sums := make([]float64, d.Cols)
	most := 0.0
	for e := range d.Entries() {
		sums[e.Col] += math.Abs(e.Value)
		most = math.Max(most, sums[e.Col])
	}
	return most
}

// subtract returns a − b without its zeros. It takes at most 12 bytes for each entry
// of both.
func subtract(a, b *stream.CSR) (*stream.CSR, error) {
	d := &stream.CSR{Rows: a.Rows, Cols: a.Cols, Start: make([]int64, a.Rows+1), Value: []float64{}}
	for i := range a.Rows {
		x, y := rowCursor(a, i), rowCursor(b, i)
		for x.more() || y.more() {
			j := min(x.column(), y.column())
			v := x.take(j) - y.take(j)
			if v-v != 0 {
				return nil, fmt.Errorf("scores: the difference of the graphs in row %d, column %d is %v", i, j, v)
			}
			if v != 0 {
				d.Index, d.Value = append(d.Index, j), append(d.Value, v)
			}
		}
		d.Start[i+1] = int64(len(d.Index))
	}
	return d, nil
}

// cursor walks along a row of a sparse matrix.
type cursor struct {
	index []int32
	value []float64 // nil when all are 1
	next  int
}

func rowCursor(m *stream.CSR, i int) *cursor {
	index, value := m.Row(i)
	return &cursor{index: index, value: value}
}

func (c *cursor) more() bool { return c.next < len(c.index) }

// column returns that of the next entry, or beyond all columns.
func (c *cursor) column() int32 {
	if !c.more() {
		return math.MaxInt32
	}
	return c.index[c.next]
}

// take returns the value in column j, 0 when the next entry is in another one.
func (c *cursor) take(j int32) float64 {
	if !c.more() || c.index[c.next] != j {
		return 0
	}
	c.next++
	if c.value == nil {
		return 1
	}
	return c.value[c.next-1]
}
