package lowrank

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Sampled fits a model of one source by a method, and learns clusters and novelty from a sample of the fitted rows. The
// sample has at most [ClusterSample] rows, so memory does not grow with the number of rows. Its models support
// [model.Class] and [model.Novelty].
//
// Cost: the fit, and for each sampled row one kernel entry for each landmark. Novelty adds five to ten fits to parts of
// the sample, each of which maps all of it. Sampled rows are gathered by number, without a pass.
type Sampled struct {
	Method
	Clusters int  // k of [Clusters], at least 2; AutoClusters for the eigengap, 0 for none
	Novelty  bool // see [Novelty]
	Seed     uint64
}

// AutoClusters lets the eigengap choose the number of clusters.
const AutoClusters = -1

// ClusterSample is the largest sample for learning clusters and novelty.
const ClusterSample = 10_000

// Fit fits the model. It fails for two sources, for novelty with a method of random features or sketches, and for rows
// with fewer clusters than requested.
func (m Sampled) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

func (m Sampled) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := m.check(d.Size(), k); err != nil {
		return nil, err
	}
	f, err := m.Method.Fit(ctx, e, d, k)
	if err != nil {
		return nil, err
	}
	e.Progress, e.Run = nil, nil
	s, err := f.sampleRows(ctx, e, d.Left, m.Seed)
	if err != nil {
		return nil, err
	}
	s.report = &f.Report
	if m.Clusters != 0 {
		if err := s.learnClusters(ctx, e, m.Clusters, m.Seed); err != nil {
			return nil, err
		}
	}
	if m.Novelty {
		if err := s.learnNovelty(ctx, e, m.Method, m.Seed); err != nil {
			return nil, err
		}
	}
	f.KernelEntries += s.tiles.Entries.Load() + s.others
	return f, nil
}

func (m Sampled) check(s model.Size, k kernelgen.Kernel) error {
	_, centred := m.Method.(PCA)
	switch {
	case !s.OneSource():
		return errors.New("clusters and novelty are of the rows of one source: leave out the other")
	case !k.Symmetric():
		return fmt.Errorf("clusters and novelty are of the rows of one source under a symmetric kernel, and %s is not", k)
	case m.Clusters != 0 && m.Clusters != AutoClusters && m.Clusters < 2:
		return errors.New("`Clusters` must be 2 or more: all rows are one cluster")
	case m.Clusters != 0 && centred:
		return errors.New("clusters are of a kernel matrix that is not centred: use landmark")
	}
	return nil
}

// fittedSample is a sample of the fitted rows of a model.
type fittedSample struct {
	*Model
	name     string // of the rows
	tiles    *tiles.Tiles
	rows     *basis.Panel
	weight   float64 // rows of the source for each sampled row
	u        blas64.General
	diagonal []float64 // k(x, x), centred if the model is
	others   int64     // kernel entries of fits to parts of the sample
	report   *model.Report
}

// sampleRows draws and embeds rows.
func (m *Model) sampleRows(ctx context.Context, e stream.Engine, src stream.Source, seed uint64) (*fittedSample,
	error) {
	drawn, err := sketch.NewSample(m.Rows, int(min(m.Rows, ClusterSample)), seed, "answers")
	if err != nil {
		return nil, err
	}
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: drawn.Positions()})
	if err != nil {
		return nil, err
	}
	s := &fittedSample{Model: m, name: src.Info().Name, tiles: m.tiles(m.Left), rows: panels[0]}
	s.weight = float64(m.Rows) / float64(s.rows.Count())
	if s.u, err = embedRows(ctx, e, s.tiles, m.Left, m.Left.pack(), s.rows, src.Info().Name); err != nil {
		return nil, err
	}
	s.diagonal = make([]float64, s.rows.Count())
	s.tiles.Diagonal(s.diagonal, s.rows.Rows)
	centre, err := newCentring(ctx, e, s.tiles, m, s.rows)
	if err != nil {
		return nil, err
	}
	centre.centreDiagonal(s.diagonal)
	for i := range s.diagonal {
		s.diagonal[i] /= m.Left.unit()
	}
	return s, nil
}

// changeBasis transforms the learnt quantities from the basis U to U', where U = U'·t.
func (m *Model) changeBasis(t blas64.General) {
	if m.Clusters != nil {
		m.Clusters.changeBasis(t)
	}
	if m.Novelty != nil {
		m.Novelty.changeBasis(t)
	}
}

// Plan returns the cost of a fit.
func (m Sampled) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(s, k); err != nil {
		return nil, err
	}
	p, err := m.Method.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	rank, landmarks := sizeOf(m.Method, s.Rows)
	rows := min(s.Rows, ClusterSample)
	next := model.NewPlan(e, s.Rows, s.Columns)
	next.Add("sampled rows", rows*(3*int64(s.Columns)+2*rank+4), "")
	next.AddEntries(float64(rows) * float64(landmarks))
	if m.Clusters != 0 {
		compared := min(rows, unexplainedRows)
		next.Add("entries between sampled rows", 3*compared*compared, "")
		next.AddEntries(float64(compared) * float64(compared))
	}
	if _, centred := m.Method.(PCA); centred {
		next.AddEntries(float64(rows) * float64(landmarks))
	}
	if m.Novelty {
		next.Add("kernel between landmarks", landmarks*landmarks, "`Landmarks` or `Rank`")
		next.AddEntries(float64(landmarks) * float64(landmarks))
		folds := int64(noveltyFolds(int(rows)))
		fold, err := m.Method.Plan(e, model.Size{Rows: max(1, rows-rows/folds), Columns: s.Columns}, k)
		if err != nil {
			return nil, err
		}
		p.AddEntries(float64(folds-1)*float64(fold.KernelEntries) + float64(folds)*float64(rows)*float64(landmarks))
		fold.Add("sampled rows", rows*2*int64(s.Columns), "")
		fold.Notes = nil
		p.Stage(fold)
	}
	p.Stage(next)
	return p, nil
}

// sizeOf returns the rank of a method and the number of landmarks of its model, at most n. If a tolerance determines
// them, they are those of 64 columns.
func sizeOf(m Method, n int64) (rank, landmarks int64) {
	const columns = 64
	rank, landmarks = columns, defaultLandmarks(columns)
	switch m := m.(type) {
	case Landmark:
		rank, landmarks = int64(m.Rank), m.landmarks()
	case PCA:
		rank, landmarks = int64(m.Rank), m.landmark().landmarks()
	case Nystrom:
		rank, landmarks = int64(m.Rank), int64(m.landmarks())
	case RPCholesky:
		rank, landmarks = int64(m.Rank), int64(max(m.Rank, m.Landmarks))
	case S3SPSD:
		rank, landmarks = int64(m.Rank), int64(max(4, m.NNZ)*m.Rank)
	case RFF:
		rank, landmarks = int64(m.Rank), 0
	case Subspace:
		rank, landmarks = int64(m.Rank), n
	}
	return min(n, rank), min(n, landmarks)
}
