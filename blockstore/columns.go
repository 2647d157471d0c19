package blockstore

import (
	"slices"

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
}

// word is a category: its place among the kept columns, and whether it is to be kept besides.
type word struct {
	place   int
	carried bool
}

// addWord adds a category.
func (s *selection) addWord(i int) {
	place := slices.Index(s.kept, i)
	carried := place >= 0
	if !carried {
		place = len(s.kept)
		s.kept = append(s.kept, i)
	}
	if !slices.ContainsFunc(s.words, func(w word) bool { return w.place == place }) {
		s.words = append(s.words, word{place, carried})
	}
}

// selector resolves what the user asked for against the columns of one table.
type selector struct {
	*column.TableInfo
	components []component
	keys       []string // further columns, which can only be kept
	index      map[string]int
	moments    []int           // dates, times and the like
	absent     map[int]string  // components that other files lack, and why they are left out
	later      []LeftOutColumn // columns that only later files have
	noNumbers  bool            // a choice without numbers is allowed
	categories bool            // text is chosen as numbers are
}

// newSelector prepares the choice of columns of t.
func newSelector(t *column.TableInfo) *selector {
	s := &selector{TableInfo: t}
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
