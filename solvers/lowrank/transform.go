package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// sides returns the embeddings that a side stands for, or an error that says why there
// is none.
func (m *Model) sides(side model.Side) ([]*Embedding, error) {
	switch {
	case side == model.Left:
		return []*Embedding{m.Left}, nil
	case m.Explicit != nil:
		return nil, errors.New("the right factor of a matrix on disk does not depend on rows: it is the array v in the model file")
	case m.Symmetric():
		return nil, fmt.Errorf("this %s model is of a symmetric matrix and has one factor", m.Method)
	case side == model.Right:
		return []*Embedding{m.Right}, nil
	}
	return []*Embedding{m.Left, m.Right}, nil
}

// Outputs returns u0, u1, … for the left side and v0, v1, … for the right, of coordinates and of
// scores.
func (m *Model) Outputs(side model.Side, kind model.Kind) ([]string, error) {
	switch {
	case kind == model.Class && m.Clusters != nil:
		return []string{"cluster"}, nil
	case kind == model.Decision && m.Clusters != nil:
		names := make([]string, m.Clusters.K)
		for k := range names {
			names[k] = fmt.Sprintf("decision%d", k)
		}
		return names, nil
	case kind == model.Novelty && m.Novelty != nil:
		return []string{"novelty", "leverage", "tail"}, nil
	case kind == model.Novelty:
		return nil, errors.New("the model knows no novelty of the fitted rows: fit it again with `novelty`")
	case kind == model.Class || kind == model.Decision:
		return nil, errors.New("the model has no clusters: fit it again with `clusters`")
	}
	if err := kind.Only(model.Coordinates, model.Scores); err != nil {
		return nil, err
	}
	sides, err := m.sides(side)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range sides {
		letter := "u"
		if e == m.Right {
			letter = "v"
		}
		for i := range e.Rank() {
			names = append(names, fmt.Sprintf("%s%d", letter, i))
		}
	}
	return names, nil
}

// Dimension returns how many columns rows have, which are as many on both sides.
func (m *Model) Dimension(model.Side) int { return m.Left.Landmarks.Cols }

// TransformPlan returns what a pass of Transform over rows will hold.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	sides, err := m.sides(r.Side)
	if err != nil {
		sides = []*Embedding{m.Left}
	}
	p := m.embeddingPlan(e, rows.Info().Rows, sides...)
	p.SourcePasses = 1
	if n := rows.Info().Rows; n > 0 && m.Explicit == nil {
		for _, side := range sides {
			p.AddEntries(float64(n) * float64(side.Entries()))
		}
	}
	return p
}

// embeddingPlan returns what a pass holds that embeds rows by some sides.
func (m *Model) embeddingPlan(e stream.Engine, rows int64, sides ...*Embedding) *model.Plan {
	d, outputs := m.Dimension(model.Left), 0
	p := model.NewPlan(e, rows, d)
	var numbers, tiles int64
	threads := e.PassWorkers(rows, d)
	for _, side := range sides {
		n, r := int64(side.Entries()), int64(side.Rank())
		outputs += side.Rank()
		numbers += side.numbers()
		tiles += threads * stream.PanelRows * (n + 2*r)
	}
	p.Map("blocks of factors", d, outputs)
	p.Add("model", numbers, "")
	p.Add("tiles", tiles, "`threads`")
	return p
}

// Transform makes one pass over rows and gives their embedding, u of the left side or v
// of the right, to emit in row order: orthonormal over the fitted rows, or as scores times the
// roots of the values. See [Embedding] for the flops.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	if _, err := r.Names(m); err != nil {
		return err
	}
	sides, _ := m.sides(r.Side)
	switch {
	case r.Asks(model.Class) || r.Asks(model.Decision):
		answers := model.Decisions{Classes: m.Clusters.K}
		return m.answer(ctx, e, rows, r.Kept, m.Clusters.K, m.decider, func(b *stream.Block, decisions blas64.General) error {
			return emit(b, answers.Answer(r, decisions))
		})
	case r.Asks(model.Novelty):
		return m.answer(ctx, e, rows, r.Kept, noveltyColumns, m.judge, emit)
	}
	if len(r.Kinds) > 1 {
		return errors.New("coordinates are asked for once, and either as scores or orthonormal")
	}
	if r.Asks(model.Scores) {
		next := emit
		emit = func(b *stream.Block, u blas64.General) error {
			m.scale(u)
			return next(b, u)
		}
	}
	return m.embed(ctx, e, rows, r.Kept, emit, sides...)
}

// scale multiplies the columns of U, of V, or of both side by side, by the roots of the values.
func (m *Model) scale(u blas64.General) {
	for i := range u.Rows {
		row := dense.Row(u, i)
		for j := range row {
			row[j] *= math.Sqrt(math.Abs(m.Values[j%len(m.Values)]))
		}
	}
}

// embed gives the embeddings of the rows of src by some sides, next to each other, to
// emit.
func (m *Model) embed(ctx context.Context, e stream.Engine, src stream.Source, kept bool, emit model.Emit, sides ...*Embedding) error {
	info := src.Info()
	cols := 0
	for _, side := range sides {
		if d := len(info.Columns); d != side.Landmarks.Cols {
			return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, side.Landmarks.Cols)
		}
		cols += side.Rank()
	}
	return stream.Map(ctx, e, "transform", src, cols, kept, func() func(blas64.General, *stream.Block) error {
		ems := make([]*embedder, len(sides))
		for i, side := range sides {
			ems[i] = m.embedder(side, info)
		}
		return func(dst blas64.General, b *stream.Block) error {
			first := 0
			for _, em := range ems {
				if err := em.embed(dense.Columns(dst, first, em.e.Rank()), b.X, b.Start); err != nil {
					return err
				}
				first += em.e.Rank()
			}
			return nil
		}
	}, emit)
}

// answer gives what a function makes of the rows of src to emit, so many numbers of each. begin
// returns the function for one goroutine: from the embedding of a row, its entries with the
// landmarks and k(x, x).
func (m *Model) answer(ctx context.Context, e stream.Engine, src stream.Source, kept bool, columns int,
	begin func() func(dst, u, entries []float64, diagonal float64), emit model.Emit) error {
	info := src.Info()
	if d := len(info.Columns); d != m.Left.Landmarks.Cols {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, m.Left.Landmarks.Cols)
	}
	return stream.Map(ctx, e, "transform", src, columns, kept, func() func(blas64.General, *stream.Block) error {
		em, put := m.embedder(m.Left, info), begin()
		room, diagonal := stream.NewMatrix(stream.PanelRows, m.Left.Rank()), make([]float64, stream.PanelRows)
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				entries, err := em.raw(x, b.Start+int64(first))
				if err != nil {
					return err
				}
				u := stream.RowSlice(room, 0, x.Rows)
				em.project(u, entries)
				em.t.Diagonal(diagonal[:x.Rows], x)
				for i := range x.Rows {
					put(dense.Row(dst, first+i), dense.Row(u, i), dense.Row(entries, i), diagonal[i]/m.Left.unit())
				}
			}
			return nil
		}
	}, emit)
}

// embedder applies a side of the model to rows of a source.
func (m *Model) embedder(side *Embedding, src stream.Info) *embedder {
	t := m.tiles(side)
	em := newEmbedder(t, side, side.pack(), src.Name)
	em.columns = src.Columns
	return em
}

// tiles evaluates the kernel of the model in the unit of an embedding.
func (m *Model) tiles(e *Embedding) *tiles.Tiles {
	t := tiles.Plain(m.Kernel)
	t.SetScale(e.unit())
	return t
}
