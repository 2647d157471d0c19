package paper1

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// table sums up results: cells for each matrix, rank and method.
type table struct {
	matrices []matrix
	floors   *floors
}

// matrix is the kernel matrix that some results are of.
type matrix struct {
	Data, Word, Kernel      string
	Rows, Dimension, Sample int
	ranks                   []int
	methods                 []string
	cells                   map[cellKey]cell
	results                 []result
}

type cellKey struct {
	c      int
	method string
}

// cell is what the seeds of one method and rank have in common.
type cell struct {
	seeds, timed, estimates     int     // results, and those with a time and an estimate
	rank                        int     // the least
	spectral, worst             float64 // mean and largest spectral error
	frobenius                   float64 // the rest are means
	entries, seconds            float64
	estimateOver, estimateUnder float64 // but for the largest and the least estimate/frobenius
}

func newTable(rows []result, floors *floors) *table {
	t := &table{floors: floors}
	for _, r := range rows {
		t.at(r).add(r)
	}
	for i := range t.matrices {
		t.matrices[i].finish()
	}
	return t
}

// at returns the matrix of a result.
func (t *table) at(r result) *matrix {
	for i := range t.matrices {
		if m := &t.matrices[i]; m.Data == r.Data && m.Word == r.Word && m.Rows == r.Rows {
			return m
		}
	}
	t.matrices = append(t.matrices, matrix{Data: r.Data, Word: r.Word, Kernel: r.Kernel, Rows: r.Rows, Dimension: r.Dimension, Sample: r.Sample})
	return &t.matrices[len(t.matrices)-1]
}

func (m *matrix) add(r result) {
	m.results = append(m.results, r)
	if !slices.Contains(m.ranks, r.C) {
		m.ranks = append(m.ranks, r.C)
	}
	if !slices.Contains(m.methods, r.Method) {
		m.methods = append(m.methods, r.Method)
	}
}

// finish sorts, methods in the order of names(), and fills the cells.
func (m *matrix) finish() {
	slices.Sort(m.ranks)
	order, all := map[string]int{}, names() // methods that are only in the file come last
	for i, name := range all {
		order[name] = i - len(all)
	}
	slices.SortStableFunc(m.methods, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	of := map[cellKey][]result{}
	for _, r := range m.results {
		k := cellKey{r.C, r.Method}
		of[k] = append(of[k], r)
	}
	m.cells = map[cellKey]cell{}
	for k, rows := range of {
		m.cells[k] = newCell(rows)
	}
}

func newCell(rows []result) cell {
	c := cell{seeds: len(rows), rank: rows[0].Rank}
	share := 1 / float64(len(rows))
	for _, r := range rows {
		c.rank = min(c.rank, r.Rank)
		c.worst = max(c.worst, r.Spectral)
		c.entries += share * r.EntriesPerRow
		c.spectral += share * r.Spectral
		c.frobenius += share * r.Frobenius
		if r.Seconds >= 0 {
			c.seconds = (c.seconds*float64(c.timed) + r.Seconds) / float64(c.timed+1)
			c.timed++
		}
		if q := r.Estimate / r.Frobenius; q > 0 && !math.IsInf(q, 0) {
			if c.estimates == 0 {
				c.estimateOver, c.estimateUnder = q, q
			}
			c.estimateOver, c.estimateUnder = max(c.estimateOver, q), min(c.estimateUnder, q)
			c.estimates++
		}
	}
	return c
}

// ratio returns the mean error of a method to that of the better of ssrSVD and S3SPSD
// as published, NaN if neither is there.
func (m *matrix) ratio(c int, method string) float64 {
	best := math.Inf(1)
	for _, name := range []string{ssrSVD, paperShift} {
		if base, ok := m.cells[cellKey{c, name}]; ok {
			best = min(best, base.spectral)
		}
	}
	own, ok := m.cells[cellKey{c, method}]
	if !ok || math.IsInf(best, 1) {
		return math.NaN()
	}
	return own.spectral / best
}

func (m *matrix) title() string {
	title := fmt.Sprintf("%s, `%s`, %s × %d", m.Data, m.Kernel, thousands(m.Rows), m.Dimension)
	if m.Sample > 0 {
		title += fmt.Sprintf(", errors between %s sampled rows", thousands(m.Sample))
	}
	return title
}

// thousands returns n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// markdown returns the whole table.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("# Paper 1: relative errors and times\n\n" + t.summary() + "\n" + t.errors() + "\n" + t.calibration() + `
# Every matrix

Spectral errors are ‖A−Â‖₂/‖A‖₂, by Lanczos on exact tiles to 1e-4; the floor is σ_{c+1}/σ₁, the least without a shift (± the
residual of its Ritz pair, where it is not to rounding). "Ratio" is the mean to the lower mean of ssrSVD and S3SPSD as
published. "Entries" are kernel entries evaluated for each row of A, those of the error estimate and of the core
included. "Estimate" is the fit's own estimate of the Frobenius error over the measured one, lowest – highest seed. Times are of the first
seed.
`)
	for i := range t.matrices {
		t.writeMatrix(&b, &t.matrices[i])
	}
	return b.String()
}

func (t *table) writeMatrix(b *strings.Builder, m *matrix) {
	fmt.Fprintf(b, "\n## %s\n\n| c | method | seeds | rank | entries | spectral mean | worst | ratio | Frobenius mean | estimate | fit s |\n|---|---|---|---|---|---|---|---|---|---|---|\n", m.title())
	for _, c := range m.ranks {
		if f, ok := t.floors.known[floorKey{m.Data, m.Word, m.Rows, c}]; ok {
			fmt.Fprintf(b, "| %d | *floor* | | | | *%s* | | %s | | | |\n", c, f, figure(m.floorRatio(c, f)))
		}
		for _, method := range m.methods {
			if cell, ok := m.cells[cellKey{c, method}]; ok {
				fmt.Fprintf(b, "| %d | %s | %d | %d | %.0f | %s | %s | %s | %s | %s | %s |\n", c, method, cell.seeds, cell.rank, cell.entries,
					figure(cell.spectral), figure(cell.worst), figure(m.ratio(c, method)), figure(cell.frobenius), cell.estimateRange(), cell.time())
			}
		}
	}
}

// floorRatio returns the ratio of the floor, as that of a method.
func (m *matrix) floorRatio(c int, f floor) float64 {
	own := m.cells[cellKey{c, ssrSVD}].spectral
	return m.ratio(c, ssrSVD) * f.Value / own
}

// String returns the floor, and how much it may be off.
func (f floor) String() string {
	if f.Residual > 1e-3*f.Value {
		return fmt.Sprintf("%s ± %.0e", figure(f.Value), f.Residual)
	}
	return figure(f.Value)
}

// figure returns a number with three digits, or a dash.
func figure(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v != 0 && math.Abs(v) < 1e-4:
		return fmt.Sprintf("%.1e", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func (c cell) estimateRange() string {
	if c.estimates == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f – %.2f", c.estimateUnder, c.estimateOver)
}

func (c cell) time() string {
	if c.timed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", c.seconds)
}

// summary returns the ratios of all methods, one line for each matrix and method.
func (t *table) summary() string {
	var b strings.Builder
	ranks := t.ranks()
	b.WriteString("Mean spectral error as a ratio to the better of ssrSVD and S3SPSD as published:\n\n| data | kernel | method |")
	for _, c := range ranks {
		fmt.Fprintf(&b, " c = %d |", c)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(ranks)) + "\n")
	for i := range t.matrices {
		m := &t.matrices[i]
		name := m.Data
		if name == uniform {
			name = fmt.Sprintf("%s, n = %s", name, thousands(m.Rows))
		}
		for _, method := range m.methods {
			fmt.Fprintf(&b, "| %s | %s | %s |", name, m.Word, method)
			for _, c := range ranks {
				fmt.Fprintf(&b, " %s |", figure(m.ratio(c, method)))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// ranks returns those of any matrix.
func (t *table) ranks() []int {
	var all []int
	for _, m := range t.matrices {
		all = append(all, m.ranks...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// calibration compares the fits' own estimates with the errors measured.
func (t *table) calibration() string {
	return t.calibrated("spectral", func(r result) float64 { return r.SpectralEstimate / r.Spectral }) +
		"\n" + t.calibrated("Frobenius", func(r result) float64 { return r.Estimate / r.Frobenius })
}

// calibrated returns the table for one norm. Errors that are rounding are left out.
func (t *table) calibrated(norm string, quotient func(result) float64) string {
	quotients := map[string][]float64{}
	var names []string
	for _, m := range t.matrices {
		for _, r := range m.results {
			q := quotient(r)
			if !(q > 0) || math.IsInf(q, 0) || r.Spectral < 1e-11 {
				continue
			}
			if quotients[r.Method] == nil {
				names = append(names, r.Method)
			}
			quotients[r.Method] = append(quotients[r.Method], q)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The fits' own estimates of the %s error, over the error measured:\n\n| method | fits | within a factor 2 | lowest | median | highest |\n|---|---|---|---|---|---|\n", norm)
	for _, name := range names {
		q := quotients[name]
		slices.Sort(q)
		within := 0
		for _, v := range q {
			if v >= 0.5 && v <= 2 {
				within++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %.2f | %.2f | %.2f |\n", name, len(q), 100*float64(within)/float64(len(q)), q[0], q[len(q)/2], q[len(q)-1])
	}
	return b.String()
}
