package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/cmd/nystream/internal/survey"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
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
		note := "left out: " + leftOutWords(out) + "; name columns with `columns` to compute with others"
		if slices.ContainsFunc(out, func(c leftOutColumn) bool { return c.Reason == "text" }) {
			note += ", and make numbers of text with `categories onehot`"
		}
		return []string{note}
	}
	return nil
}

// suspicions returns sentences about columns that make nonsense of a fit, which are part of
// its report. Cost: the first rows of each source are read.
func (j *job) suspicions(ctx context.Context) (out []string) {
	for _, in := range j.opened() {
		for _, s := range in.suspicions(ctx, &j.data, j.measures()) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return j.sentences(out)
}

// measures reports whether distances between rows count that nobody has scaled: not between those
// of an explicit matrix.
func (j *job) measures() bool {
	return j.rows.Scale == stream.ScaleNone && !slices.Contains(j.task.names(), "matrix")
}

func (in *input) suspicions(ctx context.Context, data *dataFlags, measures bool) (out []string) {
	names := in.Info().Columns
	if n := len(in.leftOut); n > len(names) {
		out = append(out, fmt.Sprintf("%s of %s columns are left out, and the model sees no more than %s: name columns with `columns` to compute with others",
			show.Count(int64(n)), show.Count(int64(n+len(names))), shortList(names)))
	}
	if len(names) == 0 {
		return out
	}
	first := in.firstRows(ctx)
	if !data.names() {
		if len(in.booleans) > 0 {
			out = append(out, "booleans are computed with as 0 and 1: "+shortList(in.booleans))
		}
		out = append(out, survey.Suspects(names, first.X)...)
	}
	if measures {
		if heavy := survey.Heavy(names, first.X); heavy != "" {
			out = append(out, heavy)
		}
	}
	return out
}

// firstRows returns as many of the first rows as suspicions take; none where they cannot be
// read, which the fit will tell.
func (in *input) firstRows(ctx context.Context) *stream.Batch {
	d := len(in.Info().Columns)
	batch := &stream.Batch{X: stream.NewMatrix(min(survey.Rows, survey.Numbers/d), d)}
	n := 0
	if r, err := in.Counted.Source.Open(ctx, 0); err == nil {
		for n < batch.X.Rows && err == nil {
			var more int
			more, err = r.Read(&stream.Batch{X: stream.RowSlice(batch.X, n, batch.X.Rows-n)})
			n += more
		}
		if r.Close() != nil { // the file was changed
			n = 0
		}
	}
	batch.X = stream.RowSlice(batch.X, 0, n)
	return batch
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

// names reports whether columns are named to be computed with.
func (d *dataFlags) names() bool {
	return slices.ContainsFunc(d.columns, func(item string) bool { return !strings.HasPrefix(item, "!") })
}
