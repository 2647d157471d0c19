package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// seed chooses the first centres by k-means++ (Arthur and Vassilvitskii 2007,
// "k-means++: the advantages of careful seeding"): a row drawn uniformly, then
// each time a row drawn with probability proportional to its squared distance D²
// from the nearest centre so far.
//
// Row i is drawn by racing: it arrives at time T_i/D_i², T_i exponential with
// mean 1 and a function of seed, run, centre and i alone, and the first to arrive
// is taken (Efraimidis and Spirakis 2006). So a draw is a minimum, made in the same
// pass as the distances, and does not depend on the order of the rows.
func (l *lloyd) seed(ctx context.Context, seed uint64, run int) error {
	for i := range l.distance {
		l.distance[i] = math.Inf(1)
	}
	for c := range l.centres.Rows {
		first, err := l.race(ctx, c, sketch.NewRandom(seed, fmt.Sprintf("k-means++ run %d centre %d", run, c)))
		if err != nil {
			return err
		}
		if first.row < 0 {
			return fmt.Errorf("cluster: only %d rows differ, and there are to be %d clusters; ask for fewer", c, l.centres.Rows)
		}
		copy(dense.Row(l.centres, c), dense.Row(l.x, int(first.row)))
	}
	return nil
}

// race brings the squared distances up to date with centre c−1 and draws a row.
func (l *lloyd) race(ctx context.Context, c int, random sketch.Random) (*arrival, error) {
	var last *kernelgen.Panel
	if c > 0 {
		last = squaredDistance.Pack(stream.RowSlice(l.centres, c-1, 1))
	}
	return stream.Fold(ctx, l.engine, "k-means++", l.src, newArrival,
		func() func(acc *arrival, b *stream.Block) error {
			tile := stream.NewMatrix(stream.PanelRows, 1)
			var work kernelgen.Workspace
			return func(acc *arrival, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					at := int(b.Start) + first
					distance := l.distance[at : at+rows.Rows]
					if last != nil {
						nearer(distance, rows, last, stream.RowSlice(tile, 0, rows.Rows), &work)
					}
					for i, d := range distance {
						if last == nil {
							d = 1 // no centre yet: all rows alike
						}
						draws := random.At(uint64(at + i))
						acc.offer(-math.Log1p(-draws.Float64())/d, int64(at+i))
					}
				}
				return nil
			}
		})
}

// nearer lowers squared distances to those from another centre.
func nearer(distance []float64, rows blas64.General, centre *kernelgen.Panel, tile blas64.General, work *kernelgen.Workspace) {
	squaredDistance.Fill(tile, rows, centre, work)
	for i := range distance {
		distance[i] = min(distance[i], tile.Data[i*tile.Stride])
	}
}

// arrival is the row that is first to arrive, of equal ones the first row; row is
// −1 when none ever does.
type arrival struct {
	time float64
	row  int64
}

func newArrival() *arrival { return &arrival{math.Inf(1), -1} }

// offer takes in a row. Times that are infinite or NaN, those of D² = 0, are never.
func (a *arrival) offer(time float64, row int64) {
	if time < a.time {
		a.time, a.row = time, row
	}
}

// Merge takes in the first of later rows.
func (a *arrival) Merge(later *arrival) error {
	a.offer(later.time, later.row)
	return nil
}

// Reset forgets all rows.
func (a *arrival) Reset() { *a = *newArrival() }

// Name names the states of this accumulator, whatever its type is called.
func (a *arrival) Name() string { return "arrival" }

// MarshalBinary writes time and row.
func (a *arrival) MarshalBinary() ([]byte, error) {
	out := binary.LittleEndian.AppendUint64(nil, math.Float64bits(a.time))
	return binary.LittleEndian.AppendUint64(out, uint64(a.row)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (a *arrival) UnmarshalBinary(data []byte) error {
	if len(data) != 16 {
		return fmt.Errorf("cluster: a row and its time have 16 bytes, not %d", len(data))
	}
	a.time = math.Float64frombits(binary.LittleEndian.Uint64(data))
	a.row = int64(binary.LittleEndian.Uint64(data[8:]))
	return nil
}
