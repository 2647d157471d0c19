package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/stream"
)

// GroupsOf returns the groups of some rows, nil if none is known.
func GroupsOf(rows []int64, of []int, names []string) *Groups {
	if of == nil {
		return nil
	}
	g := &Groups{Names: names}
	for _, r := range rows {
		g.Index = append(g.Index, of[r])
	}
	return g
}

// maxGroupValues is the largest number of distinct label values drawn as groups.
const maxGroupValues = 20

// LabelMarks returns the groups or the shades of a column, neither if it is nil.
func LabelMarks(name string, label *stream.Column) (*Groups, *Shades) {
	if label == nil {
		return nil, nil
	}
	numbers := make([]float64, label.Len())
	distinct := make(map[string]int)
	words := make([]string, label.Len())
	for i := range words {
		numbers[i] = math.NaN()
		if label.Null(i) {
			continue
		}
		words[i] = rows.WordOf(label, i)
		distinct[words[i]]++
		if v, err := strconv.ParseFloat(words[i], 64); err == nil {
			numbers[i] = v
		}
	}
	if label.Kind != stream.String && (len(distinct) > maxGroupValues && label.Kind == stream.Float64 || len(distinct) > rows.MaxClasses) {
		return nil, &Shades{Name: name, Values: numbers}
	}
	if len(distinct) == 0 || len(distinct) > rows.MaxClasses {
		return nil, nil
	}
	g := &Groups{Index: make([]int, len(words)), Names: sortedNames(distinct)}
	for k, name := range g.Names {
		distinct[name] = k
	}
	for i, w := range words {
		if g.Index[i] = -1; !label.Null(i) {
			g.Index[i] = distinct[w]
		}
	}
	return g, nil
}

// sortedNames returns the sorted words; numbers are sorted by value.
func sortedNames(distinct map[string]int) []string {
	names := make([]string, 0, len(distinct))
	for name := range distinct {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err == nil && err2 == nil && x != y {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	})
	return names
}
