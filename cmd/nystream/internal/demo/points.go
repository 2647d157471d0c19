package demo

import (
	"context"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// points are the rows that the model has never seen, as the demo looks at
// them.
type points struct {
	raw      blas64.General // n×2, the first two of their columns
	embedded blas64.General // n×3, the columns 1 and 2 of U, and the phase
}

// readPoints reads them back from the files.
func (d *command) readPoints(ctx context.Context) (p points, err error) {
	if p.raw, err = readColumns(ctx, d.path(newFile), "x0", "x1"); err != nil {
		return p, err
	}
	p.embedded, err = readColumns(ctx, d.path(embeddingFile), "u1", "u2", "phase")
	return p, err
}

// readColumns reads a few columns of a file.
func readColumns(ctx context.Context, path string, names ...string) (blas64.General, error) {
	src, err := blockstore.Open(ctx, []string{path}, blockstore.Options{Columns: names})
	if err != nil {
		return blas64.General{}, err
	}
	return stream.ReadAll(ctx, src)
}

func (p *points) phase(i int) float64 { return p.embedded.Data[i*p.embedded.Stride+2] }

// phaseError returns the median distance, in degrees, between the phase of a row and
// its angle in the plane of the embedding. Where that plane has its zero, and
// which way round it goes, are free, and are found first.
func (p *points) phaseError() float64 {
	best := math.Inf(1)
	for _, way := range []float64{1, -1} {
		best = min(best, medianAngle(p.turns(way)))
	}
	return best
}

// turns returns, as complex numbers of modulus 1, the differences between phases
// and angles for one way round.
func (p *points) turns(way float64) []complex128 {
	turns := make([]complex128, p.embedded.Rows)
	for i := range turns {
		u := p.embedded.Data[i*p.embedded.Stride:]
		turns[i] = cmplx.Rect(1, u[2]*math.Pi/180-way*math.Atan2(u[1], u[0]))
	}
	return turns
}

// medianAngle returns the median distance in degrees from the circular mean.
func medianAngle(turns []complex128) float64 {
	var mean complex128
	for _, t := range turns {
		mean += t
	}
	off := make([]float64, len(turns))
	for i, t := range turns {
		off[i] = math.Abs(cmplx.Phase(t*cmplx.Conj(mean))) * 180 / math.Pi
	}
	slices.Sort(off)
	return off[len(off)/2]
}
