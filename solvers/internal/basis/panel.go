// Package basis turns rows into features, for all families of solvers that work on landmarks:
//
//	z(x) = k(x, J)·Ĉ·Project − Offset
//
// with landmarks J, Ĉ the identity or a sparse-sign sketch, and a matrix Project that makes the columns nearly
// orthonormal.
//
//   - [Landmarks] chooses J: uniform, determinantal, or by randomly pivoted Cholesky.
//   - [Whiten] finds the inverse root of K(J, J) and drops dependent landmarks.
//   - [Leverage] finds rows that a uniform sample is likely to miss.
//   - [Moments] makes one pass that folds the columns [1 | z… | y]·√w of all rows into a state.
//
// Results have the same bits for any number of threads.
package basis

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Panel holds rows of a source in memory, packed for use as the columns of tiles.
type Panel struct {
	Rows   blas64.General
	Number []int64         // of the rows in the source, ascending
	Kept   []stream.Column // of the rows, if requested from [Gather]; not copied to derived panels
	Cols   *tiles.Rows     // the columns of tiles: the rows, in the folding order of the signs
	Order  []int64         // numbers in the order of selection by a rule; nil if uniform
}

// NewPanel returns a panel of rows with ascending numbers. With signs, the columns of tiles follow their folding order.
func NewPanel(rows blas64.General, number []int64, signs *sketch.SparseSign) *Panel {
	ordered := rows
	if signs != nil {
		ordered = dense.PickRows(rows, signs.FoldOrder())
	}
	return &Panel{Rows: rows, Number: number, Cols: &tiles.Rows{Dense: ordered}}
}

// Count returns the number of rows.
func (p *Panel) Count() int { return p.Rows.Rows }

// Pick returns the rows with the given indices, in ascending order.
func (p *Panel) Pick(indices []int) *Panel {
	indices = slices.Compact(slices.Sorted(slices.Values(indices)))
	numbers := make([]int64, len(indices))
	for i, k := range indices {
		numbers[i] = p.Number[k]
	}
	return NewPanel(dense.PickRows(p.Rows, indices), numbers, nil)
}

// Leading returns the indices of the first count landmarks in the order of selection, ascending. Uniform landmarks have
// no such order, so a random one is drawn.
func (p *Panel) Leading(count int, seed uint64) []int {
	order := p.Order
	if order == nil {
		order = slices.Clone(p.Number)
		random := sketch.NewRandom(seed, "order of landmarks")
		hash := func(number int64) uint64 {
			draws := random.At(uint64(number))
			return draws.Uint64()
		}
		slices.SortFunc(order, func(a, b int64) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) })
	}
	var places []int
	for _, number := range order {
		if place, found := slices.BinarySearch(p.Number, number); found && len(places) < count {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places
}

// Keep is Pick for ascending indices. It reuses the memory of p, which becomes invalid.
func (p *Panel) Keep(indices []int) *Panel {
	numbers := make([]int64, len(indices))
	for i, k := range indices {
		numbers[i] = p.Number[k]
	}
	return NewPanel(splitRows(p.Rows, p.Number, [][]int64{numbers})[0], numbers, nil)
}

// Select returns the rows with the given ascending numbers, which must all be in the panel.
func (p *Panel) Select(numbers []int64) *Panel {
	indices := make([]int, len(numbers))
	for i, r := range numbers {
		indices[i], _ = slices.BinarySearch(p.Number, r)
	}
	return NewPanel(dense.PickRows(p.Rows, indices), numbers, nil)
}

// Without returns the rows of p that are not in taken.
func (p *Panel) Without(taken *Panel) *Panel { return p.Select(Without(p.Number, taken.Number)) }

// Join returns the union of the rows of two panels of one source.
func (p *Panel) Join(q *Panel) *Panel {
	number := Union(p.Number, q.Number)
	rows := matrix.New(len(number), p.Rows.Cols)
	for _, from := range []*Panel{p, q} {
		for i, r := range from.Number {
			k, _ := slices.BinarySearch(number, r)
			copy(matrix.Row(rows, k), matrix.Row(from.Rows, i))
		}
	}
	return NewPanel(rows, number, nil)
}

// Union returns the numbers of all sets, ascending.
func Union(sets ...[]int64) []int64 {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Without returns the numbers of set that are not in taken. Both are ascending.
func Without(set, taken []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(set), func(r int64) bool {
		_, found := slices.BinarySearch(taken, r)
		return found
	})
}

// Set selects rows to gather, by ascending numbers. Signs are those of the sketch that uses them, or nil, and Kept
// requests their kept columns.
type Set struct {
	Numbers []int64
	Signs   *sketch.SparseSign
	Kept    bool
}

// Gather fetches several sets of rows of a source at once. It fails with a [stream.DataError] if a value is not finite,
// which sources of other programs may contain.
func Gather(ctx context.Context, src stream.Source, sets ...Set) ([]*Panel, error) {
	var numbers [][]int64
	info, kept := src.Info(), false
	for _, set := range sets {
		numbers, kept = append(numbers, set.Numbers), kept || set.Kept
	}
	all := Union(numbers...)
	batch := &stream.Batch{X: matrix.New(len(all), len(info.Columns))}
	if kept {
		batch.Kept = info.NewKept()
	}
	if err := stream.Gather(ctx, src, all, batch); err != nil {
		return nil, err
	}
	if i, j, bad := dense.NotFinite(batch.X); bad {
		return nil, stream.NewValueError(info.Name, all[i], info.Columns[j], "%v", matrix.Row(batch.X, i)[j])
	}
	panels := make([]*Panel, len(sets))
	for i, rows := range splitRows(batch.X, all, numbers) {
		set := sets[i]
		panels[i] = NewPanel(rows, set.Numbers, set.Signs)
		if !set.Kept {
			continue
		}
		panels[i].Kept = info.NewKept()
		for k := range panels[i].Kept {
			for _, r := range set.Numbers {
				at, _ := slices.BinarySearch(all, r)
				panels[i].Kept[k].Append(&batch.Kept[k], at, at+1)
			}
		}
	}
	return panels, nil
}

// splitRows returns the rows of m with each list of numbers. all are the numbers of the rows of m. The longest list
// reuses the memory of m, which becomes invalid.
func splitRows(m blas64.General, all []int64, numbers [][]int64) []blas64.General {
	longest := 0
	for i, list := range numbers {
		if len(list) > len(numbers[longest]) {
			longest = i
		}
	}
	gathered, rows := &Panel{Rows: m, Number: all}, make([]blas64.General, len(numbers))
	for i, list := range numbers {
		if i != longest {
			rows[i] = gathered.Select(list).Rows
		}
	}
	if len(rows) > 0 {
		for to, r := range numbers[longest] {
			from, _ := slices.BinarySearch(all, r)
			copy(matrix.Row(m, to), matrix.Row(m, from)) // moves rows up in place
		}
		rows[longest] = matrix.Rows(m, 0, len(numbers[longest]))
	}
	return rows
}
