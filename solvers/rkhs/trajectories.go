package rkhs

import (
	"fmt"
	"slices"
	"sort"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// Lagged returns pairs of rows i and i+lag of one source, a time series of equal steps. lengths are the numbers of rows
// of consecutive trajectories in the source, and no pair crosses from one to the next; without lengths there is a
// single trajectory. A trajectory of n rows has n−lag pairs, none if it is not longer than the lag.
func Lagged(src stream.Source, lag int64, lengths ...int64) (*Data, error) {
	n, err := input.KnownRows(src)
	if err != nil {
		return nil, err
	}
	if len(lengths) == 0 {
		lengths = []int64{n}
	}
	d := &Data{x: src, y: src, lag: lag}
	first := int64(0)
	for _, length := range lengths {
		if length > lag && lag >= 1 {
			d.runs = append(d.runs, run{pair: d.n, row: first})
			d.n += length - lag
		}
		first += max(0, length)
	}
	if first != n || slices.Min(lengths) < 0 {
		return nil, fmt.Errorf("%s has %d rows, and the lengths of its trajectories are %d in sum", src.Info().Name, n, first)
	}
	if d.n == 0 {
		longest := slices.Max(lengths)
		of := fmt.Sprintf("%s has %d rows", src.Info().Name, n)
		if len(lengths) > 1 {
			of = fmt.Sprintf("the longest trajectory of %s has %d rows", src.Info().Name, longest)
		}
		return nil, fmt.Errorf("%s: a `Lagged.lag` must be from 1 to %d, and is %d", of, longest-1, lag)
	}
	return d, nil
}

// run is the start of a trajectory: the numbers of its first pair and its first row.
type run struct{ pair, row int64 }

// runOf returns the index of the run of a pair.
func (d *Data) runOf(pair int64) int {
	return sort.Search(len(d.runs), func(i int) bool { return d.runs[i].pair > pair }) - 1
}

// row returns the row number of one side of a pair.
func (d *Data) row(s PairSide, pair int64) int64 {
	if d.lag == 0 {
		return pair
	}
	r := d.runs[d.runOf(pair)]
	row := r.row + pair - r.pair
	if s == SideY {
		row += d.lag
	}
	return row
}

// runEnd returns the number of the pair after the last one of a run.
func (d *Data) runEnd(i int) int64 {
	if i+1 < len(d.runs) {
		return d.runs[i+1].pair
	}
	return d.n
}
