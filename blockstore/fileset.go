package blockstore

import (
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// fileSet holds the files of one source. Columns are selected in the first file and matched in the
// others.
type fileSet struct {
	members []*member
	base    text.IndexBase // of the libsvm files
}

// newFileSet returns the files, ready for the selection of columns. The indices of libsvm files
// start at base.
func newFileSet(paths []string, tables []column.Table, base text.IndexBase) (*fileSet, error) {
	base, err := text.AgreeOnLibsvm(tables, base)
	if err != nil {
		return nil, err
	}
	text.AgreeOnText(tables)
	s := &fileSet{base: base}
	for i, t := range tables {
		switch about := t.About(); about.Format {
		case formats.Parquet, formats.Arrow, formats.ArrowStream: // an encoding applies only to text
			for j := range about.Columns {
				about.Columns[j].Name = strings.ToValidUTF8(about.Columns[j].Name, "\uFFFD")
			}
			for j := range about.Nested {
				about.Nested[j].Name = strings.ToValidUTF8(about.Nested[j].Name, "\uFFFD")
			}
		}
		s.members = append(s.members, &member{newSelector(t.About()), t, folderKeys(paths[i])})
	}
	addKeys(s.members)
	s.setMoments()
	s.members[0].absent, s.members[0].laterColumns = findAbsent(s.members), findLater(s.members)
	return s, nil
}

// choose returns a source of the columns that o selects.
func (s *fileSet) choose(o Options) (*Source, error) {
	if err := s.setTypes(o); err != nil {
		return nil, err
	}
	s.setMoments() // types may be given
	for _, m := range s.members {
		m.setDates(o.Dates)
		m.table.About().Exact = o.AllColumns
	}
	first := s.members[0]
	first.noNumbers = o.NoNumbers && (o.Label != "" || len(o.Keep)+len(o.Words) > 0 || o.Carry != CarryNamed)
	first.carry = o.Carry
	first.allPlain = !slices.ContainsFunc(s.members, func(m *member) bool { return !isPlain(m.TableInfo) })
	first.categories = o.Categories
	if o.Carry == CarryAll {
		first.findWhole(s.members[1:])
	}
	chosen, err := first.resolve(o.Columns, o.Label, o.Keep, o.Words)
	if err != nil {
		return nil, err
	}
	first.table.About().Whole = o.AllColumns && chosen.all
	found := make([]selection, len(s.members))
	for i, m := range s.members {
		if found[i], err = m.find(first, chosen); err != nil {
			return nil, err
		}
	}
	chosen.leftOut = append(chosen.leftOut, first.unselectedLater(o.Columns)...)
	info, err := s.info(chosen, found)
	if err != nil {
		return nil, err
	}
	parts := make([]stream.Gatherer, len(s.members))
	tables := make([]*column.TableInfo, len(s.members))
	for i, m := range s.members {
		tables[i] = m.table.About()
		if parts[i], err = m.source(found[i], info, o.Inexact); err != nil {
			return nil, err
		}
		if chosen.arranged != nil {
			parts[i] = arrange(parts[i], chosen.arranged)
		}
	}
	if chosen.arranged != nil {
		info = parts[0].Info()
		info.Rows, info.PassesToOpen = 0, 0 // join adds them up
	}
	for k := range info.Kept {
		info.Kept[k].Carried = true // requested columns
	}
	for _, w := range chosen.words {
		info.Kept[w.place].Category, info.Kept[w.place].Carried = true, w.carried
	}
	return join(parts, tables, info, chosen, first), nil
}

// info describes the source. The first file names the chosen columns.
func (s *fileSet) info(chosen selection, found []selection) (info stream.Info, err error) {
	first := s.members[0]
	info.Nameless = len(chosen.numeric) > 0
	info.Columns = slices.Grow(info.Columns, len(chosen.numeric))
	for _, i := range chosen.numeric {
		c := first.components[i]
		info.Columns = append(info.Columns, c.name)
		info.Nameless = info.Nameless && first.Columns[c.column].Nameless
	}
	info.Kept = slices.Grow(info.Kept, len(chosen.kept))
	for k := range chosen.kept {
		field, err := s.keptField(found, k)
		if err != nil {
			return info, err
		}
		info.Kept = append(info.Kept, field)
	}
	return info, nil
}

// find maps a selection in the first file to m: by name, or by position between files of one format
// if one of them has no names.
func (m *member) find(first *member, chosen selection) (found selection, err error) {
	if m == first {
		return chosen, nil
	}
	locate := locator(m.byName)
	switch unnamed := m.unnamed(); {
	case unnamed != first.unnamed() && !m.likeFormat(first):
	case unnamed != first.unnamed():
		if m.firstKey != first.firstKey {
			return found, fault.File(m.Path, "it has %d columns, %s has %d, and one of them gives them no names to find them by", m.firstKey, first.Path, first.firstKey).
				WithRemedy("write names into both, or as many columns")
		}
		locate = func(i int, _ string, _ *complaints) (int, bool) { return i, true }
	case unnamed && m.nameless() != first.nameless():
		return found, fault.File(m.Path, "it has %d columns, %s has %d", m.nameless(), first.Path, first.nameless()).WithRemedy("write as many into both")
	}
	locate = m.partsByColumn(first, m.keysByName(first, locate))
	var wrong complaints
	for _, i := range chosen.numeric {
		j, ok := locate(i, first.components[i].name, &wrong)
		if ok && m.NearlyNumeric[m.components[j].column] != nil {
			m.checkNearlyNumeric([]int{j}, &wrong)
		} else if ok && !m.components[j].kind.Computable() {
			name := m.components[j].name
			wrong.add(columnError(name, "it holds no numbers here but %s, unlike in %s", m.reason(j), first.Path).
				WithRemedy("mend the file, or leave the column out with `Options.Columns '!%s'`", quote.Bare(name)))
		} else if ok {
			m.checkMoments(first, i, j, &wrong)
		}
		found.numeric = append(found.numeric, j)
	}
	m.findKept(first, chosen.kept, locate, &found, &wrong)
	return found, wrong.err(m.selector)
}

// findKept implements find for kept columns.
func (m *member) findKept(first *member, kept []int, locate locator, found *selection, wrong *complaints) {
	for _, i := range kept {
		if c := first.keptInfo(i); c.Type.IsNested() {
			if j, ok := m.nestedCarrier(c.Name); ok {
				found.kept = append(found.kept, j)
			} else {
				wrong.unknown = append(wrong.unknown, c.Name)
			}
			continue
		}
		j, ok := locate(i, first.components[i].name, wrong)
		if ok && m.NearlyNumeric[m.components[j].column] != nil && first.components[i].kind.Computable() {
			m.checkNearlyNumeric([]int{j}, wrong)
		} else if ok && !m.Columns[m.components[j].column].Keepable() {
			wrong.add(columnError(m.components[j].name, "it holds %s here and cannot be kept, unlike in %s", m.reason(j), first.Path).WithRemedy("do not keep it"))
		}
		found.kept = append(found.kept, j)
	}
}

// locator finds a component in another file, by its index or its name in the first.
type locator func(i int, name string, wrong *complaints) (int, bool)

// keysByName extends locate by the folder keys of first, which have names in files of any format.
func (m *member) keysByName(first *member, locate locator) locator {
	return func(i int, name string, wrong *complaints) (int, bool) {
		switch {
		case !first.isKey(i):
			return locate(i, name, wrong)
		case !m.hasColumn(name):
			wrong.add(fault.New("no folder on its way is called %s=..., unlike for the first file", quote.Bare(name)).WithRemedy("put it into one, or do not choose the column"))
			return 0, false
		}
		return m.byName(i, name, wrong)
	}
}

// partsByColumn extends locate by the parts of dates in files whose columns are found by position.
func (m *member) partsByColumn(first *member, locate locator) locator {
	return func(i int, name string, wrong *complaints) (int, bool) {
		if !first.isDatePart(i) || !m.unnamed() {
			return locate(i, name, wrong)
		}
		j, ok := locate(first.columnComponent(i), first.components[first.columnComponent(i)].name, wrong)
		if !ok {
			return 0, false
		}
		if at := m.moments[m.components[j].column].first; at > 0 {
			return at + int(first.components[i].as-calendar[0]), true
		}
		return j, true // checkMoments reports it
	}
}

// checkMoments adds a complaint unless component j of m and component i of the first file are both
// dates or times, or neither is. A column without any value matches anything.
func (m *member) checkMoments(first *member, i, j int, wrong *complaints) {
	here, isHere := m.momentType(j)
	there, isThere := first.momentType(i)
	name := m.components[j].name
	switch {
	case isHere && isThere && here.IsClock() == there.IsClock(), !isHere && !isThere:
	case m.moments[m.components[j].column].empty || first.moments[first.components[i].column].empty:
	case isHere && isThere:
		wrong.add(columnError(name, "it holds %ss here and %ss in %s", here.Class, there.Class, first.Path).WithRemedy("convert one of them"))
	case isHere:
		wrong.add(columnError(name, "it holds %ss here and numbers in %s", here.Class, first.Path).
			WithRemedy("convert one of them"))
	default:
		wrong.add(columnError(name, "it holds no dates or times here, unlike in %s", first.Path).WithRemedy("mend the file, or leave the column out with `Options.Columns '!%s'`", quote.Bare(name)))
	}
}

// byName finds the component of the given name.
func (m *member) byName(_ int, name string, wrong *complaints) (int, bool) {
	if m.index == nil {
		m.index = make(map[string]int)
		for i, c := range m.components {
			if _, twice := m.index[c.name]; twice {
				m.index[c.name] = -1
			} else {
				m.index[c.name] = i
			}
		}
	}
	i, ok := m.index[name]
	if dot := strings.LastIndexByte(name, '.'); !ok && dot >= 0 { // lists may have varying lengths in this file
		if whole, found := m.index[name[:dot]]; found && whole >= 0 && m.components[whole].kind == column.Other {
			return whole, true
		}
	}
	switch {
	case !ok:
		wrong.unknown = append(wrong.unknown, name)
	case i < 0:
		wrong.add(fault.New("several columns are called %s, and columns are found by their names in all files but the first", quote.Name(name)).
			WithRemedy("rename them, or leave them out with `Options.Columns '!%s'`", quote.Bare(name)))
	default:
		return i, true
	}
	return 0, false
}

// likeFormat reports whether both files have the same format. CSV counts as one format, whether or
// not compressed.
func (s *selector) likeFormat(other *member) bool {
	format := func(t *column.TableInfo) string {
		if len(t.NotByDefault) == 0 && strings.HasPrefix(t.Format, "text") {
			return formats.CSV
		}
		return t.Format
	}
	return format(s.TableInfo) == format(other.TableInfo)
}

// keptField returns the field for kept column k that can hold its values in every file: integers in
// one file and floats in another become floats.
func (s *fileSet) keptField(found []selection, k int) (field stream.Field, err error) {
	for f, m := range s.members {
		c := m.keptInfo(found[f].kept[k])
		if !c.Keepable() {
			return field, fault.Cell(m.Path, -1, c.Name, "it holds %s here and cannot be kept, unlike in %s", c.Reason(), s.members[0].Path).WithRemedy("do not keep it")
		}
		other := c.Field()
		if f == 0 {
			field = other
			continue
		}
		var ok bool
		if field, ok = commonField(field, other); !ok {
			return field, fault.Cell(m.Path, -1, field.Name, "the column holds %s here and %s in %s", holds(other), holds(field), s.members[0].Path).
				WithRemedy("convert one of them")
		}
	}
	return field, nil
}

// commonField returns the field that can hold values of both: integers of several widths become int64,
// other numbers float64, words text. Dates, times and bytes combine only with their own type.
func commonField(a, b stream.Field) (stream.Field, bool) {
	t, u := a.Logical(), b.Logical()
	whole := func(t logical.Type) bool {
		return t.Class == logical.Bool || t.Class == logical.Int || t.Class == logical.Uint
	}
	words := func(t logical.Type) bool { return t.IsText() || t.Class == logical.Unmarked }
	var all logical.Type
	switch {
	case t.Equal(u):
		a.NoNulls = a.NoNulls && b.NoNulls
		return a, true
	case whole(t) && whole(u):
		all = logical.Int64
	case t.IsNumber() && u.IsNumber():
		all = logical.Float64
	case words(t) && words(u):
		all = logical.String
	case anyLength(t).Equal(anyLength(u)):
		all = anyLength(t)
	default:
		return a, false
	}
	f := stream.FieldOf(a.Name, all)
	f.Nameless, f.NoNulls = a.Nameless, a.NoNulls && b.NoNulls
	return f, true
}

// holds describes the type of a column.
func holds(f stream.Field) string {
	if t := f.Logical(); f.Type.Class != logical.None && !t.IsNumber() {
		return t.String()
	}
	if f.Kind == stream.String {
		return "text"
	}
	return "numbers"
}
