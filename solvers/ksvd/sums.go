package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
)

// Sums says how row sums of a normalised kernel, and the means that centering subtracts, are
// found.
type Sums = tiles.SumRule

const (
	// SumsAuto is exact up to 2³² entries of G, or up to 2³⁴ paths of two edges of a graph, and
	// sampled beyond.
	SumsAuto = tiles.SumsAuto
	// SumsExact sums over all N·M entries: one pass over tile pairs, two if the kernel is
	// normalised and G is centered. Both sides are held in memory, and in the model, since
	// new rows need the sums as well.
	//
	// For a graph it sums over paths of two edges instead. Exceptions are normalised kernels of
	// graphs with a negative weight, and functions of the distance other than normalised
	// exponentials of its square.
	SumsExact = tiles.SumsExact
	// SumsSampled takes the sums over the sampled rows and columns, weighted: for
	// uniform samples the sum over m columns times M/m. It is free. Sums of a graph
	// may be far off: few sampled columns, or none, have anything in common with a row.
	SumsSampled = tiles.SumsSampled
)

// SumsAuto does at most so much work for all sums and means: seconds, and minutes for a graph,
// whose sampled sums are poor.
const (
	exactSumEntries = tiles.ExactSumEntries // of G
	exactSumPaths   = 1 << 34               // paths of two edges
)

// summing is how sums and means are found.
type summing struct {
	sums    Sums // exact or sampled; exact if there are none
	byPaths bool
	passes  int    // over all entries, or over all paths
	note    string // why they are sampled
}

// exact reports whether there are exact sums to find.
func (s summing) exact() bool { return s.passes > 0 && s.sums == SumsExact }

func (s summing) notes() []string {
	if s.note == "" {
		return nil
	}
	return []string{s.note}
}

// summing resolves [Nystrom.Sums].
func (m Nystrom) summing(s model.Size, t *tiles.Tiles) summing {
	r := summing{sums: SumsExact, byPaths: sumsByPaths(t, s)}
	if t.Normalised() {
		r.passes++
	}
	if m.Center {
		r.passes++
		if r.byPaths && !t.Normalised() { // over either side
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

// byPaths reports whether sums over all rows of a side go over paths: see newPathSums. negative says
// that a weight of the graph is.
func byPaths(t *tiles.Tiles, negative bool) bool {
	return !(t.Normalised() && negative) && !(t.OfDistance() && t.Exponent() == 0)
}

// sumsByPaths reports whether sums over all rows of either side go over paths.
func sumsByPaths(t *tiles.Tiles, s model.Size) bool {
	return s.Sparse != nil && byPaths(t, s.Sparse.Negative)
}
