package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// sides returns the embeddings of a side, one or both. It fails, with the reason, if there is none.
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

// Outputs returns u0, u1, … for the left side and v0, v1, … for the right, for coordinates and scores.
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	sides, err := m.sides(side)
	if err != nil {
		return nil, err
	}
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
		return nil, errors.New("the model knows no novelty of the fitted rows: fit it again with `Novelty`")
	case kind == model.Class || kind == model.Decision:
		return nil, errors.New("the model has no clusters: fit it again with `Clusters`")
	}
	if err := kind.RequireOneOf(model.Coordinates, model.Scores); err != nil {
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

// Dimension returns the number of columns of a row, the same on both sides.
func (m *Model) Dimension(model.Side) int { return m.Left.Landmarks.Cols }

// TransformPlan returns the cost of Transform for rows.
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
			if !side.Transposed {
				p.AddEntries(float64(n) * float64(m.Sums.count()))
			}
		}
	}
	return p
}

// embeddingPlan returns the cost of a pass that embeds rows by some sides.
func (m *Model) embeddingPlan(e stream.Engine, rows int64, sides ...*Embedding) *model.Plan {
	d, outputs := m.Dimension(model.Left), 0
	p := model.NewPlan(e, rows, d)
	for _, side := range sides {
		outputs += side.Rank()
	}
	p.Map("blocks of factors", d, outputs)
	m.addEmbedding(p, e, rows, (*Embedding).tileNumbers, sides...)
	return p
}

// addEmbedding adds the model, and the tiles of workers that embed rows by some sides, of the given size for a side.
func (m *Model) addEmbedding(p *model.Plan, e stream.Engine, rows int64, tile func(*Embedding) int64,
	sides ...*Embedding) {
	d := m.Dimension(model.Left)
	numbers, tiles := 2*m.Sums.count()*int64(d), int64(0)
	threads := e.PassWorkers(rows, d)
	for _, side := range sides {
		numbers += side.numbers()
		tiles += threads * tile(side)
	}
	p.Add("model", numbers, "")
	p.Add("tiles", tiles, "`Engine.Threads`")
}

// Transform makes one pass over rows and passes their embedding, u for the left side or v for the right, to emit in row
// order. Columns are orthonormal over the fitted rows; scores are multiplied by the square roots of the values. See
// [Embedding] for the flops.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	sides, err := m.sides(r.Side)
	if err != nil {
		return nil, err
	}
	info := rows.Info()
	if err := input.CheckColumns(info, m.Dimension(r.Side)); err != nil {
		return nil, err
	}
	panels := make([]*basis.Panel, len(sides))
	for i, side := range sides {
		panels[i] = side.pack()
	}
	switch {
	case r.Includes(model.Class) || r.Includes(model.Decision):
		return func() model.Worker { return m.decisionWorker(m.rowEmbedder(m.Left, panels[0], info), r) }, nil
	case r.Includes(model.Novelty):
		return func() model.Worker {
			return m.answerWorker(m.rowEmbedder(m.Left, panels[0], info), m.noveltyFunc())
		}, nil
	case len(r.Outputs) > 1:
		return nil, errors.New("coordinates are asked for once, and either as scores or orthonormal")
	}
	var roots []float64 // of the values, for each side
	for range sides {
		for _, v := range m.Values {
			roots = append(roots, math.Sqrt(math.Abs(v)))
		}
	}
	return func() model.Worker {
		embedders := make([]*embedder, len(sides))
		for i, side := range sides {
			embedders[i] = m.rowEmbedder(side, panels[i], info)
		}
		return func(dst blas64.General, b *stream.Block) error {
			first := 0
			for _, em := range embedders {
				if err := em.embed(matrix.Columns(dst, first, em.e.Rank()), b.X, b.Start); err != nil {
					return err
				}
				first += em.e.Rank()
			}
			if r.Includes(model.Scores) {
				scale(dst, roots)
			}
			return nil
		}
	}, nil
}

// scale multiplies the columns of U, of V, or of both side by side, by the square roots of the values.
func scale(u blas64.General, roots []float64) {
	for i := range u.Rows {
		row := matrix.Row(u, i)
		for j := range row {
			row[j] *= roots[j]
		}
	}
}

// answerWorker makes a worker from a function that answers for one row, given its embedding, its entries with the
// landmarks and k(x, x).
func (m *Model) answerWorker(em *embedder, put func(dst, u, entries []float64, diagonal float64)) model.Worker {
	var room, selves []float64 // grow to the largest panel so far
	return func(dst blas64.General, b *stream.Block) error {
		for first, x := range b.Panels(em.panelRows()) {
			entries, err := em.raw(x, b.Start+int64(first))
			if err != nil {
				return err
			}
			u, diagonal := matrix.Reuse(&room, x.Rows, m.Left.Rank()), matrix.Reuse(&selves, x.Rows, 1).Data
			em.project(u, entries)
			em.t.Diagonal(diagonal, x)
			for i := range x.Rows {
				put(matrix.Row(dst, first+i), matrix.Row(u, i), matrix.Row(entries, i), diagonal[i]/m.Left.unit())
			}
		}
		return nil
	}
}

// decisionWorker makes a worker for clusters and their decision values.
func (m *Model) decisionWorker(em *embedder, r model.Request) model.Worker {
	answers, do := family.Decisions{Classes: m.Clusters.K}, m.answerWorker(em, m.decider())
	var room []float64 // grows to the largest panel so far
	return func(dst blas64.General, b *stream.Block) error {
		for first, x := range b.Panels(tilesize.PanelRows) {
			panel := *b
			panel.Start, panel.X = b.Start+int64(first), x
			decisions := matrix.Reuse(&room, x.Rows, m.Clusters.K)
			if err := do(decisions, &panel); err != nil {
				return err
			}
			answers.Answer(matrix.Rows(dst, first, x.Rows), r, decisions)
		}
		return nil
	}
}

// embedder applies a side of the model to rows of a source. panel has the packed landmarks.
func (m *Model) embedder(side *Embedding, panel *basis.Panel, src stream.Info) *embedder {
	t := m.tiles(side)
	em := newEmbedder(t, side, panel, src.Name)
	em.columns = src.Columns
	return em
}

// rowEmbedder is embedder for blocks of any size, with the same bits for a row in each.
func (m *Model) rowEmbedder(side *Embedding, panel *basis.Panel, src stream.Info) *embedder {
	em := m.embedder(side, panel, src)
	em.batchInvariant = true
	return em
}

// tiles evaluates the kernel of the model in the unit of an embedding, relative to its origin.
func (m *Model) tiles(e *Embedding) *tiles.Tiles {
	return m.tilesOver(e, m.Sums)
}

// tilesOver is tiles with other row sums.
func (m *Model) tilesOver(e *Embedding, s *RowSums) *tiles.Tiles {
	t, err := newTiles(m.Kernel, s)
	if err != nil {
		panic("lowrank: " + err.Error()) // cannot fail: kernels of models are resolved and take dense rows
	}
	t.SetScale(e.unit())
	t.SetOrigin(e.Origin)
	return t
}
