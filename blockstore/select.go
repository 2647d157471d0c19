package blockstore

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/internal/quote"
)

// resolve selects columns by the rules documented at Options.
func (s *selector) resolve(columns []string, label string, keep, words []string) (sel selection, err error) {
	labels := 0
	if label != "" {
		keep, labels = append([]string{label}, keep...), 1
	}
	s.indexNames(len(keep) + len(words) + len(columns))
	if s.carry == CarryAll {
		return s.carryAll(columns, keep)
	}
	var wrong complaints
	for k, name := range keep {
		if i, ok := s.keepOne(name, k >= labels, &wrong); ok {
			sel.keep(i)
		}
	}
	kept := s.componentsOfKept(sel.kept)
	notByDefault := unionOf(kept, s.NotByDefault, s.onlyByName)
	orAbsent := unionOf(kept, s.NotByDefault, s.onlyByName, s.absentOnes())
	var named []int // categories
	for _, name := range words {
		if i, ok := s.keepOne(name, false, &wrong); ok {
			named = append(named, i)
		}
	}
	n, err := s.numeric(columns, notByDefault, orAbsent, &wrong)
	sel.all = !n.positive
	wholes := s.columnComponents(n.chosen)
	for _, i := range n.chosen {
		if s.isText(i) {
			named = append(named, i)
		} else {
			sel.numeric = append(sel.numeric, i)
		}
	}
	if s.carry == CarryRest {
		for _, i := range s.carriedRest(n, sel.kept) {
			sel.keep(i)
		}
	}
	kept = s.componentsOfKept(sel.kept)
	switch {
	case err != nil:
	case n.positive:
		sel.leftOut = s.withReasons(difference(n.skipped, unionOf(wholes, kept, n.excluded)))
	default:
		sel.leftOut = s.withReasons(difference(interval(0, s.ownComponents), unionOf(wholes, kept, n.excluded)))
	}
	for _, i := range named {
		sel.addWord(i)
	}
	return sel, err
}

// isText reports whether component i holds text.
func (s *selector) isText(i int) bool { return s.components[i].kind == column.Text }

// keepOne returns a column to keep, also a nested one if nested is true.
func (s *selector) keepOne(name string, nested bool, wrong *complaints) (int, bool) {
	if i, ok := s.nestedNamed(name); ok && nested {
		return i, true
	}
	found, ok := s.namedOrNumbered(name, wrong)
	if !ok {
		return 0, false
	}
	if c := s.keptInfo(found[0]); len(found) != 1 || !c.Keepable() || c.Type.IsNested() && !nested {
		wrong.add(columnError(name, "it cannot be kept, for it holds %s: that is not read", s.reason(found[0])).WithRemedy("leave it out"))
		return 0, false
	}
	return found[0], true
}

// namedOrNumbered returns the components of a column name or, if no column has it, of a column
// number.
func (s *selector) namedOrNumbered(name string, wrong *complaints) ([]int, bool) {
	number, err := strconv.Atoi(name)
	if err != nil || s.hasColumn(name) {
		return s.componentsNamed(name, wrong)
	}
	if number < 0 || number >= s.ownComponents {
		wrong.add(fault.New("there is no column %d: they are numbered from 0 to %d", number, s.ownComponents-1))
		return nil, false
	}
	return []int{number}, true
}

// chosenNumbers holds the features, and what items say about other components.
type chosenNumbers struct {
	chosen, excluded []int
	skipped          []int // skipped by globs and ranges: dates, folder keys, and components that other files lack
	positive         bool  // an item selects components
}

// pick returns the components of items. Globs and ranges skip notByDefault; those without an end
// also skip orAbsent, the components that other files lack.
func (s *selector) pick(items []string, notByDefault, orAbsent componentSet, wrong *complaints) (n chosenNumbers) {
	for _, item := range items {
		bare, negated := strings.CutPrefix(item, "!")
		if negated && s.hasColumn(item) {
			bare, negated = item, false
		}
		if negated && !file.IsGlob(bare) && !s.hasColumn(bare) && s.isLater(bare) {
			continue
		}
		passedOver := notByDefault
		if s.isOpen(bare) && !negated {
			passedOver = orAbsent
		}
		found, ok := s.item(bare, passedOver, wrong)
		switch {
		case !ok && negated:
			wrong.unknownExcluded = append(wrong.unknownExcluded, bare)
		case !ok:
			n.positive = true
		case negated:
			n.excluded = append(n.excluded, found...)
		default:
			n.chosen, n.positive = append(n.chosen, found...), true
			n.skipped = append(n.skipped, s.skippedBy(bare)...)
		}
	}
	n.chosen = difference(n.chosen, unionOf(n.excluded))
	return n
}

// numeric selects the features. Its arguments are those of pick.
func (s *selector) numeric(items []string, notByDefault, orAbsent componentSet, wrong *complaints) (n chosenNumbers, err error) {
	n = s.pick(items, notByDefault, orAbsent, wrong)
	if n.positive {
		s.checkNumbers(n.chosen, wrong)
	} else {
		excluded := unionOf(n.excluded)
		if len(s.NearlyNumeric) > 0 {
			s.checkNearlyNumeric(difference(difference(interval(0, s.ownComponents), excluded), orAbsent), wrong)
		}
		n.chosen = s.defaultNumbers(orAbsent, excluded)
	}
	n.chosen = s.expandDates(n.chosen, unionOf(n.excluded), wrong)
	if err := wrong.err(s); err != nil {
		return n, err
	}
	if len(n.chosen) > 0 || s.noNumbers {
		return n, nil
	}
	return n, fault.File(s.Path, "no numeric column is chosen").
		WithRemedy("%sthe columns are: %s", s.byNameHint(), s.names(nil))
}

// absentOnes returns the components that other files lack, in order.
func (s *selector) absentOnes() []int { return slices.Sorted(maps.Keys(s.absent)) }

// skippedBy returns the components that an item matches but skips.
func (s *selector) skippedBy(item string) []int {
	over := unionOf(s.onlyByName)
	if s.isOpen(item) {
		over = unionOf(s.onlyByName, s.absentOnes())
	}
	if len(over) == 0 {
		return nil
	}
	all, _ := s.item(item, nil, &complaints{})
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return !over.has(i) })
}

// byNameHint explains how to select numeric columns that are selected only by name, if there are any.
func (s *selector) byNameHint() string {
	i := slices.IndexFunc(s.onlyByName, func(i int) bool { return s.components[i].kind.Computable() })
	if i < 0 {
		return ""
	}
	i = s.onlyByName[i]
	if !s.isKey(i) {
		return fmt.Sprintf("make numbers of dates and times with `Options.Dates number` or `Options.Dates calendar`, or name some, as in `Options.Columns '%s'`; ", quote.Bare(s.components[i].name))
	}
	return fmt.Sprintf("name %s to compute with them, as in `Options.Columns '%s'`; ", FolderNames, quote.Bare(s.components[i].name))
}

// checkNearlyNumeric adds a complaint for numeric columns that would be silently dropped because a
// few bad cells make them text.
func (s *selector) checkNearlyNumeric(list []int, wrong *complaints) {
	for _, i := range list {
		c := s.components[i]
		if why, bad := s.NearlyNumeric[c.column]; bad && c.part == 0 {
			wrong.add(columnError(c.name, "%w", why).WithRemedy("mend it, or leave the column out with `Options.Columns '!%s'`", quote.Bare(s.Columns[c.column].Name)))
		}
	}
}

// checkNumbers adds a complaint for components that are not numeric.
func (s *selector) checkNumbers(chosen []int, wrong *complaints) {
	for _, i := range chosen {
		c := s.components[i]
		if c.kind.Computable() {
			continue
		}
		why, bad := s.NearlyNumeric[c.column]
		switch {
		case bad:
			wrong.add(columnError(c.name, "%w", why).WithRemedy("mend it"))
		case c.kind == column.Text && s.categories:
		case c.kind == column.Text:
			wrong.noNumbers = append(wrong.noNumbers, c.name)
		default:
			wrong.add(columnError(c.name, "it holds %s, and cannot be computed with", s.reason(i)).WithRemedy("leave it out"))
		}
	}
}

// defaultNumbers returns the default selection: all numbers except those not selected by default or
// excluded, and categories.
func (s *selector) defaultNumbers(notByDefault, excluded componentSet) []int {
	list := make([]int, 0, s.ownComponents)
	for i, c := range s.components[:s.ownComponents] {
		if (c.kind.Computable() || s.categories && s.isText(i)) && !notByDefault.has(i) && !excluded.has(i) {
			list = append(list, i)
		}
	}
	return list
}

// withReasons returns the names of skipped components with the reasons.
func (s *selector) withReasons(list []int) (out []LeftOutColumn) {
	for _, i := range list {
		why := s.reason(i)
		if s.isKey(i) {
			why = FolderNames
		}
		out = append(out, LeftOutColumn{s.components[i].name, why})
	}
	return out
}

// LibsvmLabel is the reason why the label of a libsvm file is not a feature by default. It needs no
// report.
const LibsvmLabel = text.LibsvmLabel

// reason returns why a component is not a feature by default.
func (s *selector) reason(i int) string {
	if why, absent := s.absent[i]; absent {
		return why
	}
	c := s.components[i]
	switch m := s.Columns[c.column].Meaning; {
	case slices.Contains(s.NotByDefault, i) && s.Columns[c.column].Why == "":
		return s.NotByDefaultReason
	case s.moments[c.column].isText(m):
		return s.moments[c.column].holds.Class.String()
	case m.IsTemporal():
		return m.String()
	}
	return s.Columns[c.column].Reason()
}

// componentSet is a set of component indices: true at its members. Its length is one more than the
// largest.
type componentSet []bool

// unionOf returns the union of lists as a set.
func unionOf(lists ...[]int) (set componentSet) {
	last := -1
	for _, list := range lists {
		for _, i := range list {
			last = max(last, i)
		}
	}
	set = make(componentSet, last+1)
	for _, list := range lists {
		for _, i := range list {
			set[i] = true
		}
	}
	return set
}

// has reports whether i is in the set.
func (p componentSet) has(i int) bool { return i < len(p) && p[i] }

// difference returns chosen without excluded and repeated components.
func difference(chosen []int, excluded componentSet) []int {
	taken := make(componentSet, len(unionOf(chosen)))
	var list []int
	for _, i := range chosen {
		if !excluded.has(i) && !taken[i] {
			list = append(list, i)
			taken[i] = true
		}
	}
	return list
}

// isOpen reports whether an item matches an open-ended set of columns: a glob, or a range without
// an end.
func (s *selector) isOpen(item string) bool {
	return !s.hasColumn(item) && (file.IsGlob(item) || strings.HasSuffix(item, ":"))
}

// item returns the components of a name, a glob, an index or a range.
func (s *selector) item(item string, notByDefault componentSet, wrong *complaints) ([]int, bool) {
	if s.hasColumn(item) {
		return s.componentsNamed(item, wrong)
	}
	if from, to, ok := parseRange(item, s.ownComponents); ok {
		if from >= to || to > s.ownComponents {
			wrong.add(fault.New("columns %s: there are %d columns", item, s.ownComponents).
				WithRemedy("name some of 0 to %d", s.ownComponents-1))
			return nil, false
		}
		list := interval(from, to)
		if strings.Contains(item, ":") {
			list = difference(list, notByDefault)
		}
		return list, true
	}
	if file.IsGlob(item) {
		found, ok := s.matching(item, wrong)
		return difference(found, notByDefault), ok
	}
	return s.componentsNamed(item, wrong)
}

// interval returns the numbers from..to-1.
func interval(from, to int) []int {
	list := make([]int, to-from)
	for i := range list {
		list[i] = from + i
	}
	return list
}

// parseRange parses an index "3" or a half-open range "0:20", ":5", "7:".
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

// matching returns the components with a name, or a vector name, that matches a glob.
func (s *selector) matching(glob string, wrong *complaints) ([]int, bool) {
	if _, err := path.Match(glob, ""); err != nil {
		wrong.add(fault.New("columns %s: not a valid glob", quote.Name(glob)))
		return nil, false
	}
	var found []int
	for i, c := range s.components {
		own, _ := path.Match(glob, c.name)
		whole, _ := path.Match(glob, s.Columns[c.column].Name)
		if s.isDatePart(i) {
			own, whole = own && !whole, false
		}
		if own || whole {
			found = append(found, i)
		}
	}
	if len(found) == 0 && !s.isLater(glob) {
		wrong.add(fault.New("no column matches %s", quote.Name(glob)).WithRemedy("the columns are: %s", s.names(nil)))
	}
	return found, len(found) > 0 || s.isLater(glob)
}

// componentsNamed returns the component, or all components of the vector column, with that name.
func (s *selector) componentsNamed(name string, wrong *complaints) ([]int, bool) {
	runs := s.runsNamed(name)
	switch len(runs) {
	case 1:
		return interval(runs[0].first, runs[0].first+runs[0].width), true
	case 0:
		if i, ok := s.nestedNamed(name); ok {
			return interval(s.parts(&s.Nested[-1-i])), true
		}
		wrong.unknown = append(wrong.unknown, name)
	default:
		var first []int
		for _, r := range runs {
			first = append(first, r.first)
		}
		wrong.add(fault.New("%d columns are called %s, and the name does not say which is meant", len(first), quote.Name(name)).
			WithRemedy("name its number instead: %s (counted from 0)", numberList(first)))
	}
	return nil, false
}

// numberList lists column numbers, abbreviated if there are many.
func numberList(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return quote.Names(words)
}
