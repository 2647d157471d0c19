package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// centring turns the kernel matrix A of some rows into that of centred rows, by the mean μ of a
// model:
//
//	k(x, y) − μ(x) − μ(y) + ‖μ‖²
//
// A nil centring, of a model that is not centred, is the identity.
type centring struct {
	means []float64 // μ of the rows
	norm  float64
}

// newCentring evaluates the mean of a model at rows.
func newCentring(ctx context.Context, e stream.Engine, t *tiles.Tiles, m *Model, rows *basis.Panel) (*centring, error) {
	if m.Left == nil || m.Left.Center == nil {
		return nil, nil
	}
	side := m.Left.mean()
	u, err := embedRows(ctx, e, t, side, side.pack(), rows, "rows")
	return &centring{u.Data, m.Left.Center.Norm}, err
}

// centre centres a tile. i and j are the numbers of its first row and column.
func (c *centring) centre(tile blas64.General, i, j int) {
	if c == nil {
		return
	}
	for k := range tile.Rows {
		row, mean := matrix.Row(tile, k), c.means[i+k]-c.norm
		for l := range row {
			row[l] -= mean + c.means[j+l]
		}
	}
}

// centreDiagonal centres the diagonal of A.
func (c *centring) centreDiagonal(d []float64) {
	if c == nil {
		return
	}
	for i, mean := range c.means {
		d[i] -= 2*mean - c.norm
	}
}

// multiply turns A·x into the product of the centred matrix.
func (c *centring) multiply(ax, x []float64) {
	if c == nil {
		return
	}
	sum := dense.Sum(x)
	inner := dense.Dot(c.means, x) - c.norm*sum
	for i, mean := range c.means {
		ax[i] -= mean*sum + inner
	}
}
