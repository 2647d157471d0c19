package paper2

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
)

// publishedDivergences are the paper's, with C by a1; of what from what it does not say.
var publishedDivergences = map[string]string{"pima": "−9.0", "ilpd": "−509.8", "yacht": "740"}

// gaussianPairs are generated densities: with samples that are large, and with as many as
// the tables have rows and columns.
var gaussianPairs = []gaussianPair{
	{2, 0, 1, 1000, 1000},
	{2, 1, 1, 1000, 1000},
	{2, 0, 2, 1000, 1000},
	{8, 2, 1, 1000, 1000},
	{8, 0, 1, 768, 8},
	{8, 2, 1, 768, 8},
	{6, 0, 1, 308, 6},
}

// section52 returns the divergences between rows and columns of Section 5.2, and what the
// estimates are worth where the divergence is known.
func section52(ctx context.Context, names []string, repeats int) (*report.Table, error) {
	t := &report.Table{File: "section52", Title: "Section 5.2: divergence of Kullback and Leibler between the densities of rows x and columns z",
		Head: []string{"data", "C", "x, z, dimension", "KL(x‖z)", "densities", "neighbours", "KL(z‖x)", "densities", "neighbours", "paper"},
		Notes: []string{fmt.Sprintf("Mean ± standard deviation over %d draws, where something is drawn. Densities: sums of Gaussians with Scott's bandwidths, that of its own sample without the point. "+
			"Neighbours: from the distances to the third neighbour (Wang, Kulkarni and Verdú 2009). KL: the closed form. Columns of tables are standardised, as for Table 3; "+
			"\"normal numbers\" is a table with nothing in it.", repeats),
			"The paper estimates densities with C by a1, and does not say how, at which scale, or of which of the two from the other. A divergence is not negative: three of its five figures are, and so are none. " +
				"As many z as the table has columns are too few for a density in as many dimensions: for equal densities with such samples the estimates are far from 0. " +
				"And with a1 and a2 columns are about √(rows/columns) times as long as rows, which is most of the figure: a table of normal numbers has it as much as those of data."}}
	for _, g := range gaussianPairs {
		forth, back := g.divergences()
		m := measuredOver(repeats, g.draw)
		t.Add(g, "", sizes(g.rows, g.cols, g.dimension), forth, m[0].text(), m[1].text(), back, m[2].text(), m[3].text(), "")
	}
	tables := map[string]func(seed uint64) (blas64.General, error){"normal numbers": func(seed uint64) (blas64.General, error) { return gaussian(768, 8, seed), nil }}
	for _, name := range names {
		tables[name] = func(uint64) (blas64.General, error) {
			d, err := datasets.LoadSupervised(name)
			if err != nil {
				return blas64.General{}, err
			}
			return d.X, nil
		}
	}
	for _, name := range append([]string{"normal numbers"}, names...) {
		for i, c := range compatibilities {
			if err := addDivergences(ctx, t, name, tables[name], c, fmt.Sprintf("a%d", i), repeats); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return t, nil
}

// addDivergences adds a table with one C. It is drawn anew, or C is, or nothing.
func addDivergences(ctx context.Context, t *report.Table, name string, table func(uint64) (blas64.General, error), c ksvd.Compatibility, word string, repeats int) error {
	if publishedDivergences[name] != "" && c != ksvd.CompatRandom {
		repeats = 1
	}
	var failed error
	var size string
	m := measuredOver(repeats, func(seed uint64) (x, z blas64.General) {
		a, err := table(seed)
		if err == nil {
			x, z, err = bothSides(ctx, standardised(a), c, seed)
		}
		if err != nil {
			failed = err
			return blas64.General{}, blas64.General{}
		}
		size = sizes(x.Rows, z.Rows, x.Cols)
		return x, z
	})
	if failed != nil {
		return failed
	}
	paper := ""
	if c == ksvd.CompatPCA {
		paper = publishedDivergences[name]
	}
	t.Add(name, word, size, "", m[0].text(), m[1].text(), "", m[2].text(), m[3].text(), paper)
	return nil
}

// bothSides returns the rows of a matrix and its columns, of one length.
func bothSides(ctx context.Context, a blas64.General, c ksvd.Compatibility, seed uint64) (x, z blas64.General, err error) {
	data, err := ksvd.RowsAndColumns(ctx, stream.FromMatrix("table", a), c, seed)
	if err != nil {
		return x, z, err
	}
	s := data.Shape()
	both, err := data.Sample(ctx, int(2*max(s.Rows, s.Cols)), 1)
	if err != nil {
		return x, z, err
	}
	return stream.RowSlice(both, 0, a.Rows), stream.RowSlice(both, a.Rows, both.Rows-a.Rows), nil
}

// estimates are those of one figure over draws.
type estimates []float64

// text returns the mean, and the standard deviation of more than one.
func (e estimates) text() string {
	mean, deviation := meanDeviation(e)
	if len(e) == 1 || math.IsNaN(mean) {
		return report.Figure(mean)
	}
	return report.Figure(mean) + " ± " + report.Figure(deviation)
}

// measuredOver estimates KL(x‖z) by densities and by neighbours, then KL(z‖x).
func measuredOver(draws int, draw func(seed uint64) (x, z blas64.General)) (m [4]estimates) {
	for seed := range draws {
		x, z := draw(uint64(seed) + 1)
		if x.Rows == 0 {
			return m
		}
		for i, v := range []float64{byDensities(x, z), byNeighbours(x, z), byDensities(z, x), byNeighbours(z, x)} {
			m[i] = append(m[i], v)
		}
	}
	return m
}

func sizes(x, z, dimension int) string { return fmt.Sprintf("%d, %d, %d", x, z, dimension) }
