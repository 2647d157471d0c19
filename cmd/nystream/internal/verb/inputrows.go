package verb

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// inputRowsOf returns the input rows of a side of the model. The columns of a matrix are not prepared: names, nulls and
// scaling belong to its rows.
func inputRowsOf(f *saved.File, side model.Side, dimension int) inputRows {
	switch {
	case side == model.Right && f.Data.Input == saved.MatrixInput:
		return inputRows{dimension: dimension}
	case side == model.Right && f.Data.Input == saved.PairsInput:
		return inputRows{f.Data.RightColumns, f.Data.RightPositions, f.Data.Base(), dimension - f.Right.Width(), f.Right, f.Data.RightDates}
	}
	return inputRows{f.Data.Columns, f.Data.ColumnPositions, f.Data.Base(), dimension - f.Prepare.Width(), f.Prepare, f.Data.Dates}
}

// inputRows describes the input rows of a model: which columns of a file they are, and how these are prepared. It has
// all that the fit stored about one side.
type inputRows struct {
	names     []string // of the columns, if they have names
	position  rows.ColumnPositions
	base      blockstore.IndexBase
	dimension int // columns of numbers
	prepare   prepare.Preparation
	dates     *saved.Dates
}

// open opens data for a model and prepares them as for the fit. Columns are those of the fit: by name if the model has
// names and the command line selects none, or by position if the data have no names.
func (t inputRows) open(ctx context.Context, a *app.App, d rows.DataFlags, paths []string) (*rows.Input, *prepare.Source, error) {
	if d.Features = t.dimension; len(t.names) == 0 {
		d.Features = max(t.dimension, t.position.Width)
	}
	if d.NoNumbers = t.dimension == 0; d.NoNumbers {
		d.Columns = []string{"!*"}
	}
	for _, c := range t.prepare.Categories {
		d.Words = append(d.Words, c.Column)
	}
	d.Dates = t.dates.Word()
	explain := d.WithIndexBase(t.base)
	files, err := a.Session.OpenFiles(ctx, paths, d.OptionsOf(a, paths))
	if err != nil {
		return nil, nil, app.FromData(explain(err))
	}
	if d.OnOpen != nil {
		if err := d.OnOpen(&d, files); err != nil {
			return nil, nil, err
		}
	}
	d, byPosition := t.choose(d, files)
	in, err := d.Choose(a, files)
	var fault *stream.DataError
	if errors.As(err, &fault) && len(t.names) > 0 && slices.Equal(d.Columns, t.names) {
		err = stream.AsDataError(fault).AddRemedy("if columns of the model have other names there, choose %d with --columns, in the order of the fit",
			len(t.names))
		if t.dates != nil {
			err = stream.AsDataError(err).AddRemedy("the model takes dates or times in %s, in text as 2024-02-29 or 2024-02-29T12:34:56", rows.ShortList(t.dates.Columns))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	info := in.Info()
	found, want := len(info.Columns), t.dimension
	if found != want {
		in.Close()
		return nil, nil, stream.NewDataError(info.Name, "it gives %d columns, and the model was fitted on %d", found, want).
			WithRemedy("choose them with --columns as for the fit%s", in.OtherBase())
	}
	names := t.names
	if len(names) == 0 {
		names = t.positionalNames()
	}
	if err := t.dates.Check(in, names); err != nil {
		in.Close()
		return nil, nil, err
	}
	if byPosition {
		a.Note("%s has no column names: the columns of the model, %s, are taken by position", paths[0], rows.ShortList(t.names))
	}
	prepared, err := t.prepare.Apply(ctx, a.Engine(), in)
	if err != nil {
		in.Close()
		return nil, nil, app.FromData(err)
	}
	return in, prepared, nil
}

// choose selects the columns of a model in files, unless the command line selects some: by name, or by
// position if the model or the files have no names. byPosition reports that the model has names and the files do not.
func (t inputRows) choose(d rows.DataFlags, files *blockstore.Files) (_ rows.DataFlags, byPosition bool) {
	if len(d.Columns) > 0 || t.dimension == 0 {
		return d, false
	}
	columns, _ := files.Columns()
	names, nameless, known := rows.ComponentNames(columns), files.Nameless(), len(t.names) > 0
	switch {
	case nameless > 0 && rows.ContainsAny(names[nameless:], t.names) && containsAll(names, t.names):
		d.Columns = t.names
		return d, false
	case known && nameless > 0 && nameless < len(names): // a label has a name, and may be included in Width
		d.Columns = t.numbers(-1, nameless)
	case nameless > 0:
		d.Columns = t.numbers(nameless, nameless)
	case known:
		d.Columns = t.names
	case slices.Equal(names, t.positionalNames()):
	case containsAll(names, t.positionalNames()):
		d.Columns = t.positionalNames()
	default:
		d.Columns = t.numbers(len(names), len(names))
	}
	return d, nameless > 0 && known
}

// numbers returns the column numbers of a model in files with as many columns as the files of the fit, or with
// only the columns of the model. It returns nil for other files.
func (t inputRows) numbers(all, nameless int) []string {
	switch n := len(t.position.Positions); {
	case n > 0 && all == t.position.Width:
		return columnItems(t.position.Positions)
	case nameless == t.dimension:
		return rows.Numbered("", t.dimension)
	}
	return nil
}

// columnItems formats column numbers as items of `columns`.
func columnItems(numbers []int) (words []string) {
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

// positionalNames returns made-up names x0, x1, … by position, for columns of a model without names.
func (t inputRows) positionalNames() []string {
	names := stream.NumberedColumns(t.dimension)
	for i, at := range t.position.Positions {
		names[i] = "x" + strconv.Itoa(at)
	}
	return names
}

// containsAll reports whether list holds all names.
func containsAll(list, names []string) bool {
	known := make(map[string]bool, len(list))
	for _, name := range list {
		known[name] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !known[name] })
}
