package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/stream/prepare"
)

// notePreparation notes empty columns and rows of weight 0. It warns of columns that are constant up to rounding.
func notePreparation(j *Job) {
	var empty []rows.LeftOutColumn
	for i, p := range j.Sides.Prepared.Both() {
		in := inputOf(j, i)
		if in == nil || p.Columns == nil {
			continue
		}
		for _, name := range in.Info().Columns {
			if c := (rows.LeftOutColumn{Name: name, Reason: rows.NullEverywhere}); !slices.Contains(p.Columns, name) &&
				!slices.Contains(in.LeftOut, c) {
				in.LeftOut, empty = append(in.LeftOut, c), append(empty, c)
			}
		}
	}
	if len(empty) > 0 {
		j.App.Note("left out: %s", rows.LeftOutWords(empty))
	}
	if n := j.Sides.Prepared.ZeroWeightRows(); n > 0 {
		j.App.Note("%s rows of weight 0 are left out", report.Count(n))
	}
	if names := j.Sides.Prepared.ConstantColumns(); len(names) > 0 {
		const say = "scaling makes %s 0: the values differ by no more than rounding"
		j.Warnings = append(j.Warnings, flags.SpellAll(j.App.Cmd, []string{fmt.Sprintf(say, rows.ShortList(names))})...)
	}
}

// columnWarnings returns warnings about columns that make a fit meaningless, for its report. Cost: reads the first rows
// of each source.
func columnWarnings(ctx context.Context, j *Job) (out []string) {
	for _, in := range j.Sides.Opened() {
		names := in.Info().Columns
		if n := len(in.LeftOut); n > len(names) {
			const say = "%s of %s columns are left out, and the model sees no more than %s: " +
				"name columns with `columns` to compute with others"
			out = append(out, fmt.Sprintf(say, report.Count(int64(n)), report.Count(int64(n+len(names))), rows.ShortList(names)))
		}
		if len(names) == 0 || !usesDistances(j) {
			continue
		}
		if heavy := rows.HeavyColumn(names, in.FirstRows(ctx)); heavy != "" && !slices.Contains(out, heavy) {
			out = append(out, heavy)
		}
	}
	return flags.SpellAll(j.App.Cmd, out)
}

// usesDistances reports whether the fit depends on distances between rows that are not scaled. For an explicit matrix
// it does not.
func usesDistances(j *Job) bool {
	return j.Rows.Scale == prepare.ScaleNone && !slices.Contains(j.task.Names(), "matrix")
}
