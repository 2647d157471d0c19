package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Operator says how [Exact] makes products with G.
type Operator uint8

const (
	// OperatorAuto is paths where few of the pairs of rows are joined by a path, else tiles.
	OperatorAuto Operator = iota
	// OperatorTiles goes over all N·M entries, once for the row sums of a normalised kernel
	// and once for each product: 4·N·M·b flops besides the entries for b vectors on each
	// side. With N·M ≤ [HeldEntries] G is held in memory and the entries are made once.
	// Between sparse rows a tile costs its entries and the paths that run through it, and
	// each block of 256 columns takes 8·N bytes, N²/32 bytes for a graph.
	OperatorTiles
	// OperatorPaths is for graphs. Where no path of two edges leads from row i to column j,
	// G_ij depends on the norms of the two alone: a product with one vector, or with the
	// table of the distinct norms, and besides 4·b flops for each pair that a path joins.
	// The entries of these pairs are made once. Memory: 24 bytes for each pair, and 8 for
	// each entry of the table. It is not for normalised kernels where a weight is negative,
	// nor where the kernel needs a table of more than [HeldEntries] entries: only functions
	// of the distance that are no exponentials of its square need one of more than one.
	OperatorPaths
)

// Choose resolves OperatorAuto for data of a shape. It is an error where the operator
// named cannot be used, and where the kernel cannot be computed between sparse rows.
func (m Exact) Choose(e stream.Engine, s model.Shape, k kernelgen.Kernel) (Operator, error) {
	m, err := m.settings()
	if err != nil {
		return 0, err
	}
	t, err := plannedEntries(k, s)
	if err != nil {
		return 0, err
	}
	return m.within(e, twoSided(s), t)
}

// within returns the operator of a fit: by tiles where only these fit in Memory.
func (m Exact) within(e stream.Engine, s model.Shape, t *entries) (Operator, error) {
	o, err := m.operator(s, t)
	if err != nil || m.Operator != OperatorAuto || m.Memory == 0 {
		return o, err
	}
	fits := func(o Operator) bool { return m.plan(e, s, t, o).Memory.Check(m.Memory) == nil }
	if !fits(o) && fits(OperatorTiles) {
		return OperatorTiles, nil
	}
	return o, nil
}

// operator returns the operator of a fit.
func (m Exact) operator(s model.Shape, t *entries) (Operator, error) {
	possible := s.Sparse != nil && t.pathTable(s) && (!t.normalised || t.pathSums(s))
	switch {
	case m.Operator > OperatorPaths:
		return 0, fmt.Errorf("there is no operator %v", m.Operator)
	case m.Operator == OperatorPaths && s.Sparse == nil:
		return 0, fmt.Errorf("operator paths is for graphs: use tiles")
	case m.Operator == OperatorPaths && !possible:
		return 0, fmt.Errorf("kernel %s of this graph does not go by paths, since weights are negative or norms too many: use operator tiles", t.kernel)
	case m.Operator != OperatorAuto:
		return m.Operator, nil
	}
	if possible && t.fewPairs(s) {
		return OperatorPaths, nil
	}
	return OperatorTiles, nil
}

// What a sparse entry weighs in a product, and one that every pass evaluates anew, beside an
// entry in memory.
const (
	sparseEntry    = 20
	evaluatedEntry = 5
)

// fewPairs reports whether products by paths visit fewer entries than those by tiles.
func (e *entries) fewPairs(s model.Shape) bool {
	groups := e.groups(s)
	byPaths := sparseEntry*float64(s.Sparse.Pairs+s.Rows+s.Cols) + float64(groups[0])*float64(groups[1])
	byTiles := float64(s.Rows) * float64(s.Cols)
	if !inMemory(s) {
		byTiles *= evaluatedEntry
	}
	return byPaths < byTiles
}

// pathTable reports whether G between rows with nothing in common fits a table.
func (e *entries) pathTable(s model.Shape) bool {
	groups := e.groups(s)
	return float64(groups[0])*float64(groups[1]) <= tableNumbers
}

// pathSums reports whether sums over all rows of the right side, and over those of the
// left, go over paths: see newPathSums.
func (e *entries) pathSums(s model.Shape) bool {
	if s.Sparse == nil || e.normalised && s.Sparse.Negative {
		return false
	}
	return e.base != kernelgen.SquaredDistance || e.exponent != 0 || max(s.Sparse.Norms[0], s.Sparse.Norms[1]) <= maxGroups
}

// inMemory reports whether G is held in memory.
func inMemory(s model.Shape) bool { return float64(s.Rows)*float64(s.Cols) <= HeldEntries }

// plannedEntries returns the entries of a kernel that need not be resolved, to plan with.
func plannedEntries(k kernelgen.Kernel, s model.Shape) (*entries, error) {
	words := !k.Resolved()
	if words {
		two := stream.NewMatrix(2, 2)
		two.Data[0], two.Data[3] = 1, 1
		resolved, err := k.Resolve(two)
		if err != nil {
			return nil, err
		}
		k = resolved
	}
	t, err := newEntries(k, s.Sparse != nil)
	if err == nil {
		t.words = words
	}
	return t, err
}
