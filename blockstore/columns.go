package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/quote"
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
	words         []word          // the categories among kept
	leftOut       []LeftOutColumn // that the choice passes over unasked

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
	keys       []string       // further columns, which can only be kept
	index      map[string]int // of components, to find those of the first file in another one
	byWhole    *nameIndex     // of columns and components, to find those that a choice names; nil: few names are looked up
	moments    []int          // dates, times and the like
	noNumbers  bool           // a choice without numbers is allowed
	categories bool           // text is chosen as numbers are
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
			if c.Meaning.IsTemporal() {
				s.moments = append(s.moments, len(s.components))
			}
			s.components = append(s.components, component{c.ComponentName(part), i, part, c.Kind})
		}
	}
	return s
}

// isMoment reports whether component i is a date, a time or the like.
func (s *selector) isMoment(i int) bool {
	return s.Columns[s.components[i].column].Meaning.IsTemporal()
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
	for n < len(s.components) && s.Columns[s.components[n].column].Nameless {
		n++
	}
	return n
}

// width returns the number of components that a choice by number counts among: those without names, or all.
func (s *selector) width() int {
	if n := s.nameless(); n > 0 {
		return n
	}
	return len(s.components)
}

// unnamed reports whether the format has no names of columns, such as NPY. A label or a vector beside
// them may have one.
func (s *selector) unnamed() bool { return s.nameless() > 0 }
