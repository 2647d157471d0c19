package lowrank

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream/tilesize"
)

// Embedding is one side of a factorisation as a function of a row x:
//
//	u(x) = ((k(x, Landmarks)·Ĉ − RangeShift·c(x))·Projection − Centre.Offset)·Refinement
//
// Ĉ has the landmarks' rows of a sparse-sign sketch, or is the identity if Signs is nil. c(x) is the row of the sketch
// at x. It is zero unless x is a landmark of the fitted source: a row with the number and the content of a landmark.
// [RFF] has no landmarks, and instead
//
//	u(x) = φ(x)·Projection·Refinement
//
// For right rows under an asymmetric kernel, k(Landmarks, x)ᵀ replaces k(x, Landmarks).
//
// Cost for one row: p kernel entries for p landmarks, and 2·p·r flops (with
// Signs p + 2·c·r) for rank r.
type Embedding struct {
	Landmarks  blas64.General // p×d; 0×d with features
	Rows       []int64        // their row numbers in the source of the fit, ascending
	Signs      *sketch.SparseSign
	RangeShift float64
	Projection blas64.General // p×r, or c×r with Signs or features
	Refinement blas64.General // r×r, empty before Refine
	Unit       float64        // the kernel is multiplied by this power of two; 0 means 1
	Origin     []float64      // the kernel is k(x − Origin, z − Origin); nil for 0
	Transposed bool           // the kernel is k(Landmarks, x)
	features   featureMap     // nil unless the model uses random features
	Center     *Center        // nil unless rows are centred in feature space
}

// Center is the mean μ of the fitted rows in feature space, in the span of the landmarks. Its inner product with a row
// x is k(x, Landmarks)·Weights, in the unit of the embedding.
type Center struct {
	Weights []float64 `json:"-" array:"weights,p"`
	Offset  []float64 `json:"-" array:"offset,rank"` // the embedding of μ before refinement
	Norm    float64   `json:"norm"`                  // ‖μ‖²
}

// mean returns the inner product with the mean as an embedding of rank 1.
func (e *Embedding) mean() *Embedding {
	weights := matrix.Of(e.Center.Weights, len(e.Center.Weights), 1)
	return &Embedding{Landmarks: e.Landmarks, Rows: e.Rows, Projection: weights, Unit: e.Unit, Origin: e.Origin}
}

func (e *Embedding) unit() float64 {
	if e.Unit == 0 {
		return 1
	}
	return e.Unit
}

// width returns the number of columns before projection.
func (e *Embedding) width() int {
	switch {
	case e.features != nil:
		return e.features.columns()
	case e.Signs != nil:
		return e.Signs.Cols
	}
	return e.Landmarks.Rows
}

// Entries returns the number of values computed for a row before folding and projection: kernel entries with landmarks,
// or features.
func (e *Embedding) Entries() int {
	if e.features != nil {
		return e.features.columns()
	}
	return e.Landmarks.Rows
}

// panelRows returns the number of rows that [Model.Transform] embeds at a time.
func (e *Embedding) panelRows() int {
	if e.features != nil {
		return tilesize.PanelRows
	}
	return tilesize.Rows(e.width(), e.Rank())
}

// tileNumbers returns the size of the tiles of a worker of [Model.Transform], in numbers: entries before and after they
// are folded, and rows before and after they are refined.
func (e *Embedding) tileNumbers() int64 { return e.tilesOf(e.panelRows()) }

// panelNumbers is tileNumbers for whole panels.
func (e *Embedding) panelNumbers() int64 { return e.tilesOf(tilesize.PanelRows) }

func (e *Embedding) tilesOf(rows int) int64 {
	n := int64(rows) * int64(e.width()+e.Rank()+e.Refinement.Cols)
	if e.Signs != nil {
		n += foldRows * int64(e.Entries())
	}
	return n
}

// numbers returns the size of an embedding in memory, in numbers, including packed landmarks.
func (e *Embedding) numbers() int64 {
	n, r := int64(e.Entries()), int64(e.Rank())
	if _, plain := e.features.(mapFeatures); plain {
		return 2 * n * r
	}
	return n * (3*int64(e.Landmarks.Cols) + 2*r)
}

// Rank returns the number of columns of the embedding.
func (e *Embedding) Rank() int { return e.Projection.Cols }

// embedder applies an embedding to blocks of rows. It must not be used concurrently.
type embedder struct {
	e              *Embedding
	t              *tiles.Tiles
	panel          *basis.Panel
	name           string
	columns        []string                    // names, for messages; may be nil
	apply          func(dst, x blas64.General) // replaces tiles, for features
	tiles          func(dst, x blas64.General, numbers input.Numbers) error
	fold           []float64 // n×c numbers for the largest panel so far, or n×p without signs
	proj           []float64 // n×r numbers
	batchInvariant bool      // a row has the same bits in blocks of any size; otherwise they depend on BLAS, as in fits
}

func newEmbedder(t *tiles.Tiles, e *Embedding, p *basis.Panel, name string) *embedder {
	m := &embedder{e: e, t: t, panel: p, name: name}
	if e.features != nil {
		m.apply = e.features.applier()
	} else {
		m.tiles = (&basis.Map{Tiles: t, Landmarks: p, Signs: e.Signs, Transposed: e.Transposed}).Raw(name)
	}
	return m
}

// raw computes (K(x, landmarks)·Ĉ − RangeShift·c), or features, for at most PanelRows rows. start is the number of the
// first one. The result is valid until the next call.
func (m *embedder) raw(x blas64.General, start int64) (blas64.General, error) {
	return m.rawNumbered(x, input.Numbers{From: start})
}

// rawNumbered is raw for rows with any numbers. It fails, naming the row, if an entry is not finite.
func (m *embedder) rawNumbered(x blas64.General, numbers input.Numbers) (blas64.General, error) {
	fold := matrix.Reuse(&m.fold, x.Rows, m.e.width())
	if m.apply != nil {
		return fold, m.features(fold, x, numbers)
	}
	if err := m.tiles(fold, x, numbers); err != nil || m.e.RangeShift == 0 {
		return fold, err
	}
	for i := range x.Rows {
		if k, found := slices.BinarySearch(m.panel.Number, numbers.At(i)); found {
			m.shift(fold, x, i, k)
		}
	}
	return fold, nil
}

// shift subtracts RangeShift·C on row i, if it is landmark k.
func (m *embedder) shift(fold, x blas64.General, i, k int) {
	if slices.Equal(matrix.Row(x, i), matrix.Row(m.panel.Rows, k)) {
		fold.Data[i*fold.Stride+m.e.Signs.Col(k)] -= m.e.RangeShift * m.e.Signs.Value(k)
	}
}

// panelRows returns the number of rows to embed at a time. Only rows whose bits do not depend on it get fewer than
// [tilesize.PanelRows].
func (m *embedder) panelRows() int {
	if m.batchInvariant {
		return m.e.panelRows()
	}
	return tilesize.PanelRows
}

// embed stores u(x) for the rows of a block in dst.
func (m *embedder) embed(dst blas64.General, x blas64.General, start int64) error {
	rows := m.panelRows()
	for first := 0; first < x.Rows; first += rows {
		n := min(rows, x.Rows-first)
		fold, err := m.raw(matrix.Rows(x, first, n), start+int64(first))
		if err != nil {
			return err
		}
		m.project(matrix.Rows(dst, first, n), fold)
	}
	return nil
}

// project computes dst = fold·Projection·Refinement. The two products are not merged, because the second round of
// orthonormalisation works on the rounded first product.
func (m *embedder) project(dst, fold blas64.General) {
	if m.e.Refinement.Rows == 0 {
		m.multiply(fold, m.e.Projection, dst)
		m.centre(dst)
		return
	}
	proj := matrix.Reuse(&m.proj, dst.Rows, m.e.Rank())
	m.multiply(fold, m.e.Projection, proj)
	m.centre(proj)
	m.multiply(proj, m.e.Refinement, dst)
}

// multiply computes dst = a·b.
func (m *embedder) multiply(a, b, dst blas64.General) {
	if m.batchInvariant {
		dense.GemmRows(blas.NoTrans, a, b, 0, dst)
		return
	}
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, dst)
}

// centre subtracts the embedding of the mean.
func (m *embedder) centre(u blas64.General) {
	if m.e.Center == nil {
		return
	}
	for i := range u.Rows {
		matrix.Axpy(-1, m.e.Center.Offset, matrix.Row(u, i))
	}
}

// pack packs the landmarks of a loaded or fitted embedding.
func (e *Embedding) pack() *basis.Panel {
	return basis.NewPanel(e.Landmarks, e.Rows, e.Signs)
}
