package ksvd

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/stream"
)

// Side is one side of a decomposition as a function of a row. With z_j the landmarks
// of the left side, rows of the right source, and x_i those of the right side,
//
//	u(x) = Σ_j g_j·Projection_j      g_j = G(x, z_j) − mean(x) − Means_j + GrandMean
//	v(z) = Σ_i g_i·Projection_i      g_i = G(x_i, z) − Means_i − mean(z) + GrandMean
//
// where the means are zero unless G is centred. The row sum that divides G(x, ·)
// and the mean of G(x, ·) or G(·, z) are taken over All rows of the side of the
// landmarks, or, if there are none, over the landmarks, with Weights.
//
// Cost for one row: an entry of G for each landmark and each row in All, and 2·p·r
// flops for p landmarks and rank r.
type Side struct {
	Landmarks Landmarks `array:"landmarks"`
	// Rows are the numbers of the landmarks in their source, ascending.
	Rows       []int64        `array:"landmark_rows,p,below=total"`
	Projection blas64.General `array:"projection,p,rank"` // p×r
	Weights    []float64      `array:"weights,p"`         // they sum to the number of rows of the landmarks' source
	// LogSums are of the right side: logarithms of the row sums of the landmarks.
	LogSums []float64 `array:"log_sums,p,optional"`
	// Means are those of the landmarks over the other side; nil unless G is centred.
	Means      []float64 `array:"means,p,if=centred"`
	GrandMean  float64
	AllLogSums []float64  `array:"all_log_sums,total,optional"` // of the right side with All
	All        *Landmarks `array:"all,p=total,if=all"`          // nil unless sums and means are exact and landmarks not all rows
	// Map is Cᵀ: new rows are multiplied by it first; empty for none.
	Map blas64.General `array:"map,raw,dimension,if=mapped"`

	left bool
}

// Landmarks are rows kept in a model: dense, or sparse if Sparse is not nil.
type Landmarks struct {
	Dense  blas64.General `array:",p,dimension,if=!sparse"`
	Sparse *stream.CSR    `array:",p,dimension,if=sparse"`
}

func (l Landmarks) points() *points { return &points{dense: l.Dense, sparse: l.Sparse} }

// entries returns how many entries sparse ones have, 0 for none.
func (l *Landmarks) entries() int64 {
	if l == nil || l.Sparse == nil {
		return 0
	}
	return l.Sparse.NNZ()
}

func landmarksOf(p *points) Landmarks { return Landmarks{Dense: p.dense, Sparse: p.sparse} }

// Rank returns the number of columns of the side.
func (s *Side) Rank() int { return s.Projection.Cols }

// dimension returns the length of the rows that the side takes, before Map.
func (s *Side) dimension() int {
	if s.Map.Rows > 0 {
		return s.Map.Rows
	}
	return s.Landmarks.points().dimension()
}

// prepared is what the embedders of a pass share.
type prepared struct {
	side      *Side
	entries   *entries
	landmarks *points
	all       []*points // all rows of the other side in slices, for their sums
	paths     *pathSums // instead, for sparse rows
	total     float64   // rows of the source of the landmarks
	stats     *statistics
	name      string
}

// averagePoints is how many rows of All a tile has.
const averagePoints = 1024

// prepare makes ready for a pass. stats are the sums and means of the rows of the
// pass, if they are those of the fit; nil otherwise.
func (s *Side) prepare(e *entries, total int64, stats *statistics, name string) *prepared {
	p := &prepared{side: s, entries: e, landmarks: s.Landmarks.points(), total: float64(total), stats: stats, name: name}
	ready := func(q *points) {
		if q.sparse != nil {
			q.columns()
		}
	}
	ready(p.landmarks)
	if s.All == nil || stats != nil {
		return p
	}
	if p.paths = newPathSums(e, s.All.points(), negated(s.AllLogSums)); p.paths != nil {
		return p
	}
	p.all = s.All.points().chunks(averagePoints)
	for _, q := range p.all {
		ready(q)
	}
	return p
}

// embedder embeds panels of rows. It belongs to one goroutine.
type embedder struct {
	*prepared
	tile, part []float64
	work       scratch
	mapped     []float64
	reach      *pathWorker
}

func (p *prepared) embedder() *embedder {
	m := &embedder{prepared: p}
	if p.paths != nil {
		m.reach = p.paths.worker()
	}
	return m
}

// pathSums returns the sums of sparse points over all rows of the other side.
func (m *embedder) pathSums(p *points) []logsum.Sum {
	sums := make([]logsum.Sum, p.count())
	for i := range sums {
		sums[i] = m.reach.sum(p.sparse.Row(i))
	}
	return sums
}

// pathMeans returns the means of sparse points over all rows of the other side.
func (m *embedder) pathMeans(p *points) []float64 {
	means := make([]float64, p.count())
	for i, s := range m.pathSums(p) {
		means[i] = m.entries.weight * m.entries.plain(s) / m.total
	}
	return means
}

// tileNumbers is how many numbers the tile of a panel has, or nearly.
const tileNumbers = 1 << 16

// panelRows returns how many rows are embedded at a time.
func panelRows(landmarks int) int {
	return max(32, min(stream.PanelRows, tileNumbers/max(1, landmarks)))
}

// shaped returns a matrix in the memory of buf, which grows.
func shaped(buf *[]float64, rows, cols int) blas64.General {
	if len(*buf) < rows*cols {
		*buf = make([]float64, rows*cols)
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: (*buf)[:rows*cols]}
}

// block puts u or v for the rows of a block into dst.
func (m *embedder) block(dst blas64.General, rows source, b *stream.Block) error {
	for first, x := range b.Panels(panelRows(m.landmarks.count())) {
		points := rows.blockOf(b, first, x)
		if m.side.Map.Rows > 0 {
			points.dense = shaped(&m.mapped, x.Rows, m.side.Map.Cols)
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m.side.Map, 0, points.dense)
		}
		if err := m.embed(stream.RowSlice(dst, first, x.Rows), points, b.Start+int64(first)); err != nil {
			return err
		}
	}
	return nil
}

// embed puts u or v of points, the first of which has the number start, into dst.
func (m *embedder) embed(dst blas64.General, p *points, start int64) error {
	g, err := m.centred(p, start)
	if err != nil {
		return err
	}
	trans := blas.NoTrans
	if !m.side.left {
		trans = blas.Trans
	}
	dense.Gemm(trans, blas.NoTrans, 1, g, m.side.Projection, 0, dst)
	return nil
}

// centred returns the tile of G, centred or not, between points and the landmarks: left
// rows against right rows, whichever are the points.
func (m *embedder) centred(p *points, start int64) (g blas64.General, err error) {
	if m.side.left {
		g, err = m.leftTile(p, start)
	} else {
		g, err = m.rightTile(p, start)
	}
	if err != nil {
		return g, err
	}
	for i := range g.Rows {
		for j, v := range dense.Row(g, i) {
			if v-v != 0 {
				row := i
				if !m.side.left {
					row = j
				}
				return g, badRow(m.name, start+int64(row), fmt.Sprintf("kernel %s is %v between this row and a landmark", m.entries.kernel, v))
			}
		}
	}
	return g, nil
}

// leftTile has the points as its rows.
func (m *embedder) leftTile(p *points, start int64) (blas64.General, error) {
	g := shaped(&m.tile, p.count(), m.landmarks.count())
	m.entries.fill(g, p, m.landmarks, &m.work)
	sums, means, err := m.leftStatistics(g, p, start)
	if err != nil {
		return g, err
	}
	m.entries.divide(g, sums)
	if m.side.Means == nil {
		return g, nil
	}
	for i := range g.Rows {
		row := dense.Row(g, i)
		if means == nil { // over the landmarks, which had to be divided first
			m.centreRow(row, m.rowMean(row))
		} else {
			m.centreRow(row, means[i])
		}
	}
	return g, nil
}

func (m *embedder) centreRow(row []float64, mean float64) {
	for j, v := range row {
		row[j] = v - mean - m.side.Means[j] + m.side.GrandMean
	}
}

// rowMean returns the mean of a row over the landmarks.
func (m *embedder) rowMean(row []float64) float64 {
	if mean, ok := m.entries.rowMean(int64(m.total)); ok {
		return mean
	}
	sum := 0.0
	for j, v := range row {
		sum += v * m.side.Weights[j]
	}
	return sum / m.total
}

// leftStatistics returns the logarithms of the row sums of left points, and their means
// where they are not taken over the landmarks. raw is the tile with the landmarks.
func (m *embedder) leftStatistics(raw blas64.General, p *points, start int64) (logs, means []float64, err error) {
	n := p.count()
	centred := m.side.Means != nil
	if m.stats != nil {
		if m.stats.rowMeans != nil {
			means = m.stats.rowMeans[start : start+int64(n)]
		}
		return m.stats.sumsOf(int(start), n), means, nil
	}
	mean, sure := m.entries.rowMean(int64(m.total))
	if centred && (sure || m.all != nil) {
		means = make([]float64, n)
	}
	if !m.entries.normalised {
		switch {
		case centred && m.reach != nil:
			means = m.pathMeans(p)
		case means != nil:
			m.eachAll(p, func(_ int, tile blas64.General) { addMeans(tile, means, make([]float64, tile.Cols)) })
			for i := range means {
				means[i] /= m.total
			}
		}
		return nil, means, nil
	}
	for i := range means {
		means[i] = mean
	}
	sums := make([]logsum.Sum, n)
	add := func(tile blas64.General, weight []float64) {
		for i := range n {
			m.entries.addSum(&sums[i], dense.Row(tile, i), weight, &m.work)
		}
	}
	switch {
	case m.reach != nil:
		sums = m.pathSums(p)
	case m.all != nil:
		m.eachAll(p, func(_ int, tile blas64.General) { add(tile, nil) })
	default:
		add(raw, m.side.Weights)
	}
	logs = make([]float64, n)
	for i := range logs {
		if logs[i] = m.entries.logOf(sums[i]); logs[i]-logs[i] != 0 {
			return nil, nil, m.entries.badSum(m.name, start+int64(i), logs[i])
		}
	}
	return logs, means, nil
}

// eachAll gives the raw tiles between points and all rows of the side of the
// landmarks, and the number of the first of these.
func (m *embedder) eachAll(p *points, f func(first int, tile blas64.General)) {
	first := 0
	for _, q := range m.all {
		left, right := p, q
		if !m.side.left {
			left, right = q, p
		}
		tile := shaped(&m.part, left.count(), right.count())
		m.entries.fill(tile, left, right, &m.work)
		f(first, tile)
		first += q.count()
	}
}

// rightTile has the points as its columns.
func (m *embedder) rightTile(p *points, start int64) (blas64.General, error) {
	g := shaped(&m.tile, m.landmarks.count(), p.count())
	m.entries.fill(g, m.landmarks, p, &m.work)
	m.entries.divide(g, m.side.LogSums)
	if m.side.Means == nil {
		return g, nil
	}
	means := m.colMeans(g, p, start)
	for i := range g.Rows {
		row := dense.Row(g, i)
		for j, v := range row {
			row[j] = v - means[j] - m.side.Means[i] + m.side.GrandMean
		}
	}
	return g, nil
}

// colMeans returns the means of the columns of right points.
func (m *embedder) colMeans(g blas64.General, p *points, start int64) []float64 {
	if m.stats != nil && m.stats.colMeans != nil {
		return m.stats.colMeans[start : start+int64(p.count())]
	}
	if m.reach != nil {
		return m.pathMeans(p)
	}
	means := make([]float64, p.count())
	if m.all == nil {
		for i := range g.Rows {
			for j, v := range dense.Row(g, i) {
				means[j] += v * m.side.Weights[i]
			}
		}
	} else {
		m.eachAll(p, func(first int, tile blas64.General) {
			if m.entries.normalised {
				m.entries.divide(tile, m.side.AllLogSums[first:first+tile.Rows])
			}
			addMeans(tile, make([]float64, tile.Rows), means)
		})
	}
	for j := range means {
		means[j] /= m.total
	}
	return means
}
