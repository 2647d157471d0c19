package blockstore

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/quote"
)

// component is one number or value of a row as selections name it: a column of
// width one, or a component of a vector column, called name.0, name.1, ..., or a part of a date, called name.year and so on.
type component struct {
	name   string
	column int // in the table
	part   int // of the vector
	kind   column.Kind
	as     column.Part // of a date or a time
}

// selection is what is chosen of a table: indices into its components.
type selection struct {
	numeric, kept []int
	words         []word          // the categories among kept
	leftOut       []LeftOutColumn // that the choice passes over unasked
	all           bool            // no item chooses columns: more would be chosen if there were more
	arranged      []int           // how numbers stand among the kept columns, see arrange; nil: before them

	keptAt map[int]int  // the place of each component among kept
	worded map[int]bool // the places that words has
}

// keep keeps a component, once, and returns its place.
func (s *selection) keep(i int) (place int, kept bool) {
	if place, kept = s.keptAt[i]; kept {
		return place, true
	}
	if s.keptAt == nil {
		s.keptAt = make(map[int]int)
	}
	place = len(s.kept)
	s.keptAt[i] = place
	s.kept = append(s.kept, i)
	return place, false
}

// word is a category: its place among the kept columns, and whether it is to be kept besides.
type word struct {
	place   int
	carried bool
}

// addWord adds a category.
func (s *selection) addWord(i int) {
	place, carried := s.keep(i)
	if s.worded == nil {
		s.worded = make(map[int]bool)
	}
	if !s.worded[place] {
		s.worded[place] = true
		s.words = append(s.words, word{place, carried})
	}
}

// selector resolves what the user asked for against the columns of one table.
type selector struct {
	*column.TableInfo
	components []component
	index      map[string]int // of components, to find those of the first file in another one
	byWhole    *nameIndex     // of columns and components, to find those that a choice names; nil: few names are looked up
	onlyNamed  []int          // components that are computed with only when they are named: dates, times and the like, folder keys
	fromKey    int            // the first component that is a folder key
	own        int            // how many components the columns have; parts of dates are behind them
	moments    map[int]moment // columns of dates and times
	dates      Dates
	absent     map[int]string  // components that other files lack, and why they are left out
	later      []LeftOutColumn // columns that only later files have
	noNumbers  bool            // a choice without numbers is allowed
	categories bool            // text is chosen as numbers are
	carry      Carry
	nestedAt   map[int][]int // nested values, by the components that they begin with
	carriers   map[int]bool  // components of nested values that all files have
	plain      bool          // all columns of all files are plain, see isPlain
}

// newSelector prepares the choice of columns of t.
func newSelector(t *column.TableInfo) *selector {
	width := 0
	for _, c := range t.Columns {
		width += c.Width
	}
	s := &selector{TableInfo: t, components: make([]component, 0, width)}
	for i, c := range s.Columns {
		for part := range c.Width {
			s.components = append(s.components, component{c.ComponentName(part), i, part, c.Kind, column.Whole})
		}
	}
	s.fromKey, s.own = len(s.components), len(s.components)
	s.setDates(DatesNone)
	return s
}

// names returns a list of the columns of the kinds that ok admits, nil for all, cut short
// when there are many.
func (s *selector) names(ok func(column.Kind) bool) string {
	var names []string
	for _, c := range s.Columns {
		if ok == nil || ok(c.Kind) {
			names = append(names, c.Name)
		}
	}
	return quote.Names(names)
}

// LeftOutColumn is a column that is no part of the rows though nobody has left it out.
type LeftOutColumn struct {
	Name string `json:"name"`
	// Reason is what it holds instead of numbers to compute with: text, date, timestamp, time, lists
	// of lists; or that the first file does not have it.
	Reason string `json:"reason"`
}

// nameless returns the number of components that the file does not name: the first ones, or none.
func (s *selector) nameless() (n int) {
	for n < s.own && s.Columns[s.components[n].column].Nameless {
		n++
	}
	return n
}

// width returns the number of components that the chosen ones are counted among: those without names if all are such,
// else all, of which folder keys count if one of them is chosen.
func (s *selector) width(chosen []int) int {
	if n := s.nameless(); n > 0 && !slices.ContainsFunc(chosen, func(i int) bool { return i >= n }) {
		return n
	}
	if !slices.ContainsFunc(chosen, s.isKey) {
		return s.fromKey
	}
	return s.own
}

// unnamed reports whether the format has no names of columns, such as NPY. A label or a vector beside
// them may have one.
func (s *selector) unnamed() bool { return s.nameless() > 0 }
