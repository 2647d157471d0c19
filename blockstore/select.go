package blockstore

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// component is one number or value of a row as selections name it: a column of
// width one, or a component of a vector column, called name.0, name.1, ...
type component struct {
	name   string
	column int // in the table
	part   int // of the vector
	kind   column.Kind
}

// selection is what is chosen of a table: indices into its components. Kept
// ones beyond these are folder keys.
type selection struct {
	numeric, kept []int
	leftOut       []LeftOutColumn // that the choice passes over unasked
}

// selector resolves what the user asked for against the columns of one table.
type selector struct {
	*column.TableInfo
	components []component
	keys       []string // further columns, which can only be kept
	index      map[string]int
	moments    []int // dates and timestamps
}

// newSelector prepares the choice of columns of t.
func newSelector(t *column.TableInfo) *selector {
	s := &selector{TableInfo: t}
	for i, c := range s.Columns {
		for part := range c.Width {
			if c.Meaning.Apart() {
				s.moments = append(s.moments, len(s.components))
			}
			s.components = append(s.components, component{c.ComponentName(part), i, part, c.Kind})
		}
	}
	return s
}

// resolve applies the rules documented at Options.
func (s *selector) resolve(columns []string, label string, keep []string) (sel selection, err error) {
	if label != "" {
		keep = append([]string{label}, keep...)
	}
	for _, name := range keep {
		i, err := s.keepOne(name)
		if err != nil {
			return sel, err
		}
		if !slices.Contains(sel.kept, i) {
			sel.kept = append(sel.kept, i)
		}
	}
	aside := slices.Concat(sel.kept, s.Aside, s.moments)
	n, err := s.numeric(columns, aside)
	sel.numeric = n.chosen
	switch {
	case err != nil:
	case n.positive:
		sel.leftOut = s.described(without(n.passed, slices.Concat(n.chosen, sel.kept, n.excluded)))
	default:
		sel.leftOut = s.described(without(upTo(0, len(s.components)), slices.Concat(n.chosen, sel.kept, n.excluded)))
	}
	return sel, err
}

// keepOne finds a column to carry along.
func (s *selector) keepOne(name string) (int, error) {
	if key := slices.Index(s.keys, name); key >= 0 && !s.hasColumn(name) {
		return len(s.components) + key, nil
	}
	found, err := s.namedOrNumbered(name)
	if err != nil {
		return 0, err
	}
	if len(found) != 1 || !s.components[found[0]].kind.Keepable() {
		return 0, fault.File(s.Path, "column %q cannot be kept: only numbers, integers and text can", name)
	}
	return found[0], nil
}

// namedOrNumbered finds the components of a name, or where no column has it the one of a
// number.
func (s *selector) namedOrNumbered(name string) ([]int, error) {
	number, err := strconv.Atoi(name)
	if err != nil || s.hasColumn(name) {
		return s.named(name)
	}
	if number < 0 || number >= len(s.components) {
		return nil, fault.File(s.Path, "there is no column %d: they are numbered from 0 to %d", number, len(s.components)-1)
	}
	return []int{number}, nil
}

// chosenNumbers are the components that make a row, with what items have said of others.
type chosenNumbers struct {
	chosen, excluded []int
	passed           []int // dates and timestamps that globs and ranges stand for and pass over
	positive         bool  // an item chooses some
}

// numeric chooses the components that make a row; aside are those that globs
// and ranges pass over.
func (s *selector) numeric(items []string, aside []int) (n chosenNumbers, err error) {
	for _, item := range items {
		bare, negated := strings.CutPrefix(item, "!")
		if negated && s.hasColumn(item) {
			bare, negated = item, false
		}
		found, err := s.item(bare, aside)
		if err != nil {
			return n, err
		}
		if negated {
			n.excluded = append(n.excluded, found...)
			continue
		}
		n.chosen, n.positive = append(n.chosen, found...), true
		if all, err := s.item(bare, nil); err == nil {
			n.passed = append(n.passed, without(s.moments, without(s.moments, all))...)
		}
	}
	if !n.positive {
		if err := s.checkSpoiled(without(upTo(0, len(s.components)), append(n.excluded, aside...))); err != nil {
			return n, err
		}
		n.chosen = s.standard(aside)
	}
	n.chosen, err = s.checked(without(n.chosen, n.excluded))
	return n, err
}

// checkSpoiled refuses to leave out in silence, as text, a column of numbers
// that a few bad cells spoil.
func (s *selector) checkSpoiled(list []int) error {
	for _, i := range list {
		c := s.components[i]
		if why, bad := s.Spoiled[c.column]; bad {
			return fault.File(s.Path, "column %q, %s; mend it, or leave the column out with `columns '!%s'`", c.name, why, c.name)
		}
	}
	return nil
}

// standard returns the choice when none is made: all numbers not set aside.
func (s *selector) standard(aside []int) []int {
	var list []int
	for i, c := range s.components {
		if c.kind.Computable() && !slices.Contains(aside, i) {
			list = append(list, i)
		}
	}
	return list
}

// described names components that are passed over, with the reasons.
func (s *selector) described(list []int) (out []LeftOutColumn) {
	for _, i := range list {
		out = append(out, LeftOutColumn{s.components[i].name, s.reason(i)})
	}
	return out
}

// LibsvmLabel is why the standard choice passes over the label of a libsvm file, which
// surprises nobody.
const LibsvmLabel = text.LibsvmLabel

// reason returns why the standard choice passes over a component.
func (s *selector) reason(i int) string {
	c := s.components[i]
	switch m := s.Columns[c.column].Meaning; {
	case slices.Contains(s.Aside, i):
		return s.AsideReason
	case m.Apart():
		return m.String()
	case c.kind == column.Text:
		return "text"
	}
	return "no numbers that can be read"
}

// without drops excluded and repeated components.
func without(chosen, excluded []int) []int {
	drop := make(map[int]bool)
	for _, i := range excluded {
		drop[i] = true
	}
	var list []int
	for _, i := range chosen {
		if !drop[i] {
			list = append(list, i)
			drop[i] = true
		}
	}
	return list
}

// checked refuses components that are no numbers, and no components at all.
func (s *selector) checked(chosen []int) ([]int, error) {
	for _, i := range chosen {
		if c := s.components[i]; !c.kind.Computable() {
			if why, bad := s.Spoiled[c.column]; bad {
				return nil, fault.File(s.Path, "column %q, %s; mend it", c.name, why)
			}
			return nil, fault.File(s.Path, "column %q holds no numbers; carry it along with `keep %s`, or choose among the numeric columns: %s",
				c.name, c.name, s.names(column.Kind.Computable))
		}
	}
	if len(chosen) == 0 {
		return nil, fault.File(s.Path, "no numeric column is chosen; the columns are: %s", s.names(nil))
	}
	return chosen, nil
}

// item finds the components of a name, a glob, an index or a range.
func (s *selector) item(item string, aside []int) ([]int, error) {
	if s.hasColumn(item) {
		return s.named(item)
	}
	if from, to, ok := parseRange(item, len(s.components)); ok {
		if from >= to || to > len(s.components) {
			return nil, fault.File(s.Path, "columns %s: there are %d columns, counted from 0", item, len(s.components))
		}
		list := upTo(from, to)
		if strings.Contains(item, ":") {
			list = without(list, aside)
		}
		return list, nil
	}
	if file.IsGlob(item) {
		found, err := s.matching(item)
		return without(found, aside), err
	}
	return s.named(item)
}

// upTo returns the numbers from..to-1.
func upTo(from, to int) []int {
	list := make([]int, to-from)
	for i := range list {
		list[i] = from + i
	}
	return list
}

// parseRange reads an index "3" or a half-open range "0:20", ":5", "7:".
func parseRange(item string, n int) (from, to int, ok bool) {
	a, b, isRange := strings.Cut(item, ":")
	from, err := strconv.Atoi(a)
	if isRange && a == "" {
		from, err = 0, nil
	}
	if err != nil || from < 0 {
		return 0, 0, false
	}
	if !isRange {
		return from, from + 1, true
	}
	if b == "" {
		return from, n, true
	}
	to, err = strconv.Atoi(b)
	return from, to, err == nil
}

// matching finds the components whose names, or whose vectors' names, match a glob.
func (s *selector) matching(glob string) ([]int, error) {
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fault.File(s.Path, "columns %q: not a valid glob", glob)
	}
	var found []int
	for i, c := range s.components {
		own, _ := path.Match(glob, c.name)
		vector, _ := path.Match(glob, s.Columns[c.column].Name)
		if own || vector {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, fault.File(s.Path, "no column matches %q; the columns are: %s", glob, s.names(nil))
	}
	return found, nil
}

// hasColumn reports whether a column or cell has exactly this name.
func (s *selector) hasColumn(name string) bool {
	return slices.ContainsFunc(s.components, func(c component) bool { return c.name == name || s.Columns[c.column].Name == name })
}

// named finds the cell, or all components of the vector column, of that name.
func (s *selector) named(name string) ([]int, error) {
	var found []int
	columns := 0
	for i, c := range s.components {
		if c.name == name || s.Columns[c.column].Name == name {
			if len(found) == 0 || s.components[found[len(found)-1]].column != c.column {
				columns++
			}
			found = append(found, i)
		}
	}
	switch columns {
	case 1:
		return found, nil
	case 0:
		return nil, s.unknown(name)
	}
	return nil, fault.File(s.Path, "%d columns are called %q; choose by number instead: %v (counted from 0)", columns, name, found)
}

// unknown returns the error that no column has this name, with what may have been meant.
func (s *selector) unknown(name string) error {
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	if near := fault.Nearest(name, names); near != "" {
		return fault.File(s.Path, "there is no column %q; did you mean %q? The columns are: %s", name, near, s.names(nil))
	}
	return fault.File(s.Path, "there is no column %q; the columns are: %s", name, s.names(nil))
}

// names returns a list of the columns of the kinds that ok admits, nil for all, cut short
// when there are many.
func (s *selector) names(ok func(column.Kind) bool) string {
	const most = 20
	var names []string
	for _, c := range s.Columns {
		if ok == nil || ok(c.Kind) {
			names = append(names, c.Name)
		}
	}
	switch more := len(names) - most; {
	case len(names) == 0:
		return "none"
	case more > 0:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
