package paper1

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// compared are the methods in the tables of errors, with their headings: what the
// command fits with.
var compared = []struct{ method, heading string }{
	{ssrSVD, "`ssrsvd`"},
	{paperShift, "`s3spsd --shift paper`"},
	{"S3SPSD", "`s3spsd`"},
	{"nystrom z=4", "`nystrom --nnz 4`"},
	{"landmark uniform", "`landmark --landmarks uniform`"},
	{"landmark auto", "`landmark`"},
	{"landmark auto centred", "`landmark --shift centred`"},
	{"subspace", "`subspace`"},
}

// errors returns two tables of the errors in both norms: of data at some ranks, and of
// uniform rows in growing numbers, with the shifts. All cells of a row are of the same
// seeds.
func (t *table) errors() string {
	var b strings.Builder
	b.WriteString("Relative errors: mean (worst) spectral / mean Frobenius\n\n")
	t.writeErrors(&b, "data, kernel, c | floor", func(m *matrix) bool { return m.Data != uniform }, func(m *matrix, c int) string {
		return fmt.Sprintf("%s %s, %d", m.Data, m.Word, c)
	}, errorsOf)
	t.writeErrors(&b, "rows", func(m *matrix) bool { return m.Data == uniform }, func(m *matrix, _ int) string {
		return thousands(m.Rows)
	}, func(rows []result) string {
		shift := 0.0
		for _, r := range rows {
			shift += r.Shift / float64(len(rows))
		}
		return fmt.Sprintf("shift %s: %s", digits(shift), errorsOf(rows))
	})
	return b.String()
}

// writeErrors writes a table of some matrices.
func (t *table) writeErrors(b *strings.Builder, what string, of func(*matrix) bool, name func(m *matrix, c int) string, text func([]result) string) {
	var headings, methods, lines []string
	for _, c := range compared {
		if slices.ContainsFunc(t.matrices, func(m matrix) bool { return of(&m) && slices.Contains(m.methods, c.method) }) {
			methods, headings = append(methods, c.method), append(headings, c.heading)
		}
	}
	for i := range t.matrices {
		if m := &t.matrices[i]; of(m) {
			for _, c := range m.ranks {
				lines = append(lines, t.errorLine(m, c, methods, name(m, c), text))
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "| %s | %s | seeds |\n|---%s|\n%s\n", what, strings.Join(headings, " | "), strings.Repeat("|---", len(headings)+1+strings.Count(what, "|")), strings.Join(lines, ""))
	}
}

// errorLine returns the line of a matrix and a rank.
func (t *table) errorLine(m *matrix, c int, methods []string, name string, text func([]result) string) string {
	rows, seeds := m.common(c, methods)
	line := "| " + name + " |"
	if m.Data != uniform {
		line += " " + t.floorOf(m, c) + " |"
	}
	for _, method := range methods {
		cell := "–"
		if len(rows[method]) > 0 {
			cell = text(rows[method])
		}
		line += " " + cell + " |"
	}
	return line + fmt.Sprintf(" %d |\n", seeds)
}

// floorOf returns the floor in words.
func (t *table) floorOf(m *matrix, c int) string {
	f, ok := t.floors.known[floorKey{m.Data, m.Word, m.Rows, c}]
	if !ok {
		return "–"
	}
	return digits(f.Value)
}

// common returns the results of each of the methods from the seeds that all of them have
// which have any, and how many seeds these are.
func (m *matrix) common(c int, methods []string) (rows map[string][]result, seeds int) {
	all, has := map[int]int{}, map[string]bool{}
	for _, r := range m.results {
		if r.C == c && slices.Contains(methods, r.Method) {
			all[r.Seed]++
			has[r.Method] = true
		}
	}
	rows = map[string][]result{}
	for _, r := range m.results {
		if r.C == c && has[r.Method] && all[r.Seed] == len(has) {
			rows[r.Method] = append(rows[r.Method], r)
			seeds = max(seeds, len(rows[r.Method]))
		}
	}
	return rows, seeds
}

// errorsOf returns the mean and the worst spectral and the mean Frobenius error.
func errorsOf(rows []result) string {
	c := newCell(rows)
	return fmt.Sprintf("%s (%s) / %s", digits(c.spectral), digits(c.worst), digits(c.frobenius))
}

// digits returns a number with two significant digits, or three of those from .1 on.
func digits(v float64) string {
	precision := 2
	if math.Abs(v) >= 0.1 {
		precision = 3
	}
	return strings.TrimPrefix(fmt.Sprintf("%.*g", precision, v), "0")
}
