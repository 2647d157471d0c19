package ksvd

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
	"github.com/nystream/nystream/stream/tilesize"
)

// Factor is one side of a decomposition as a function of a row. The landmarks z_j of the left side are rows of the
// right source, and those of the right side, x_i, are rows of the left source:
//
//	u(x) = Σ_j g_j·Projection_j      g_j = G(x, z_j) − mean(x) − Means_j + GrandMean
//	v(z) = Σ_i g_i·Projection_i      g_i = G(x_i, z) − Means_i − mean(z) + GrandMean
//
// where the means are zero unless G is centered. The row sum that normalises G(x, ·), and the means of G(x, ·) and G(·,
// z), are over All rows of the source of the landmarks; if All is nil, over the landmarks, with Weights.
//
// Cost for one row: an entry of G for each landmark and each row in All, and 2·p·r
// flops for p landmarks and rank r.
type Factor struct {
	Landmarks Landmarks `array:"landmarks"`
	// Rows are the numbers of the landmarks in their source, ascending.
	Rows       []int64        `array:"landmark_rows,p,below=total"`
	Projection blas64.General `array:"projection,p,rank"` // p×r
	Weights    []float64      `array:"weights,p"`         // they sum to the number of rows of the landmarks' source
	// LogSums are the logarithms of the row sums of the landmarks, for the right side.
	LogSums []float64 `array:"log_sums,p,optional"`
	// Means are the means of the landmarks over the other side; nil unless G is centered.
	Means      []float64 `array:"means,p,if=centred"`
	GrandMean  float64
	AllLogSums []float64  `array:"all_log_sums,total,optional"` // for the right side with All
	All        *Landmarks `array:"all,p=total,if=all"`          // nil if sums are sampled or all rows are landmarks
	// Map is Cᵀ, applied to new rows first; empty for none.
	Map blas64.General `array:"map,raw,dimension,if=mapped"`

	left bool
}

// Landmarks are rows kept in a model: dense, or sparse if Sparse is not nil.
type Landmarks struct {
	Dense  blas64.General `array:",p,dimension,if=!sparse"`
	Sparse *sparse.CSR    `array:",p,dimension,if=sparse"`
}

func (l Landmarks) rows() *tiles.Rows { return &tiles.Rows{Dense: l.Dense, Sparse: l.Sparse} }

// entries returns the number of stored entries of sparse landmarks.
func (l *Landmarks) entries() int64 {
	if l == nil || l.Sparse == nil {
		return 0
	}
	return l.Sparse.NNZ()
}

func landmarksOf(r *tiles.Rows) Landmarks { return Landmarks{Dense: r.Dense, Sparse: r.Sparse} }

// Rank returns the number of columns of the side.
func (s *Factor) Rank() int { return s.Projection.Cols }

// dimension returns the length of the rows of the side, before Map.
func (s *Factor) dimension() int {
	if s.Map.Rows > 0 {
		return s.Map.Rows
	}
	return s.Landmarks.rows().Dimension()
}

// accepts returns an error for rows of another length or kind than those of the side.
func (s *Factor) accepts(rows source) error {
	if d := rows.dimension(); d != s.dimension() {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", rows.name(), d, s.dimension())
	}
	if sparse := s.Landmarks.Sparse != nil; sparse != (rows.sparse != nil) {
		return fmt.Errorf("%s: a model of a graph takes the rows of a sparse matrix, and a model of dense rows dense ones", rows.name())
	}
	return nil
}

// embedding is a side prepared for a pass over rows.
type embedding struct {
	*Factor
	tiles     *tiles.Tiles
	landmarks *tiles.Rows
	all       []*tiles.Rows // All in blocks, for dense sums
	paths     *pathSums     // All, for sparse sums
	total     float64       // number of rows of the landmarks' source
	sumsKnown *tiles.Sums   // for the rows of the pass; nil for new rows
	source    source
}

// allRows is the number of rows of All in a tile.
const allRows = 1024

// embedding prepares a side. known are the sums of the rows of the source, nil for new rows.
func (m *Model) embedding(t *tiles.Tiles, s *Factor, known *tiles.Sums, rows source) *embedding {
	p := &embedding{Factor: s, tiles: t, landmarks: s.Landmarks.rows().Prepare(), total: float64(m.Rows), sumsKnown: known, source: rows}
	if s.left {
		p.total = float64(m.Cols)
	}
	if s.All == nil || known != nil {
		return p
	}
	if p.paths = newPathSums(t, s.All.rows(), s.AllLogSums); p.paths != nil {
		return p
	}
	p.all = s.All.rows().Blocks(allRows)
	for _, q := range p.all {
		q.Prepare()
	}
	return p
}

// panelRows returns the number of rows to embed at a time.
func (s *Factor) panelRows() int { return tilesize.Rows(s.Projection.Rows, s.Projection.Cols) }

// embedder embeds the rows of blocks. It must not be used concurrently.
type embedder struct {
	*embedding
	tile, part, mapped []float64
	work               tiles.Work
	path               *pathWorker
}

func (p *embedding) worker() *embedder {
	m := &embedder{embedding: p}
	if p.paths != nil {
		m.path = p.paths.worker()
	}
	return m
}

// block stores u or v of the rows of a block in dst.
func (m *embedder) block(dst blas64.General, b *stream.Block) error {
	for first, x := range b.Panels(m.panelRows()) {
		rows := m.source.panel(b, first, x)
		if m.Map.Rows > 0 {
			rows.Dense = matrix.Reuse(&m.mapped, x.Rows, m.Map.Cols)
			dense.GemmRows(blas.NoTrans, x, m.Map, 0, rows.Dense)
		} else if err := m.tiles.CheckRows(m.source.name(), rows.Dense, b.Start+int64(first)); err != nil {
			return err
		}
		if err := m.embed(matrix.Rows(dst, first, x.Rows), rows, b.Start+int64(first)); err != nil {
			return err
		}
	}
	return nil
}

// embed stores u or v of rows in dst. start is the number of the first row.
func (m *embedder) embed(dst blas64.General, rows *tiles.Rows, start int64) error {
	tile, trans := m.rightTile, blas.Trans
	if m.left {
		tile, trans = m.leftTile, blas.NoTrans
	}
	g, err := tile(rows, start)
	if err != nil {
		return err
	}
	if i, j, found := dense.NotFinite(g); found {
		row := j
		if m.left {
			row = i
		}
		return tiles.BadRow(m.source.name(), start+int64(row), fmt.Sprintf("kernel %s is %v between this row and a landmark", m.tiles.Kernel, g.Data[i*g.Stride+j]))
	}
	dense.GemmRows(trans, g, m.Projection, 0, dst)
	return nil
}

// leftTile returns G between rows and the landmarks.
func (m *embedder) leftTile(rows *tiles.Rows, start int64) (blas64.General, error) {
	g := matrix.Reuse(&m.tile, rows.Count(), m.landmarks.Count())
	m.tiles.Fill(g, rows, m.landmarks, &m.work)
	sums, err := m.rowSums(g, rows, start)
	if err != nil {
		return g, err
	}
	m.tiles.Divide(g, sums.LogSums)
	if m.Means != nil {
		sums.ColMeans, sums.GrandMean = m.Means, m.GrandMean
		sums.Center(g)
	}
	return g, nil
}

// rowSums returns the sums of left rows and, if G is centered, their means. raw is their tile.
func (m *embedder) rowSums(raw blas64.General, rows *tiles.Rows, start int64) (*tiles.Sums, error) {
	out, n := &tiles.Sums{}, rows.Count()
	if m.sumsKnown != nil {
		out.LogSums = m.sumsKnown.LogSumRange(int(start), n)
		if m.Means != nil {
			out.RowMeans = m.sumsKnown.RowMeans[start : start+int64(n)]
		}
		return out, nil
	}
	if m.Means == nil && !m.tiles.Normalised() {
		return out, nil
	}
	sums := m.sumsOver(raw, rows)
	if m.tiles.Normalised() {
		out.LogSums = make([]float64, n)
	}
	out.RowMeans = make([]float64, n)
	for i, s := range sums {
		if !m.tiles.Normalised() {
			out.RowMeans[i] = m.tiles.Mean(s, m.total)
			continue
		}
		var err error
		if out.LogSums[i], err = m.tiles.LogSum(s, m.source.name(), start+int64(i)); err != nil {
			return nil, err
		}
		out.RowMeans[i] = m.tiles.RowMean(m.total)
	}
	return out, nil
}

// sumsOver returns the sums of the raw entries of left rows over the other side.
func (m *embedder) sumsOver(raw blas64.General, rows *tiles.Rows) []logsum.Sum {
	if m.path != nil {
		return m.path.sums(rows)
	}
	sums := make([]logsum.Sum, rows.Count())
	add := func(tile blas64.General, weights []float64) {
		for i := range sums {
			m.tiles.AddSum(&sums[i], matrix.Row(tile, i), weights, &m.work)
		}
	}
	if m.all == nil {
		add(raw, m.Weights)
	}
	for _, q := range m.all {
		tile := matrix.Reuse(&m.part, rows.Count(), q.Count())
		m.tiles.Fill(tile, rows, q, &m.work)
		add(tile, nil)
	}
	return sums
}

// rightTile returns G between the landmarks and rows.
func (m *embedder) rightTile(rows *tiles.Rows, start int64) (blas64.General, error) {
	g := matrix.Reuse(&m.tile, m.landmarks.Count(), rows.Count())
	m.tiles.Fill(g, m.landmarks, rows, &m.work)
	m.tiles.Divide(g, m.LogSums)
	if m.Means == nil {
		return g, nil
	}
	means := m.colMeans(g, rows, start)
	for i := range g.Rows {
		row := matrix.Row(g, i)
		for j, v := range row {
			row[j] = v - means[j] - m.Means[i] + m.GrandMean
		}
	}
	return g, nil
}

// colMeans returns the means of right rows over the other side. g is their tile.
func (m *embedder) colMeans(g blas64.General, rows *tiles.Rows, start int64) []float64 {
	if m.sumsKnown != nil {
		return m.sumsKnown.ColMeans[start : start+int64(rows.Count())]
	}
	means := make([]float64, rows.Count())
	if m.path != nil {
		for i, s := range m.path.sums(rows) {
			means[i] = m.tiles.Mean(s, m.total)
		}
		return means
	}
	if m.all == nil {
		addColumns(means, g, m.Weights)
	}
	first := 0
	for _, q := range m.all {
		tile := matrix.Reuse(&m.part, q.Count(), rows.Count())
		m.tiles.Fill(tile, q, rows, &m.work)
		m.tiles.Divide(tile, (&tiles.Sums{LogSums: m.AllLogSums}).LogSumRange(first, q.Count()))
		addColumns(means, tile, nil)
		first += q.Count()
	}
	for j := range means {
		means[j] /= m.total
	}
	return means
}

// addColumns adds the weighted entries of each column to its sum; nil means weights of 1.
func addColumns(sums []float64, tile blas64.General, weights []float64) {
	for i := range tile.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		for j, v := range matrix.Row(tile, i) {
			sums[j] += v * w
		}
	}
}
