package blockstore

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Carry selects the columns that are carried along in addition to those of Keep.
type Carry uint8

const (
	// CarryNamed carries none.
	CarryNamed Carry = iota
	// CarryRest carries the columns that are not features by default: text, dates, times, bytes,
	// keys of k=v folders. Items of Columns that begin with ! exclude these as well. It carries
	// nothing if an item selects columns.
	CarryRest
	// CarryAll carries all columns, in the order of the file, and uses none as a feature. Items of
	// Columns select among columns of any type. Columns of Keep come last.
	CarryAll
)

// carryAll implements resolve for CarryAll. A nested value whose parts are all selected is carried
// as a whole. A column that cannot be carried unchanged, such as a part of a vector, is read as a
// number if it is one, else dropped.
func (s *selector) carryAll(items []string, keep []string) (sel selection, err error) {
	var wrong complaints
	n := s.pick(items, nil, unionOf(s.missingElsewhere()), &wrong)
	sel.all = !n.positive
	var last []int
	for _, name := range keep {
		if i, ok := s.keepOne(name, true, &wrong); ok && !slices.Contains(last, i) {
			last = append(last, i)
		}
	}
	before := s.componentsOfKept(last)
	list := difference(n.chosen, unionOf(before))
	if !n.positive {
		list = difference(interval(0, s.ownComponents), unionOf(n.excluded, before, s.missingElsewhere()))
		s.checkNearlyNumeric(difference(list, unionOf(s.NotByDefault)), &wrong)
		n.skipped = difference(s.missingElsewhere(), unionOf(n.excluded, before))
	}
	sel.leftOut = s.withReasons(difference(n.skipped, unionOf(n.chosen, before)))
	for len(list) > 0 {
		if k, components := s.nestedFirst(list); components > 0 {
			sel.arranged = append(sel.arranged, len(sel.kept))
			sel.kept, list = append(sel.kept, k), list[components:]
			continue
		}
		i := list[0]
		list = list[1:]
		switch c := s.Columns[s.components[i].column]; {
		case c.Keepable() && !s.allPlain:
			sel.arranged = append(sel.arranged, len(sel.kept))
			sel.kept = append(sel.kept, i)
		case c.Kind.Computable():
			sel.arranged = append(sel.arranged, -1-len(sel.numeric))
			sel.numeric = append(sel.numeric, i)
		default:
			sel.leftOut = append(sel.leftOut, s.withReasons([]int{i})...)
		}
	}
	sel.kept = append(sel.kept, last...)
	for k := len(sel.arranged) - len(sel.numeric); k < len(sel.kept); k++ {
		sel.arranged = append(sel.arranged, k)
	}
	if len(sel.numeric) == 0 || s.allPlain {
		sel.arranged = nil
	}
	if err := wrong.err(s); err != nil {
		return sel, err
	}
	if len(sel.kept)+len(sel.numeric) == 0 {
		return sel, fault.File(s.Path, "no column is chosen that can be read").
			WithRemedy("the columns are: %s", s.names(nil))
	}
	return sel, nil
}

// isPlain reports whether a table has only float64 columns without nulls. Rows of numbers represent
// these exactly, and are faster than kept columns.
func isPlain(t *column.TableInfo) bool {
	return !slices.ContainsFunc(t.Columns, func(c column.Info) bool {
		f := c.Field()
		return c.Kind != column.Number || f.Kind != stream.Float64 || f.Type.Class != logical.None || !f.NoNulls
	})
}

// carriedRest returns the components that CarryRest carries in addition to the selected and kept ones.
func (s *selector) carriedRest(n chosenNumbers, kept []int) (list []int) {
	if n.positive {
		return nil
	}
	left := difference(interval(0, s.ownComponents), unionOf(n.chosen, n.excluded, s.componentsOfKept(kept),
		s.absentOnes()))
	for len(left) > 0 {
		i, components := s.nestedFirst(left)
		if components == 0 {
			i, components = left[0], 1
		}
		if s.keptInfo(i).Keepable() {
			list = append(list, i)
		}
		left = left[components:]
	}
	return list
}
