package lowrank

import (
	"context"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// wideFrom is the number of landmarks from which the threads share one Gram matrix. Below it, one for each thread takes
// little memory.
const wideFrom = 512

// wide reports whether the pass is a [stream.FoldWide]. It depends on the requested landmarks, which a plan knows.
func (m Landmark) wide(k kernelgen.Kernel) bool {
	return m.landmarks() >= wideFrom && k.PositiveSemiDefinite()
}

// whitenedBlock holds the results of a worker for a block of rows in a wide pass.
type whitenedBlock struct {
	rows     sketch.WhitenedRows
	priority []float64 // for the leverage of the rows
}

// streamWide is streamColumns with one Gram matrix for all threads.
func (f *landmarkFit) streamWide(ctx context.Context, e stream.Engine,
	src stream.Source, s *basis.Leverage, by *sketch.Whitening) (*sketchState[*sketch.WhitenedGram], error) {
	name := src.Info().Name
	m := &basis.Map{Tiles: f.tiles, Landmarks: f.landmarks}
	columns := &basis.Columns{One: f.centred, Features: []basis.Features{m.Features(name)}}
	addTrace := basis.AddTrace(f.tiles, name)
	defer f.tiles.CountPass(src.Info().Rows * int64(f.landmarks.Count()))()
	return stream.FoldWide(ctx, e.WithInputs(f.landmarks.Rows, f.tiles.Origin(), s.Project), "fit", src, stream.Wide[*sketchState[*sketch.WhitenedGram], *whitenedBlock]{
		New: func() *sketchState[*sketch.WhitenedGram] {
			return newSketchState(sketch.NewWhitenedGram(by), s.Keep, f.landmarks.Rows.Cols)
		},
		NewT: func() *whitenedBlock { return new(whitenedBlock) },
		Worker: func() func(*whitenedBlock, *stream.Block) error {
			fill, priorities, room := columns.Worker(src.Info()), s.Sampler(), matrix.New(tilesize.WideRows, columns.Width())
			return func(made *whitenedBlock, b *stream.Block) error {
				y := matrix.Rows(room, 0, b.X.Rows)
				if err := fill(y, b.X, b.Start); err != nil {
					return err
				}
				made.priority = append(made.priority[:0], priorities(y, b.Start)...)
				made.rows.Whiten(y, by)
				return nil
			}
		},
		AddSmall: func(acc *sketchState[*sketch.WhitenedGram], made *whitenedBlock, b *stream.Block) error {
			acc.A.Expect(b.X.Rows)
			if err := acc.B.B.Add(b.Start, made.priority, b.X); err != nil {
				return err
			}
			return addTrace(acc.B.A, basis.Rows{Start: b.Start, X: b.X})
		},
		Tiles: sketch.NewWhitenedGram(by).Tiles(),
		AddTile: func(acc *sketchState[*sketch.WhitenedGram], made []*whitenedBlock, tile int) {
			rows := make([]*sketch.WhitenedRows, len(made))
			for i, m := range made {
				rows[i] = &m.rows
			}
			acc.A.AddTile(tile, rows)
		},
	})
}
