// Package basis turns rows into features, for all families of solvers that work on landmarks:
//
//	z(x) = k(x, J)·Ĉ·Project − Offset
//
// with landmarks J, the identity or a sparse-sign sketch Ĉ, and a matrix that makes the columns
// orthonormal, or nearly so.
//
//   - [Landmarks] chooses J: uniform, determinantal, or by randomly pivoted Cholesky.
//   - [Whiten] finds the inverse root of K(J, J); dependent landmarks leave.
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

// Panel are rows of a source in memory, and the columns of tiles.
type Panel struct {
	Rows   blas64.General
	Number []int64         // of the rows in the source, ascending
	Kept   []stream.Column // of the rows, if [Gather] was asked for them; not of panels made of this one
	Cols   *tiles.Rows     // the columns of tiles: the rows, in the order in which signs fold them
	Order  []int64         // numbers in the order in which a rule chose landmarks; nil if uniform
}

// NewPanel returns a panel of rows with ascending numbers. With signs the columns of tiles are in
// the order in which the signs fold them.
func NewPanel(rows blas64.General, number []int64, signs *sketch.SparseSign) *Panel {
	ordered := rows
	if signs != nil {
		ordered = dense.PickRows(rows, signs.Folded())
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

// Leading returns the places of the landmarks that were drawn first, ascending. Uniform landmarks have no order of
// their own: a random one is drawn.
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

// Keep is Pick of ascending indices in the memory of p, which is lost.
func (p *Panel) Keep(indices []int) *Panel {
	numbers := make([]int64, len(indices))
	for i, k := range indices {
		numbers[i] = p.Number[k]
	}
	return NewPanel(apart(p.Rows, p.Number, [][]int64{numbers})[0], numbers, nil)
}

// Of returns the rows with the given ascending numbers, all of which the panel has.
func (p *Panel) Of(numbers []int64) *Panel {
	indices := make([]int, len(numbers))
	for i, r := range numbers {
		indices[i], _ = slices.BinarySearch(p.Number, r)
	}
	return NewPanel(dense.PickRows(p.Rows, indices), numbers, nil)
}

// Without returns the rows whose numbers another panel has not.
func (p *Panel) Without(taken *Panel) *Panel { return p.Of(Without(p.Number, taken.Number)) }

// Join returns the rows of either panel, both of one source.
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

// Without returns the numbers of set that are not in taken; both ascend.
func Without(set, taken []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(set), func(r int64) bool {
		_, found := slices.BinarySearch(taken, r)
		return found
	})
}

// Set names rows to gather, in ascending order, the sketch that touches them, if there is one, and whether
// their kept columns are wanted.
type Set struct {
	Numbers []int64
	Signs   *sketch.SparseSign
	Kept    bool
}

// Gather fetches several sets of rows from a source at once. It fails with a
// [stream.DataError] if a value is not finite: programs hand in sources that nobody cleaned.
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
	for i, rows := range apart(batch.X, all, numbers) {
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

// apart returns the rows of m with each list of numbers, where all are the numbers of its rows. The longest list
// takes the memory of m, which is lost.
func apart(m blas64.General, all []int64, numbers [][]int64) []blas64.General {
	longest := 0
	for i, list := range numbers {
		if len(list) > len(numbers[longest]) {
			longest = i
		}
	}
	gathered, rows := &Panel{Rows: m, Number: all}, make([]blas64.General, len(numbers))
	for i, list := range numbers {
		if i != longest {
			rows[i] = gathered.Of(list).Rows
		}
	}
	if len(rows) > 0 {
		for to, r := range numbers[longest] {
			from, _ := slices.BinarySearch(all, r)
			copy(matrix.Row(m, to), matrix.Row(m, from)) // rows move up
		}
		rows[longest] = matrix.Rows(m, 0, len(numbers[longest]))
	}
	return rows
}
