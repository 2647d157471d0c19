// Package survey looks at the first rows of data for columns that make nonsense of a fit:
// numbers that stand for something else, and columns beside which others do not count.
package survey

import (
	"fmt"
	"math"
	"regexp"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// Rows is how many rows are looked at, and Numbers how many numbers at most.
const (
	Rows    = 500
	Numbers = 1 << 20
)

// few is below how many rows nothing can be said of what numbers stand for.
const few = 10

// A column is heavy if it makes up heavyShare of the squared distance between rows, or is
// outweighs times larger than all others.
const (
	heavyShare = 0.9
	outweighs  = 1e6
)

// Suspects returns sentences about columns whose numbers seem to stand for something
// else: rows of x have the columns of the given names.
func Suspects(names []string, x blas64.General) (out []string) {
	if x.Rows < few {
		return nil
	}
	for j, name := range names {
		if kind := suspect(name, column(x, j)); kind != "" {
			out = append(out, fmt.Sprintf("column %s looks like %s, and is computed with as a quantity: leave it out with `columns '!%s'`, or name the columns that count", name, kind, name))
		}
	}
	return out
}

// column returns the numbers of column j that are there.
func column(x blas64.General, j int) (v []float64) {
	for i := range x.Rows {
		if w := x.Data[i*x.Stride+j]; w-w == 0 {
			v = append(v, w)
		}
	}
	return v
}

// Names that people give to columns of times and of identifiers.
var (
	timeName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|[_. -])(time|date|datetime|timestamp|ts|epoch|created|updated|modified)([_. -]|$)|(Time|Date|Timestamp|At)$`)
	})
	idName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|[_. -])(id|uid|uuid|key|index|rowid|row)$|[a-z](Id|ID|Key)$`)
	})
)

// suspect returns what the numbers of a column seem to be, "" for quantities.
func suspect(name string, v []float64) string {
	if len(v) < few {
		return ""
	}
	p := describe(v)
	switch {
	case !p.whole:
		return ""
	case p.least >= 19000101 && p.most <= 22001231 && p.calendar && (p.ascends || timeName().MatchString(name)):
		return "dates written as numbers (YYYYMMDD)"
	case p.sinceEpoch() && (p.ascends && !p.counts || timeName().MatchString(name)):
		return "timestamps since 1970"
	case p.counts && p.least >= 0:
		return "row numbers (each is one more than the one before)"
	case p.distinct && idName().MatchString(name):
		return "identifiers (a different whole number in each row)"
	}
	return ""
}

// properties are those of the numbers of a column, in the order of the rows.
type properties struct {
	least, most     float64
	whole, distinct bool
	ascends, counts bool // no number is below the one before; each is one more
	calendar        bool // each is a date when written YYYYMMDD
}

func describe(v []float64) properties {
	p := properties{least: v[0], most: v[0], whole: true, ascends: true, counts: true, calendar: true}
	seen := make(map[float64]bool)
	for i, w := range v {
		p.least, p.most = math.Min(p.least, w), math.Max(p.most, w)
		p.whole = p.whole && w == math.Trunc(w)
		month, day := math.Mod(math.Trunc(w/100), 100), math.Mod(w, 100)
		p.calendar = p.calendar && month >= 1 && month <= 12 && day >= 1 && day <= 31
		seen[w] = true
		if i > 0 {
			p.ascends = p.ascends && w >= v[i-1]
			p.counts = p.counts && w == v[i-1]+1
		}
	}
	p.distinct = len(seen) == len(v)
	p.ascends = p.ascends && p.most > p.least
	return p
}

// sinceEpoch reports whether all numbers are between 1980 and 2100 in seconds,
// milliseconds, microseconds or nanoseconds since 1970.
func (p *properties) sinceEpoch() bool {
	for unit := 1.0; unit <= 1e9; unit *= 1000 {
		if p.least >= 315532800*unit && p.most <= 4102444800*unit {
			return true
		}
	}
	return false
}

// Heavy returns a sentence about a column beside which the others hardly count, in the squared
// distance between rows or in size, or "".
func Heavy(names []string, x blas64.General) string {
	if len(names) < 2 || x.Rows < 2 {
		return ""
	}
	sizes, spreads := make([]float64, len(names)), make([]float64, len(names))
	for j := range names {
		sizes[j], spreads[j] = measure(column(x, j))
	}
	const remedy = "the others hardly count; `scale standard` makes them alike, or leave it out with `columns '!%s'`"
	rows := show.Count(int64(x.Rows))
	first, second := largest(spreads)
	if share := squaredShare(spreads, first); spreads[second] > 0 && share >= heavyShare {
		percent := math.Min(math.Floor(1000*share)/10, 99.9)
		return fmt.Sprintf("column %s makes up %.1f %% of the squared distance between rows, of the first %s, so "+remedy,
			names[first], percent, rows, names[first])
	}
	first, second = largest(sizes)
	if most, next := sizes[first], sizes[second]; next > 0 && most > outweighs*next {
		return fmt.Sprintf("column %s outweighs all others: its size is %.2g and that of the next, %s, %.2g in the first %s rows, so "+remedy,
			names[first], most, names[second], next, rows, names[first])
	}
	return ""
}

// squaredShare returns the share of v[j]² in the sum of squares, 0 if v[j] is 0.
func squaredShare(v []float64, j int) float64 {
	if v[j] == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range v {
		sum += w / v[j] * (w / v[j])
	}
	return 1 / sum
}

// measure returns the root of the mean square of v, and its standard deviation.
func measure(v []float64) (size, spread float64) {
	if len(v) == 0 {
		return 0, 0
	}
	n, mean := float64(len(v)), 0.0
	for _, w := range v {
		mean += w / n
	}
	for _, w := range v {
		size, spread = math.Hypot(size, w), math.Hypot(spread, w-mean)
	}
	return size / math.Sqrt(n), spread / math.Sqrt(n)
}

// largest returns where the two largest values are.
func largest(v []float64) (first, second int) {
	second = 1
	if v[1] > v[0] {
		first, second = 1, 0
	}
	for j := 2; j < len(v); j++ {
		switch {
		case v[j] > v[first]:
			first, second = j, first
		case v[j] > v[second]:
			second = j
		}
	}
	return first, second
}
