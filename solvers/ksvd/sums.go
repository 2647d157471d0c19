package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
)

// Sums selects exact or sampled row sums of a normalised kernel, and means for centering.
type Sums = tiles.SumRule

const (
	// SumsAuto is exact up to 2³² entries of G, or up to 2³⁴ paths of two edges of a graph, and sampled above.
	SumsAuto = tiles.SumsAuto
	// SumsExact sums over all N·M entries. It takes one pass over tile pairs, or two if the kernel is normalised and G
	// is centered. Both sides are held in memory, and in the model, since new rows need the sums as well.
	//
	// For a graph it sums over paths of two edges instead. Exceptions are normalised kernels of graphs with a negative
	// weight, and functions of the distance other than normalised exponentials of its square.
	SumsExact = tiles.SumsExact
	// SumsSampled sums over the sampled rows and columns, weighted: for uniform samples the sum over m columns times
	// M/m. It takes no extra work. Sums of a graph may be far off, since few sampled columns, or none, have entries in
	// common with a row.
	SumsSampled = tiles.SumsSampled
)

// Limits of SumsAuto for all sums and means: seconds of work, or minutes for a graph, whose sampled sums are poor.
const (
	exactSumEntries = tiles.ExactSumEntries // of G
	exactSumPaths   = 1 << 34               // paths of two edges
)

// sumPlan is the resolved computation of sums and means.
type sumPlan struct {
	sums    Sums // exact or sampled; exact if there are no sums
	byPaths bool
	passes  int    // over all entries, or over all paths
	note    string // the reason why they are sampled
}

// exact reports whether exact sums must be computed.
func (s sumPlan) exact() bool { return s.passes > 0 && s.sums == SumsExact }

func (s sumPlan) notes() []string {
	if s.note == "" {
		return nil
	}
	return []string{s.note}
}

// summing resolves [Nystrom.Sums].
func (m Nystrom) summing(s model.Size, t *tiles.Tiles) sumPlan {
	r := sumPlan{sums: SumsExact, byPaths: sumsByPaths(t, s)}
	if t.Normalised() {
		r.passes++
	}
	if m.Center {
		r.passes++
		if r.byPaths && !t.Normalised() { // over each side
			r.passes++
		}
	}
	if r.passes == 0 || m.Sums == SumsExact {
		return r
	}
	work, most, what, warning := float64(s.Rows)*float64(s.Cols), float64(exactSumEntries), "entries", ""
	if r.byPaths {
		work, most, what = float64(s.Sparse.Paths), exactSumPaths, "paths of two edges"
	}
	work *= float64(r.passes)
	if m.Sums == SumsAuto && work <= most {
		return r
	}
	r.sums = SumsSampled
	if s.Sparse != nil {
		warning = ", and estimates are poor for a graph, few of whose sampled columns have anything in common with a row"
	}
	if m.Sums == SumsAuto {
		r.note = fmt.Sprintf("row sums and means are estimated from the samples: exact ones go over %.3g %s, more than %.3g%s (`Sums exact` makes them exact)", work, what, most, warning)
	}
	return r
}

// byPaths reports whether sums over all rows of a side run over paths: see newPathSums. negative is set if the graph
// has a negative weight.
func byPaths(t *tiles.Tiles, negative bool) bool {
	return !(t.Normalised() && negative) && !(t.IsRadial() && t.Exponent() == 0)
}

// sumsByPaths reports whether sums over all rows of each side run over paths.
func sumsByPaths(t *tiles.Tiles, s model.Size) bool {
	return s.Sparse != nil && byPaths(t, s.Sparse.Negative)
}
