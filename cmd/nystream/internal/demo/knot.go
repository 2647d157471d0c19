package demo

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// The rows of the demo lie along a trefoil knot: the point at phase θ is

//	(cos 2θ, sin 2θ, cos 3θ, sin 3θ)
//
// which winds twice one way round a torus and three times the other before it
// closes. It is turned into knotDimension dimensions by a random rotation, and
// every coordinate gets noise. No linear map of the rows has the phase in it,
// as neither cos θ nor sin θ is among the coordinates; but the knot looks the
// same from each of its points, so that the leading eigenvectors of a narrow
// kernel are 1, cos θ, sin θ, cos 2θ, … (a matrix of a function of θ − θ' is
// diagonal in these). For that, rows must lie equally dense all along it: phases
// advance by the golden ratio of a turn from one row to the next, which fills the
// circle evenly with any number of rows.
const (
	knotDimension = 20
	knotNoise     = 0.02 // standard deviation; the knot has radius √2
	knotLobes     = 3
	goldenTurn    = math.Phi - 1
)

// knot makes rows. Row i depends on the seed and on i alone.
type knot struct {
	frame  blas64.General // 4×knotDimension, orthonormal rows
	stream sketch.Random
}

func newKnot(seed uint64) *knot {
	k := &knot{frame: stream.NewMatrix(4, knotDimension), stream: sketch.NewRandom(seed, "demo rows")}
	draws := sketch.NewRandom(seed, "demo rotation").At(0)
	for i := range k.frame.Data {
		k.frame.Data[i] = draws.Normal()
	}
	orthonormalise(k.frame)
	return k
}

// orthonormalise makes rows orthonormal (Gram and Schmidt).
func orthonormalise(x blas64.General) {
	for i := range x.Rows {
		v := matrixRow(x, i)
		for j := range i {
			u := matrixRow(x, j)
			blas64.Axpy(-blas64.Dot(u, v), u, v)
		}
		blas64.Scal(1/blas64.Nrm2(v), v)
	}
}

func matrixRow(x blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride : i*x.Stride+x.Cols]}
}

// row puts row i into x, and returns its phase in degrees, 0 ≤ phase < 360.
func (k *knot) row(i uint64, x blas64.Vector) (phase float64) {
	draws := k.stream.At(i)
	turn := math.Mod(float64(i)*goldenTurn, 1)
	for j := range x.N {
		x.Data[j] = knotNoise * draws.Normal()
	}
	for j, frequency := range []float64{2, 3} {
		sin, cos := math.Sincos(2 * math.Pi * frequency * turn)
		blas64.Axpy(cos, matrixRow(k.frame, 2*j), x)
		blas64.Axpy(sin, matrixRow(k.frame, 2*j+1), x)
	}
	return 360 * turn
}

// write writes rows first to first+rows−1 to path, and with each its phase and
// the number of the lobe of the knot that it lies on.
func (k *knot) write(ctx context.Context, path string, first, rows int64) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: columnNames(), Rows: rows,
		Kept: []stream.Field{{Name: "lobe", Kind: stream.Int64}, {Name: "phase", Kind: stream.Float64}}})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	const block = 1 << 12
	b := &stream.Batch{X: stream.NewMatrix(block, knotDimension), Kept: []stream.Column{{Kind: stream.Int64}, {Kind: stream.Float64}}}
	for done := int64(0); done < rows; done += block {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n := int(min(block, rows-done))
		k.fill(b, uint64(first+done), n)
		if err := w.Write(b, n); err != nil {
			return err
		}
	}
	return w.Commit()
}

// fill puts n rows into b.
func (k *knot) fill(b *stream.Batch, first uint64, n int) {
	lobes, phases := &b.Kept[0], &b.Kept[1]
	lobes.Ints, phases.Floats = lobes.Ints[:0], phases.Floats[:0]
	for i := range n {
		phase := k.row(first+uint64(i), matrixRow(b.X, i))
		lobes.Ints = append(lobes.Ints, int64(phase*knotLobes/360))
		phases.Floats = append(phases.Floats, phase)
	}
}

func columnNames() []string {
	names := make([]string, knotDimension)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i)
	}
	return names
}
