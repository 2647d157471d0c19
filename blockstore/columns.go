package blockstore

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/quote"
)

// component is a number or value of a row as selections name it: a column of width one, a component
// of a vector column, called name.0, name.1, ..., or a part of a date, called name.year and so on.
type component struct {
	name   string
	column int // index in the table
	part   int // index in the vector
	kind   column.Kind
	as     column.Part // part of a date or a time
}

// selection is a choice of columns of a table, as indices of its components.
type selection struct {
	numeric, kept []int
	words         []word          // the kept columns that are categories
	leftOut       []LeftOutColumn // columns dropped without a request
	all           bool            // no item selects columns: further columns would be selected too
	arranged      []int           // order of numbers among the kept columns, see arrange; nil: before them

	keptAt         map[int]int  // index among kept of each component
	textComponents map[int]bool // indices that words contains
}

// keep adds a component to the kept ones, unless it is there, and returns its index among them.
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

// word is a category: its index among the kept columns, and whether it is also kept as text.
type word struct {
	place   int
	carried bool
}

// addWord adds a category.
func (s *selection) addWord(i int) {
	place, carried := s.keep(i)
	if s.textComponents == nil {
		s.textComponents = make(map[int]bool)
	}
	if !s.textComponents[place] {
		s.textComponents[place] = true
		s.words = append(s.words, word{place, carried})
	}
}

// selector resolves the selection of a user against the columns of one table.
type selector struct {
	*column.TableInfo
	components    []component
	index         map[string]int // of components, to look up names of the first file in another one
	byWhole       *nameIndex     // of columns and components, for names in selections; nil if there are few
	onlyByName    []int          // components that are features only if named: dates, times, folder keys
	firstKey      int            // the first component that is a folder key
	ownComponents int            // number of components of columns; parts of dates follow them
	moments       map[int]moment // columns of dates and times
	dates         Dates
	absent        map[int]string  // components that other files lack, and why they are dropped
	laterColumns  []LeftOutColumn // columns that only later files have
	noNumbers     bool            // a selection without numbers is allowed
	categories    bool            // text is selected like numbers
	carry         Carry
	nestedAt      map[int][]int // nested values, by their first component
	carriers      map[int]bool  // components of nested values that all files have
	allPlain      bool          // all columns of all files are plain, see isPlain
}

// newSelector returns a selector for the columns of t.
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
	s.firstKey, s.ownComponents = len(s.components), len(s.components)
	s.setDates(DatesNone)
	return s
}

// names lists the columns of the kinds that ok accepts, nil for all, abbreviated if there are many.
func (s *selector) names(ok func(column.Kind) bool) string {
	var names []string
	for _, c := range s.Columns {
		if ok == nil || ok(c.Kind) {
			names = append(names, c.Name)
		}
	}
	return quote.Names(names)
}

// LeftOutColumn is a column that is dropped although the user did not exclude it.
type LeftOutColumn struct {
	Name string `json:"name"`
	// Reason is its type, which is not numeric (text, date, timestamp, time, lists of lists), or
	// that the first file lacks it.
	Reason string `json:"reason"`
}

// nameless returns the number of leading components without a name in the file.
func (s *selector) nameless() (n int) {
	for n < s.ownComponents && s.Columns[s.components[n].column].Nameless {
		n++
	}
	return n
}

// width returns the number of components from which the chosen ones are selected: those without
// names if all are such, else all, including folder keys only if one of them is chosen.
func (s *selector) width(chosen []int) int {
	if n := s.nameless(); n > 0 && !slices.ContainsFunc(chosen, func(i int) bool { return i >= n }) {
		return n
	}
	if !slices.ContainsFunc(chosen, s.isKey) {
		return s.firstKey
	}
	return s.ownComponents
}

// unnamed reports whether the format has no column names, such as NPY. A label or a vector besides
// the columns may have one.
func (s *selector) unnamed() bool { return s.nameless() > 0 }
