package parquet

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// vectors stores the next rows lists in the slots of the rows that begin at dst[0], dst[stride],
// dst[2*stride] and so on, or drops them if dst is nil. A null list becomes a row of NaN.
func (r *columnReader) vectors(dst []float64, stride, rows int) error {
	first := r.row
	filled := 0 // entries of the current row
	for done := 0; done < rows; {
		if err := r.fill(); err != nil {
			return err
		}
		if r.pos == r.n {
			return r.endOfLists(filled)
		}
		values, err := r.placeLists(dst, stride, rows, &done, &filled)
		if err != nil {
			return err
		}
		if dst == nil {
			if err := r.skipEntries(values); err != nil {
				return err
			}
			continue
		}
		r.Floats = column.Resized(r.Floats, values)
		v, err := r.put(r.Floats, 1, values)
		if err != nil {
			return err
		}
		if v >= 0 {
			return r.inexact(first+int64(r.destinations[v].row), v)
		}
		for v, at := range r.destinations[:values] {
			if at.slot >= 0 {
				dst[at.row*stride+at.slot] = r.Floats[v]
			}
		}
	}
	return nil
}

// placeLists consumes entries until rows lists are complete or the tile ends. It records the
// destinations of values in r.place, and stores the nulls.
func (r *columnReader) placeLists(dst []float64, stride, rows int, done, filled *int) (values int, err error) {
	for ; r.pos < r.n && *done < rows; r.pos++ {
		level := int(r.def[r.pos])
		starts := r.rep[r.pos] == 0
		if starts != (*filled == 0) {
			return 0, r.wrongLength(starts, *filled)
		}
		if level < r.listDef {
			if level == r.listDef-1 { // an empty list
				return 0, r.wrongLength(true, 0)
			}
			r.nullList(dst, stride, *done)
			r.row++
			*done++
			continue
		}
		at := destination{row: *done, slot: -1}
		if dst != nil {
			at.slot = r.slots[*filled]
		}
		if level == r.maxDef {
			r.destinations[values] = at
			values++
		} else if at.slot >= 0 {
			dst[at.row*stride+at.slot] = math.NaN()
		}
		if *filled++; *filled == r.Width {
			*filled = 0
			r.row++
			*done++
		}
	}
	return values, nil
}

// nullList stores NaN for a null list.
func (r *columnReader) nullList(dst []float64, stride, row int) {
	if dst == nil {
		return
	}
	column.PutNull(dst[row*stride:], r.slots)
}

// wrongLength reports a list with another length than the first one.
func (r *columnReader) wrongLength(starts bool, filled int) error {
	if !starts {
		first := r.table.groups[r.group].first
		if r.row == first {
			return r.fault(fmt.Errorf("it begins in the middle of a row"))
		}
		return fault.Cell(r.pages.path, r.row-1, r.Name, "the list is longer than the %d numbers of the first one", r.Width).
			WithRemedy("%s", column.LeaveOut(r.Name))
	}
	return column.ErrListLength(r.pages.path, r.row, r.Name, int64(filled), r.Width)
}

// endOfLists reports a chunk that ends before its rows do.
func (r *columnReader) endOfLists(filled int) error {
	if filled > 0 {
		return r.wrongLength(true, filled)
	}
	group := r.table.groups[r.group]
	return r.fault(fmt.Errorf("the column ends with %d of %d rows", r.row-group.first, group.rows))
}
