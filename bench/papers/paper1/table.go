package paper1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/report"
)

// matrix is a kernel matrix, and the results of the fits of it.
type matrix struct {
	problem
	text          string // of the kernel, with numbers
	rows, columns int
	floors        map[int]float64 // by rank
	results       []result        // ascending by seed
}

// of returns the results of a method at a rank.
func (m *matrix) of(c int, method string) []result {
	other := func(r result) bool { return r.C != c || r.Method != method }
	return slices.DeleteFunc(slices.Clone(m.results), other)
}

// ranks returns those with results, ascending.
func (m *matrix) ranks() []int {
	var all []int
	for _, r := range m.results {
		all = append(all, r.C)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// has reports whether a method has results.
func (m *matrix) has(method string) bool {
	return slices.ContainsFunc(m.results, func(r result) bool { return r.Method == method })
}

// write prints and saves the tables of all matrices, and saves one for each.
func write(dir string, all []*matrix) error {
	tables := append([]*report.Table{ratios(all)}, errorTables(all)...)
	tables = append(tables,
		calibration(all, "spectral", func(r result) float64 { return float64(r.SpectralEstimate / r.Spectral) }),
		calibration(all, "Frobenius", func(r result) float64 { return float64(r.FrobeniusEstimate / r.Frobenius) }))
	for _, t := range tables {
		if err := t.Write(dir); err != nil {
			return err
		}
	}
	for _, m := range all {
		if err := m.table().Save(dir); err != nil {
			return err
		}
	}
	return nil
}

// ratios is the table of ratios, one line for each matrix and method.
func ratios(all []*matrix) *report.Table {
	t := &report.Table{File: "ratios",
		Title: "Mean spectral error as a ratio to the better of ssrSVD and S3SPSD as published",
		Head:  []string{"data", "kernel", "method"}}
	var ranks []int
	for _, m := range all {
		ranks = append(ranks, m.ranks()...)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	for _, c := range ranks {
		t.Head = append(t.Head, fmt.Sprintf("c = %d", c))
	}
	for _, m := range all {
		for _, method := range names() {
			if !m.has(method) {
				continue
			}
			row := []any{strings.TrimSuffix(m.String(), " "+m.word), m.word, method}
			for _, c := range ranks {
				row = append(row, m.ratio(c, method))
			}
			t.Add(row...)
		}
	}
	return t
}

// ratio returns the mean error of a method to that of the better of ssrSVD and S3SPSD
// as published, NaN if neither is there.
func (m *matrix) ratio(c int, method string) float64 {
	best := math.Inf(1)
	for _, name := range []string{ssrSVD, paperShift} {
		if rows := m.of(c, name); len(rows) > 0 {
			best = min(best, newCell(rows).spectral)
		}
	}
	rows := m.of(c, method)
	if len(rows) == 0 || math.IsInf(best, 1) {
		return math.NaN()
	}
	return newCell(rows).spectral / best
}

// errorTables returns two tables of errors: of data at some ranks, and of uniform rows in
// growing numbers, with the shifts.
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

// addErrors adds a line for each matrix and rank, with a cell for each method that has a
// heading and results.
func addErrors(t *report.Table, all []*matrix, text func([]result) string, begin func(m *matrix, c int) []any) {
	var compared []string
	for _, method := range methods() {
		if method.heading != "" && slices.ContainsFunc(all, func(m *matrix) bool { return m.has(method.name) }) {
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

// table is that of one matrix: every rank and method.
func (m *matrix) table() *report.Table {
	t := &report.Table{File: strings.NewReplacer(" ", "-", ",", "", "=", "").Replace("matrix " + m.String()),
		Title: fmt.Sprintf("%s, `%s`, %s × %d", m.data, m.text, thousands(m.rows), m.columns),
		Head: []string{"c", "method", "seeds", "rank", "entries", "spectral mean", "worst", "ratio", "Frobenius mean",
			"estimate/Frobenius", "fit s"},
		Notes: []string{"The floor is σ_{c+1}/σ₁, the least spectral error without a shift. Ratios are to the better mean " +
			"of ssrSVD and S3SPSD as published. Entries are kernel entries that a fit evaluates for each row. " +
			"Times are of the first seed."}}
	if s := m.sample(); s > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Errors are between %s sampled rows.", thousands(s)))
	}
	for _, c := range m.ranks() {
		if f, ok := m.floors[c]; ok {
			t.Add(c, "floor", "", "", "", f, "", "", "", "", "")
		}
		for _, method := range names() {
			rows := m.of(c, method)
			if len(rows) == 0 {
				continue
			}
			x := newCell(rows)
			t.Add(c, method, len(rows), x.rank, fmt.Sprintf("%.0f", x.entries), x.spectral, x.worst,
				m.ratio(c, method), x.frobenius, x.estimate, float64(rows[0].Seconds))
		}
	}
	return t
}

// calibration compares the fits' own estimates of an error with the measured one. Errors
// that are rounding are left out.
func calibration(all []*matrix, norm string, quotient func(result) float64) *report.Table {
	t := &report.Table{File: "calibration-" + norm,
		Title: fmt.Sprintf("The fits' own estimates of the %s error, over the error measured", norm),
		Head:  []string{"method", "fits", "within a factor 2", "lowest", "median", "highest"}}
	for _, method := range names() {
		var q []float64
		within := 0.0
		for _, m := range all {
			for _, r := range m.results {
				v := quotient(r)
				if r.Method != method || !(v > 0) || math.IsInf(v, 0) || r.Spectral < 1e-11 {
					continue
				}
				if q = append(q, v); v >= 0.5 && v <= 2 {
					within++
				}
			}
		}
		if len(q) == 0 {
			continue
		}
		slices.Sort(q)
		two := func(v float64) string { return fmt.Sprintf("%.2f", v) }
		share := fmt.Sprintf("%.1f %%", 100*within/float64(len(q)))
		t.Add(method, len(q), share, two(q[0]), two(q[len(q)/2]), two(q[len(q)-1]))
	}
	return t
}
