package rows

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Opened returns the distinct open sources.
func (s *Sides) Opened() (list []*Input) {
	for _, in := range []*Input{s.Left, s.Right} {
		if in != nil {
			list = append(list, in)
		}
	}
	return list
}

// LeftOut returns the distinct omitted columns of both sources.
func (s *Sides) LeftOut() []LeftOutColumn {
	list := []LeftOutColumn{}
	for _, in := range s.Opened() {
		for _, c := range in.LeftOut {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// ColumnNotes returns notes about the opened columns.
func (s *Sides) ColumnNotes() []string {
	out := slices.DeleteFunc(s.LeftOut(), func(c LeftOutColumn) bool { return c.Reason == blockstore.LibsvmLabel })
	if len(out) > 0 {
		note := "left out: " + LeftOutWords(out)
		if slices.ContainsFunc(out, func(c LeftOutColumn) bool { return c.Reason != NullEverywhere }) {
			note += "; name columns with `columns` to compute with others"
		}
		if slices.ContainsFunc(out, func(c LeftOutColumn) bool { return c.Reason == "text" }) {
			note += ", and make numbers of text with `categories onehot`"
		}
		if slices.ContainsFunc(out, isDate) {
			note += ", and make numbers of dates and times with `dates number` or `dates calendar`"
		}
		return []string{note}
	}
	return nil
}

// isDate reports whether a column holds dates or times.
func isDate(c LeftOutColumn) bool {
	return slices.Contains([]string{"date", "timestamp", "time", "duration"}, c.Reason)
}

// heavyShare is the share of the squared distance between rows that makes a column heavy.
const heavyShare = 0.9

// HeavyColumn returns a warning about a column that dominates the squared distance between rows of x, or "".
func HeavyColumn(names []string, x blas64.General) string {
	if len(names) < 2 || x.Rows < 2 {
		return ""
	}
	spreads := make([]float64, len(names))
	for j := range spreads {
		numbers := slices.DeleteFunc(matrix.Column(x, j), func(v float64) bool { return !matrix.IsFinite(v) })
		if len(numbers) > 1 {
			spreads[j] = stat.StdDev(numbers, nil)
		}
	}
	first := floats.MaxIdx(spreads)
	floats.Scale(1/spreads[first], spreads)
	share := 1 / floats.Dot(spreads, spreads)
	if alone := floats.Sum(spreads) == 1; alone || !(share >= heavyShare) {
		return "" // NaN if the columns are constant, or too large
	}
	const say = "column %s makes up %.1f %% of the squared distance between rows, of the first %s, so the others " +
		"hardly count; `scale standard` makes them alike, or leave it out with `columns '!%s'`"
	percent := math.Min(math.Floor(1000*share)/10, 99.9)
	return fmt.Sprintf(say, names[first], percent, report.Count(int64(x.Rows)), names[first])
}

// FirstRows returns up to 500 rows, fewer if there are many columns. It returns none on error, which the fit will
// report.
func (in *Input) FirstRows(ctx context.Context) blas64.General {
	const rows, numbers = 500, 1 << 20
	d := len(in.Info().Columns)
	x := matrix.New(min(rows, numbers/d), d)
	n := 0
	if r, err := in.Source.Source.Open(ctx, 0); err == nil {
		for n < x.Rows && err == nil {
			var more int
			more, err = r.Read(&stream.Batch{X: matrix.Rows(x, n, x.Rows-n)})
			n += more
		}
		if r.Close() != nil { // the file has changed
			n = 0
		}
	}
	return matrix.Rows(x, 0, n)
}
