package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream/prepare"
)

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
