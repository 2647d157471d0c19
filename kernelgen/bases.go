package kernelgen

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// baseSpec is an entry of the table of bases: the name of a base, the preparation of its rows, and its computation.
type baseSpec struct {
	text string // description
	name string // of the kernel that equals the base
	rows preparation
	sum  simd.Base // over the columns of prepared rows
	// finish turns the sums of a tile into the base; nil if they are the base.
	finish func(tile blas64.General)
	// self sets dst[i] to the base between row i and itself, with the same bits as in a tile.
	self       func(dst []float64, x blas64.General, w *Workspace)
	oneWay     bool // the base is not symmetric
	ofProducts bool // see [Base.OfProducts]
	// ofDifferences is set for functions of x − y.
	ofDifferences bool
	// check returns an error for a row on which the base is undefined, and domain describes valid rows; both are nil if
	// all rows are valid.
	check  func(x []float64) error
	domain string
}

// The table of bases. Another base needs only an entry, and the functions in it.
var bases = [numBases]baseSpec{
	InnerProduct: {
		text: "inner product", name: "linear", sum: simd.Product, self: selfProducts, ofProducts: true,
	},
	SquaredDistance: {
		text: "squared distance", name: "squared_distance", sum: simd.Square, self: selfDistances, ofProducts: true, ofDifferences: true,
	},
	L1Distance: {
		text: "L1 distance", name: "l1_distance", sum: simd.Absolute, self: selfDistances, ofDifferences: true,
	},
	CosineSimilarity: {
		text: "cosine similarity", name: "cosine", rows: rowsNormalised, sum: simd.Product, finish: finishCosines, self: selfCosines, ofProducts: true,
	},
	KLDivergence: {
		text: "Kullback–Leibler divergence", name: "kl_divergence", rows: rowsAsShares, sum: simd.Product, finish: finishDivergences, self: selfDivergences,
		oneWay: true, check: checkShares, domain: "rows of probabilities, which are not negative and have a positive sum",
	},
}

// preparation selects the transformation of rows before a base is summed over their columns.
type preparation int

const (
	rowsUnchanged  preparation = iota
	rowsNormalised             // divided by their norms
	rowsAsShares               // shares of the sum on the left, their logarithms on the right
	numPreparations
)

// left returns the prepared left rows, in the memory of the workspace.
func (p preparation) left(x blas64.General, w *Workspace) blas64.General {
	switch p {
	case rowsNormalised:
		return w.unitBlock(x)
	case rowsAsShares:
		return w.shareBlock(x)
	}
	return x
}

// pack returns the prepared right rows, packed.
func (p preparation) pack(x blas64.General) simd.Packed {
	switch p {
	case rowsNormalised:
		return simd.Pack(unitRows(x, nil))
	case rowsAsShares:
		return packLogs(x)
	}
	return simd.Pack(x)
}

// packAll returns the packed right rows for all bases of a set.
func packAll(x blas64.General, set baseSet) (all [numPreparations]simd.Packed) {
	var done [numPreparations]bool
	for b := range set.each {
		if p := b.spec().rows; !done[p] {
			all[p], done[p] = p.pack(x), true
		}
	}
	return all
}

// selfProducts computes squared norms.
func selfProducts(dst []float64, x blas64.General, _ *Workspace) { simd.SquaredNorms(dst, x) }

// selfDistances stores 0, or NaN for rows that are not finite, as in a tile.
func selfDistances(dst []float64, x blas64.General, _ *Workspace) {
	clear(dst)
	if _, _, found := simd.NotFinite(x); !found {
		return
	}
	for i := range dst {
		if simd.FirstNotFinite(matrix.Row(x, i)) >= 0 {
			dst[i] = math.NaN()
		}
	}
}

// selfCosines normalises rows a block at a time.
func selfCosines(dst []float64, x blas64.General, w *Workspace) {
	for i := 0; i < x.Rows; i += blockRows {
		to := min(i+blockRows, x.Rows)
		simd.SquaredNorms(dst[i:to], w.unitBlock(matrix.Rows(x, i, to-i)))
	}
	clampCosines(dst)
}

func finishCosines(tile blas64.General) { clampCosines(tile.Data[:tile.Rows*tile.Cols]) }

// clampCosines clamps rounding errors outside [−1, 1].
func clampCosines(v []float64) { simd.Clamp.Apply(v, v, -1, 1) }
