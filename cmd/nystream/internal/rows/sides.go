package rows

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Sides has the sources of a fit: the rows of a matrix, and its columns if they have another source.
type Sides struct {
	Left, Right *Input        // right is nil with a single source
	Annotated   stream.Source // left with kept columns of other files; nil for left alone
	Separate    bool          // right is prepared independently of left
	Prepared    preparedSources
}

// preparedSources has the sources after preparation; right is nil with a single source.
type preparedSources struct {
	Left, Right *prepare.Source
}

// Sources returns the sources for solvers.
func (s preparedSources) Sources() model.Sources {
	d := model.Sources{Left: s.Left}
	if s.Right != nil {
		d.Right = s.Right
	}
	return d
}

// Both returns the existing sources.
func (s preparedSources) Both() []*prepare.Source {
	return slices.DeleteFunc([]*prepare.Source{s.Left, s.Right}, func(p *prepare.Source) bool { return p == nil })
}

// Dropped returns the number of rows dropped because of nulls.
func (s preparedSources) Dropped() (n int64) {
	for _, p := range s.Both() {
		n += p.Dropped()
	}
	return n
}

// ZeroWeightRows returns the number of rows dropped because of weight 0.
func (s preparedSources) ZeroWeightRows() (n int64) {
	for _, p := range s.Both() {
		n += p.ZeroWeightRows()
	}
	return n
}

// ConstantColumns returns the distinct columns that scaling set to 0.
func (s preparedSources) ConstantColumns() (names []string) {
	for _, p := range s.Both() {
		for _, name := range p.ConstantColumns() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Open opens the files of both sides, or of one if there are no right files.
func (s *Sides) Open(ctx context.Context, a *app.App, d *DataFlags, left []string, dr *DataFlags, right []string) (err error) {
	if s.Left, err = d.Open(ctx, a, left); err != nil {
		return err
	}
	if err := s.Left.checkRows(); err != nil || len(right) == 0 {
		return err
	}
	if s.Right, err = dr.Open(ctx, a, right); err != nil {
		return err
	}
	if err := s.checkIndexBase(); err != nil {
		return err
	}
	return s.Right.checkRows()
}

// CheckColumns fails if the sides differ in their number of columns.
func (s *Sides) CheckColumns() error {
	if s.Right == nil {
		return nil
	}
	l, r := s.Left.Info(), s.Right.Info()
	if len(l.Columns) != len(r.Columns) {
		return stream.NewDataError(l.Name, "it has %d columns and %s has %d, so their rows cannot be compared", len(l.Columns), r.Name, len(r.Columns)).
			WithRemedy("choose with --columns")
	}
	return nil
}

// Prepare handles nulls and scaling. The right source has the preparation of the left one, unless Separate is set.
func (s *Sides) Prepare(ctx context.Context, e stream.Engine, rows *PreparationFlags) (err error) {
	left := stream.Source(s.Left)
	if s.Annotated != nil {
		left = s.Annotated
	}
	if s.Prepared.Left, err = rows.Prepare(ctx, e, left); err != nil {
		return err
	}
	if s.Right != nil && s.Separate {
		if s.Prepared.Right, err = rows.Prepare(ctx, e, s.Right); err != nil {
			return err
		}
	} else if s.Right != nil {
		if s.Prepared.Right, err = s.Prepared.Left.Preparation.Apply(ctx, e, s.Right); err != nil {
			return err
		}
	}
	for _, p := range s.Prepared.Both() {
		if p.Info().Rows == 0 {
			return stream.NewDataError("", "no row is left after %s were dropped for nulls", report.Count(s.Prepared.Dropped())).
				WithRemedy("use --nulls zero or mean, or choose --columns")
		}
	}
	return nil
}

// Keep calls [Keep] for all sources.
func (s *Sides) Keep(a *app.App, b *stream.Budget) { Keep(a, b, s.Opened()...) }

func (s *Sides) Close() {
	s.Left.Close()
	s.Right.Close()
}

// RowsOf returns the number of rows of a source, after preparation if prepared is not nil.
func RowsOf(in *Input, prepared *prepare.Source) int64 {
	if prepared != nil {
		return prepared.Info().Rows
	}
	return in.Info().Rows
}

// ColumnsOf returns the number of columns of a source: after preparation if prepared is not nil, otherwise with one
// column for each category.
func ColumnsOf(in *Input, prepared *prepare.Source) int {
	if prepared != nil {
		return len(prepared.Info().Columns)
	}
	return len(in.Info().Columns) + CategoriesOf(in.Info())
}

// ReaderBudget adds the memory for reading to a budget. Sources, which may be nil, are read in turn, by a single reader
// if more do not fit.
func ReaderBudget(a *app.App, b *stream.Budget, inputs ...*Input) {
	held := HeldBy(a.Engine(), inputs)
	if a.Memory > 0 && held > int64(a.Memory)-b.Total() {
		a.OneReader = true
		held = HeldBy(a.Engine(), inputs)
	}
	if held > 0 {
		b.Items = append(b.Items, ReaderItem(held))
	}
}

func ReaderItem(held int64) stream.BudgetItem {
	return stream.BudgetItem{What: "parts of files", Bytes: held, Setting: "the number of columns with `columns`"}
}

// HeldBy returns the memory of all open files, and of the readers of a pass over any one of them.
func HeldBy(e stream.Engine, inputs []*Input) int64 {
	open, most := int64(0), int64(0)
	for _, in := range inputs {
		if in != nil {
			open += in.Files.OpenBytes()
			most = max(most, in.Info().ReaderBytes*int64(e.Readers(in.Info())))
		}
	}
	return open + most
}

// checkIndexBase fails if libsvm files of the two sides seem to have different index bases.
func (s *Sides) checkIndexBase() error {
	l, r := s.Left, s.Right
	if r == nil || l.base == r.base || l.base == blockstore.IndexBaseAuto || r.base == blockstore.IndexBaseAuto {
		return nil
	}
	return stream.NewDataError(r.Info().Name, "its indices start at %v, those of %s at %v", r.base, l.Info().Name, l.base).
		WithRemedy("set --index-base 0 or 1, the first index of all files")
}

// IndexBase returns the first index of the libsvm files of a fit, if it is 0. It is irrelevant otherwise, and for other
// formats.
func (s *Sides) IndexBase() *int {
	for _, in := range []*Input{s.Left, s.Right} {
		if in != nil && in.base == blockstore.IndexBaseZero {
			return FirstIndex(in.base)
		}
	}
	return nil
}
