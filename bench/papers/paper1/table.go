package paper1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/report"
)

// matrix is a kernel matrix with the results of its fits.
type matrix struct {
	problem
	rows    int
	floors  map[int]float64 // by rank
	results []result
}

// of returns the results of a method at a rank.
func (m *matrix) of(c int, method string) []result {
	other := func(r result) bool { return r.c != c || r.method != method }
	return slices.DeleteFunc(slices.Clone(m.results), other)
}

// ranks returns the ranks with results, ascending.
func (m *matrix) ranks() []int {
	var all []int
	for _, r := range m.results {
		all = append(all, r.c)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// has reports whether a method has results.
func (m *matrix) has(method string) bool {
	return slices.ContainsFunc(m.results, func(r result) bool { return r.method == method })
}

// errorTables returns two tables of errors: by rank for data sets, and by the number of uniform rows, with the shifts.
func errorTables(all []*matrix) (tables []*report.Table) {
	isUniform := func(m *matrix) bool { return m.data == uniform }
	data, growing := slices.DeleteFunc(slices.Clone(all), isUniform), slices.Clone(all)
	growing = slices.DeleteFunc(growing, func(m *matrix) bool { return !isUniform(m) })
	const title = "Relative errors: mean (worst) spectral / mean Frobenius"
	if len(data) > 0 {
		t := &report.Table{File: "errors", Title: title, Head: []string{"data, kernel, c", "floor"}}
		addErrors(t, data, errorsOf, func(m *matrix, c int) []any {
			floor := "–"
			if f, ok := m.floors[c]; ok {
				floor = digits(f)
			}
			return []any{fmt.Sprintf("%s, %d", m, c), floor}
		})
		tables = append(tables, t)
	}
	if len(growing) > 0 {
		t := &report.Table{File: "growth", Title: title + ", by the number of uniform rows", Head: []string{"rows"}}
		addErrors(t, growing, shiftAndErrors, func(m *matrix, _ int) []any { return []any{thousands(m.rows)} })
		tables = append(tables, t)
	}
	return tables
}

// addErrors adds a row for each matrix and rank, with a cell for each method that has results.
func addErrors(t *report.Table, all []*matrix, text func([]result) string, begin func(m *matrix, c int) []any) {
	var compared []string
	for _, method := range methods() {
		if slices.ContainsFunc(all, func(m *matrix) bool { return m.has(method.name) }) {
			compared = append(compared, method.name)
			t.Head = append(t.Head, method.heading)
		}
	}
	t.Head = append(t.Head, "seeds")
	for _, m := range all {
		for _, c := range m.ranks() {
			row, seeds := begin(m, c), 0
			for _, method := range compared {
				rows := m.of(c, method)
				seeds = max(seeds, len(rows))
				if len(rows) == 0 {
					row = append(row, "–")
					continue
				}
				row = append(row, text(rows))
			}
			t.Add(append(row, seeds)...)
		}
	}
}

// errorsOf returns the mean and the worst spectral error and the mean Frobenius error.
func errorsOf(rows []result) string {
	var spectral, frobenius []float64
	for _, r := range rows {
		spectral, frobenius = append(spectral, r.spectral), append(frobenius, r.frobenius)
	}
	return fmt.Sprintf("%s (%s) / %s", digits(stat.Mean(spectral, nil)), digits(slices.Max(spectral)),
		digits(stat.Mean(frobenius, nil)))
}

// shiftAndErrors adds the mean shift.
func shiftAndErrors(rows []result) string {
	shift := 0.0
	for _, r := range rows {
		shift += r.shift / float64(len(rows))
	}
	return fmt.Sprintf("shift %s: %s", digits(shift), errorsOf(rows))
}

// digits returns a number with two significant digits, or three from .1 on.
func digits(v float64) string {
	precision := 2
	if v == 0 {
		return "0"
	}
	if math.Abs(v) >= 0.1 {
		precision = 3
	}
	return strings.TrimPrefix(fmt.Sprintf("%.*g", precision, v), "0")
}

// thousands returns n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
