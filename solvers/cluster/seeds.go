package cluster

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// seed chooses the first centers by k-means++ (Arthur and Vassilvitskii 2007, "k-means++: the advantages of careful
// seeding"). The first is a row drawn uniformly. Each further one is drawn with probability proportional to D², the
// squared distance to the nearest center so far.
//
// Row i is drawn by an exponential race: it arrives at time T_i/D_i², and the first arrival wins (Efraimidis and
// Spirakis 2006). T_i is exponential with mean 1 and depends on seed, run, center and i alone. The draw is a minimum,
// computed along with the distances, and does not depend on the order of the rows.
func (l *lloyd) seed(ctx context.Context, seed uint64, run int) error {
	for i := range l.distance {
		l.distance[i] = math.Inf(1)
	}
	for c := range l.centers.Rows {
		first, err := l.race(ctx, c, sketch.NewRandom(seed, fmt.Sprintf("k-means++ run %d center %d", run, c)))
		if err != nil {
			return err
		}
		if first.row < 0 {
			return fmt.Errorf("only %d rows differ, and there are to be %d clusters; ask for fewer", c, l.centers.Rows)
		}
		copy(matrix.Row(l.centers, c), matrix.Row(l.x, first.row))
	}
	return nil
}

// race updates the squared distances with center c−1 and draws a row.
func (l *lloyd) race(ctx context.Context, c int, random sketch.Random) (arrival, error) {
	var last *tiles.Rows
	if c > 0 {
		last = &tiles.Rows{Dense: matrix.Rows(l.centers, c-1, 1)}
	}
	all := noArrival
	err := overRows(ctx, l, func(rows blas64.General, first int) arrival {
		distance := l.distance[first : first+rows.Rows]
		if last != nil {
			lowerDistances(distance, rows, last)
		}
		best := noArrival
		for i, d := range distance {
			if last == nil {
				d = 1 // no center yet: all rows are equally likely
			}
			draws := random.At(uint64(first + i))
			best.offer(arrival{-math.Log1p(-draws.Float64()) / d, first + i})
		}
		return best
	}, all.offer)
	return all, err
}

// lowerDistances lowers squared distances to those from one more center.
func lowerDistances(distance []float64, rows blas64.General, center *tiles.Rows) {
	tile := matrix.New(rows.Rows, 1)
	tiles.Plain(squaredDistance).FillDense(tile, rows, center, nil)
	for i, v := range tile.Data {
		distance[i] = min(distance[i], v)
	}
}

// arrival is the first row of the race; in a tie, the one with the lower number.
type arrival struct {
	time float64
	row  int
}

// noArrival is the arrival before any row.
var noArrival = arrival{math.Inf(1), -1}

// offer compares with a later row. Infinite and NaN times, which come from D² = 0, never win.
func (a *arrival) offer(b arrival) {
	if b.time < a.time {
		*a = b
	}
}
