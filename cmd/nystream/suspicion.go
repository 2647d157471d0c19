package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// leftOutColumn is a column that nobody has left out and that is not computed with.
type leftOutColumn = blockstore.LeftOutColumn

// opened returns the sources that are open, each once.
func (s *sides) opened() (list []*input) {
	for _, in := range []*input{s.left, s.right} {
		if in != nil {
			list = append(list, in)
		}
	}
	return list
}

// leftOut returns the columns of both sources that are left out, each once.
func (s *sides) leftOut() []leftOutColumn {
	list := []leftOutColumn{}
	for _, in := range s.opened() {
		for _, c := range in.leftOut {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// leftOutWords names columns with the reasons.
func leftOutWords(list []leftOutColumn) string {
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s (%s)", quote.Bare(c.Name), c.Reason))
	}
	return wordList(words)
}

// columnNotes returns sentences for the user about what was opened.
func (s *sides) columnNotes() []string {
	out := slices.DeleteFunc(s.leftOut(), func(c leftOutColumn) bool { return c.Reason == blockstore.LibsvmLabel })
	if len(out) > 0 {
		note := "left out: " + leftOutWords(out)
		if slices.ContainsFunc(out, func(c leftOutColumn) bool { return c.Reason != nullEverywhere }) {
			note += "; name columns with `columns` to compute with others"
		}
		if slices.ContainsFunc(out, func(c leftOutColumn) bool { return c.Reason == "text" }) {
			note += ", and make numbers of text with `categories onehot`"
		}
		return []string{note}
	}
	return nil
}

// tellPrepared notes empty columns and rows of weight 0. It warns of columns that are constant up to rounding.
func tellPrepared(j *job) {
	var empty []leftOutColumn
	for i, p := range j.sides.prepared.both() {
		in := inputOf(j, i)
		if in == nil || p.Columns == nil {
			continue
		}
		for _, name := range in.Info().Columns {
			if c := (leftOutColumn{Name: name, Reason: nullEverywhere}); !slices.Contains(p.Columns, name) &&
				!slices.Contains(in.leftOut, c) {
				in.leftOut, empty = append(in.leftOut, c), append(empty, c)
			}
		}
	}
	if len(empty) > 0 {
		j.app.note("left out: %s", leftOutWords(empty))
	}
	if n := j.sides.prepared.absent(); n > 0 {
		j.app.note("%s rows of weight 0 are left out", report.Count(n))
	}
	if names := j.sides.prepared.rounded(); len(names) > 0 {
		const say = "scaling makes %s 0: the values differ by no more than rounding"
		j.warnings = append(j.warnings, flags.SpellAll(j.app.cmd, []string{fmt.Sprintf(say, shortList(names))})...)
	}
}

// nullEverywhere is the reason for leaving out an empty numeric column.
const nullEverywhere = "null in every row"

// suspicions returns sentences about columns that make nonsense of a fit, which are part of
// its report. Cost: the first rows of each source are read.
func suspicions(ctx context.Context, j *job) (out []string) {
	for _, in := range j.sides.opened() {
		names := in.Info().Columns
		if n := len(in.leftOut); n > len(names) {
			const say = "%s of %s columns are left out, and the model sees no more than %s: " +
				"name columns with `columns` to compute with others"
			out = append(out, fmt.Sprintf(say, report.Count(int64(n)), report.Count(int64(n+len(names))), shortList(names)))
		}
		if len(names) == 0 || !measures(j) {
			continue
		}
		if heavy := heavyColumn(names, in.firstRows(ctx)); heavy != "" && !slices.Contains(out, heavy) {
			out = append(out, heavy)
		}
	}
	return flags.SpellAll(j.app.cmd, out)
}

// measures reports whether distances between rows count that nobody has scaled: not between those
// of an explicit matrix.
func measures(j *job) bool {
	return j.rows.Scale == prepare.ScaleNone && !slices.Contains(j.task.names(), "matrix")
}

// A column is heavy if it makes up heavyShare of the squared distance between rows.
const heavyShare = 0.9

// heavyColumn returns a sentence about the column beside which the others hardly count in the
// squared distance between rows of x, or "".
func heavyColumn(names []string, x blas64.General) string {
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

// firstRows returns the first 500 rows, fewer of many columns; none where they cannot be
// read, which the fit will tell.
func (in *input) firstRows(ctx context.Context) blas64.General {
	const rows, numbers = 500, 1 << 20
	d := len(in.Info().Columns)
	x := matrix.New(min(rows, numbers/d), d)
	n := 0
	if r, err := in.Counted.Source.Open(ctx, 0); err == nil {
		for n < x.Rows && err == nil {
			var more int
			more, err = r.Read(&stream.Batch{X: matrix.Rows(x, n, x.Rows-n)})
			n += more
		}
		if r.Close() != nil { // the file was changed
			n = 0
		}
	}
	return matrix.Rows(x, 0, n)
}

// shortList joins names, not too many of them.
func shortList(names []string) string {
	words := make([]string, min(len(names), mostWords))
	for i := range words {
		words[i] = quote.Bare(names[i])
	}
	return wordList(append(words, names[len(words):]...))
}

// mostWords is how many words a list in a note has.
const mostWords = 10

// wordList joins words, not too many of them.
func wordList(words []string) string {
	if more := len(words) - mostWords; more > 0 {
		return strings.Join(words[:mostWords], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(words, ", ")
}
