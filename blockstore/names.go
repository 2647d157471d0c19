package blockstore

import "github.com/nystream/nystream/blockstore/internal/column"

// nameIndex finds the components of a name. It is built for selections of many names: looking up
// each name among all columns would take quadratic time.
type nameIndex struct {
	head map[string]int
	runs []nameRun
}

// nameRun is a range of components with one name: a column, or one number of a vector column.
type nameRun struct {
	first, width int
	next         int // next run of this name, in ascending order; -1 after the last
}

// linearSearchNames is the number of names up to which columns are searched one by one.
const linearSearchNames = 8

// indexNames builds the index if a selection has more than a few names.
func (s *selector) indexNames(names int) {
	if s.byWhole != nil || names <= linearSearchNames {
		return
	}
	x := &nameIndex{head: make(map[string]int, len(s.components)), runs: make([]nameRun, 0, len(s.components))}
	for i := len(s.components) - 1; i >= 0; i-- {
		c := s.components[i]
		of := &s.Columns[c.column]
		if c.name != of.Name {
			x.add(c.name, i, 1)
		}
		if c.part == 0 && c.as == column.Whole {
			x.add(of.Name, i, of.Width)
		}
	}
	s.byWhole = x
}

// add adds a run in front of the others of its name.
func (x *nameIndex) add(name string, first, width int) {
	next, ok := x.head[name]
	if !ok {
		next = -1
	}
	x.head[name] = len(x.runs)
	x.runs = append(x.runs, nameRun{first, width, next})
}

// runsNamed returns the columns, and numbers of vector columns, with exactly this name.
func (s *selector) runsNamed(name string) (runs []nameRun) {
	if x := s.byWhole; x != nil {
		at, ok := x.head[name]
		for ; ok && at >= 0; at = x.runs[at].next {
			runs = append(runs, x.runs[at])
		}
		return runs
	}
	for i := 0; i < len(s.components); i++ {
		c := s.components[i]
		switch of := &s.Columns[c.column]; {
		case c.part == 0 && c.as == column.Whole && of.Name == name:
			runs = append(runs, nameRun{first: i, width: of.Width})
			i += of.Width - 1
		case c.name == name:
			runs = append(runs, nameRun{first: i, width: 1})
		}
	}
	return runs
}

// hasColumn reports whether a column or component has exactly this name.
func (s *selector) hasColumn(name string) bool { return len(s.runsNamed(name)) > 0 }
