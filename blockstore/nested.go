package blockstore

import (
	"slices"
	"sort"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream/logical"
)

// Kept columns of a selection are component indices or nested values: a negative i stands for
// Nested[-1-i] of the table.

// keptInfo describes the kept column i.
func (s *selector) keptInfo(i int) column.Info {
	if i < 0 {
		return s.Nested[-1-i].Info
	}
	return s.Columns[s.components[i].column]
}

// parts returns the components of a nested value.
func (s *selector) parts(n *column.Nested) (first, end int) {
	at := func(c int) int {
		return sort.Search(s.ownComponents, func(i int) bool { return s.components[i].column >= c })
	}
	return at(n.First), at(n.End)
}

// componentsOfKept returns the components of kept columns.
func (s *selector) componentsOfKept(kept []int) (list []int) {
	for _, i := range kept {
		if i >= 0 {
			list = append(list, i)
			continue
		}
		first, end := s.parts(&s.Nested[-1-i])
		for ; first < end; first++ {
			list = append(list, first)
		}
	}
	return list
}

// nestedNamed returns the only nested value with a name. No component outside of it may have that
// name.
func (s *selector) nestedNamed(name string) (int, bool) {
	found := 0
	for k := range s.Nested {
		if s.Nested[k].Name == name {
			if found < 0 {
				return 0, false
			}
			found = -1 - k
		}
	}
	if found == 0 {
		return 0, false
	}
	first, end := s.parts(&s.Nested[-1-found])
	for _, r := range s.runsNamed(name) {
		if r.first < first || r.first+r.width > end {
			return 0, false
		}
	}
	return found, true
}

// nestedFirst returns the outermost nested value whose components are a prefix of list, and their
// number.
func (s *selector) nestedFirst(list []int) (i, components int) {
	if s.nestedAt == nil {
		s.nestedAt = make(map[int][]int, len(s.Nested))
		for k := range s.Nested {
			first, _ := s.parts(&s.Nested[k])
			s.nestedAt[first] = append(s.nestedAt[first], k)
		}
	}
	for _, k := range s.nestedAt[list[0]] {
		first, end := s.parts(&s.Nested[k])
		n := end - first
		if n <= len(list) && isRun(list[:n]) {
			return -1 - k, n
		}
	}
	return 0, 0
}

// isRun reports whether the numbers are consecutive.
func isRun(list []int) bool {
	for i := range list {
		if list[i] != list[0]+i {
			return false
		}
	}
	return true
}

// findWhole records the components inside nested values that all other files have, possibly with
// lists of another length.
func (s *selector) findWhole(others []*member) {
	s.carriers = make(map[int]bool)
	everywhere := func(name string) bool {
		return !slices.ContainsFunc(others, func(m *member) bool {
			i, ok := m.nestedCarrier(name)
			return !ok || !m.keptInfo(i).Type.IsNested()
		})
	}
	for k := range s.Nested {
		if first, end := s.parts(&s.Nested[k]); everywhere(s.Nested[k].Name) {
			for ; first < end; first++ {
				s.carriers[first] = true
			}
		}
	}
	for i, c := range s.components[:s.ownComponents] {
		if s.Columns[c.column].Type.IsNested() && everywhere(c.name) {
			s.carriers[i] = true
		}
	}
}

// nestedCarrier returns the nested value, or the column of that type, that holds a nested value of the
// first file.
func (m *member) nestedCarrier(name string) (int, bool) {
	if i, ok := m.nestedNamed(name); ok {
		return i, true
	}
	runs := m.runsNamed(name)
	if len(runs) != 1 || runs[0].width != 1 {
		return 0, false
	}
	return runs[0].first, true
}

// missingElsewhere returns the components that CarryAll skips: those that other files lack.
func (s *selector) missingElsewhere() (list []int) {
	for _, i := range s.absentOnes() {
		if !s.carriers[i] {
			list = append(list, i)
		}
	}
	return list
}

// anyLength returns a type with lists of any length.
func anyLength(t logical.Type) logical.Type {
	if !t.IsNested() {
		return t
	}
	t.Size = 0
	inside := make([]logical.Member, len(t.Members))
	for i, m := range t.Members {
		inside[i] = logical.Member{Name: m.Name, Type: anyLength(m.Type)}
	}
	t.Members = inside
	return t
}
