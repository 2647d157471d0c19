package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// candidateSet has rows that a uniform sample is likely to miss.
type candidateSet struct {
	name, kernel    string
	rank, landmarks int // of the fits
	rows, cols      int
	groups, members int     // rare rows: groups of members each
	norm            float64 // of rare rows, relative to the others
	width           float64 // of the bulk around its ten centres, 0 for uniform rows
}

// candidateSets are the data of the table. Matrices of 100,000 rows are too large for their exact spectral error.
var candidateSets = []candidateSet{
	{name: "heavy-poly", kernel: "poly(degree=3)", rank: 30, landmarks: 120, rows: 5_000, cols: 20,
		groups: 20, members: 1, norm: 20},
	{name: "heavy-linear", kernel: "linear()", rank: 30, landmarks: 120, rows: 5_000, cols: 200,
		groups: 20, members: 1, norm: 100},
	{name: "clusters-of-4", kernel: "rbf(gamma=0.5)", rank: 30, landmarks: 120, rows: 5_000, cols: 6,
		groups: 20, members: 4, norm: 8, width: 0.1},
	{name: "clusters-of-3", kernel: "rbf(gamma=0.5)", rank: 200, landmarks: 200, rows: 100_000, cols: 6,
		groups: 100, members: 3, norm: 8, width: 0.1},
	{name: "clusters-of-3-wide", kernel: "rbf(gamma=2)", rank: 200, landmarks: 200, rows: 100_000, cols: 6,
		groups: 100, members: 3, norm: 8},
}

// bulkCentres is the number of centres of the other rows.
const bulkCentres = 10

// exactRows is the largest number of rows of an exact spectral error.
const exactRows = 5_000

// candidateNames returns the names of the sets.
func candidateNames() (names []string) {
	for _, s := range candidateSets {
		names = append(names, s.name)
	}
	return names
}

// data returns the rows of a set, and the numbers of the rare ones.
func (s candidateSet) data(seed uint64) (x blas64.General, rare []int) {
	x, centres := centred(s.rows, s.cols, seed), centred(bulkCentres+s.groups, s.cols, seed+100)
	place := func(i, centre int, norm, width float64) {
		for j, v := range matrix.Row(x, i) {
			matrix.Row(x, i)[j] = norm*matrix.Row(centres, centre)[j] + width*v
		}
	}
	if s.width > 0 {
		for i := range x.Rows {
			place(i, i%bulkCentres, 1, s.width)
		}
	}
	step := s.rows / (s.groups * s.members)
	for i := range s.groups * s.members {
		rare = append(rare, i*step+step/2)
		place(rare[i], bulkCentres+i%s.groups, s.norm, 0.01)
	}
	return x, rare
}

// centred returns rows drawn uniformly from [-½,½]^d.
func centred(n, d int, seed uint64) blas64.General {
	x := datasets.Uniform(n, d, seed)
	for i := range x.Data {
		x.Data[i] -= 0.5
	}
	return x
}

// candidates compares fits with landmarks of a uniform sample and of candidates that a scout adds.
func candidates(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: "Candidates for landmarks without and with a scout",
		Head: []string{"data", "rows", "seed", "landmark", "with scout", "nystrom", "with scout", "explained", "with scout"},
		Notes: []string{"Spectral errors over that of fit subspace, which is nearly the least of the rank, with --rule auto. " +
			"Explained is the mean share of k(x, x) in the model of nystrom, over the rare rows."}}
	for _, s := range candidateSets {
		if !slices.Contains(o.data, s.name) {
			continue
		}
		for seed := uint64(1); seed <= uint64(o.seeds); seed++ {
			if err := s.measure(ctx, t, seed); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			progress(t)
		}
	}
	return t, nil
}

// measure adds a row to the table.
func (s candidateSet) measure(ctx context.Context, t *report.Table, seed uint64) error {
	x, rare := s.data(seed)
	k, err := kernelgen.Parse(s.kernel)
	if err != nil {
		return err
	}
	least := math.NaN()
	if s.rows <= exactRows {
		if least, _, err = s.fit(ctx, lowrank.Subspace{Rank: s.rank, Passes: 6, Shift: lowrank.ShiftNone}, x, k, nil); err != nil {
			return err
		}
	}
	cells, explained := []any{s.name, s.rows, seed}, []any{}
	landmark := lowrank.Landmark{Rank: s.rank, Landmarks: s.landmarks, Seed: seed, Shift: lowrank.ShiftNone}
	nystrom := lowrank.Nystrom{Rank: s.rank, Landmarks: s.landmarks, Rule: lowrank.RuleAuto, Seed: seed}
	landmarkScout, nystromScout := landmark, nystrom
	landmarkScout.Scout, nystromScout.Scout = true, true
	for _, m := range []lowrank.Method{landmark, landmarkScout, nystrom, nystromScout} {
		spectral, share, err := s.fit(ctx, m, x, k, rare)
		if err != nil {
			return err
		}
		cells, explained = append(cells, spectral/least), append(explained, share)
	}
	t.Add(append(cells, explained[2:]...)...)
	return nil
}

// fit returns the spectral error of a model, NaN for many rows, and the share of rare rows that it explains.
func (s candidateSet) fit(ctx context.Context, m lowrank.Method,
	x blas64.General, k kernelgen.Kernel, rare []int) (spectral, explained float64, err error) {
	spectral = math.NaN()
	d := model.Sources{Left: stream.FromMatrix("rows", x)}
	f, err := m.Fit(ctx, stream.Engine{}, d, k)
	if err != nil {
		return 0, 0, err
	}
	if s.rows <= exactRows {
		v, err := f.Verify(ctx, stream.Engine{}, d, 0, seedOfVerify)
		if err != nil {
			return 0, 0, err
		}
		spectral = v.SpectralError
	}
	features, self := matrix.New(len(rare), f.Rank()), make([]float64, len(rare))
	rows := dense.PickRows(x, rare)
	if err := f.Features("rows")()(features, rows, 0); err != nil {
		return 0, 0, err
	}
	f.SelfEntries()(self, rows)
	for i, v := range self {
		explained += dense.Dot(matrix.Row(features, i), matrix.Row(features, i)) / v / float64(len(rare))
	}
	return spectral, explained, nil
}

// seedOfVerify starts the iteration for spectral errors.
const seedOfVerify = 7
