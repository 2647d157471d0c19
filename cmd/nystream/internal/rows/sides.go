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

// Sides are the sources of a fit: that of the rows of a matrix, and that of its
// columns, if it is another one.
type Sides struct {
	Left, Right *Input        // right is nil if there is one source
	Beside      stream.Source // left, with kept columns of other files; nil for left alone
	Apart       bool          // the rows of right have nothing to do with those of left: they are prepared by themselves
	Prepared    prepared
}

// prepared are the sources of a job after preparation; right is nil if there is
// only one.
type prepared struct {
	Left, Right *prepare.Source
}

// Sources returns them as solvers take them.
func (s prepared) Sources() model.Sources {
	d := model.Sources{Left: s.Left}
	if s.Right != nil {
		d.Right = s.Right
	}
	return d
}

// Both returns the sources that there are.
func (s prepared) Both() []*prepare.Source {
	return slices.DeleteFunc([]*prepare.Source{s.Left, s.Right}, func(p *prepare.Source) bool { return p == nil })
}

// Dropped returns how many rows were left out for nulls.
func (s prepared) Dropped() (n int64) {
	for _, p := range s.Both() {
		n += p.Dropped()
	}
	return n
}

// Absent returns how many rows were left out for their weight.
func (s prepared) Absent() (n int64) {
	for _, p := range s.Both() {
		n += p.Absent()
	}
	return n
}

// Rounded returns the columns that scaling made 0, each once.
func (s prepared) Rounded() (names []string) {
	for _, p := range s.Both() {
		for _, name := range p.Rounded() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Open opens the files of both sides; without files of the right there is one.
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

// CheckColumns refuses sides whose rows have other numbers of columns.
func (s *Sides) CheckColumns() error {
	if s.Right == nil {
		return nil
	}
	l, r := s.Left.Info(), s.Right.Info()
	if len(l.Columns) != len(r.Columns) {
		return stream.NewDataError(l.Name, "it has %d columns and %s has %d, so their rows cannot be compared", len(l.Columns), r.Name, len(r.Columns)).
			Do("choose with --columns")
	}
	return nil
}

// Prepare deals with nulls and scaling. The right source is prepared as the left one
// is, unless they are apart.
func (s *Sides) Prepare(ctx context.Context, e stream.Engine, rows *PreparationFlags) (err error) {
	left := stream.Source(s.Left)
	if s.Beside != nil {
		left = s.Beside
	}
	if s.Prepared.Left, err = rows.Prepare(ctx, e, left); err != nil {
		return err
	}
	if s.Right != nil && s.Apart {
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
				Do("use --nulls zero or mean, or choose --columns")
		}
	}
	return nil
}

// Keep lets the rows of small files stay in memory, see [Keep].
func (s *Sides) Keep(a *app.App, b *stream.Budget) { Keep(a, b, s.Opened()...) }

func (s *Sides) Close() {
	s.Left.Close()
	s.Right.Close()
}

// RowsOf returns the number of rows of a source, after preparation if it is prepared.
func RowsOf(in *Input, prepared *prepare.Source) int64 {
	if prepared != nil {
		return prepared.Info().Rows
	}
	return in.Info().Rows
}

// ColumnsOf returns the number of columns of a source, after preparation if it is prepared, and before it
// with one for each category.
func ColumnsOf(in *Input, prepared *prepare.Source) int {
	if prepared != nil {
		return len(prepared.Info().Columns)
	}
	return len(in.Info().Columns) + CategoriesOf(in.Info())
}

// ReaderBudget adds what reading takes to all the rest of a budget. Sources, of which some
// may be nil, are read one after the other, by a single reader where more do not fit.
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

// HeldBy returns what the files of all sources hold, which are open at the same time, and the
// readers of a pass over any of them.
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

// checkIndexBase refuses libsvm files of the two sides whose indices seem to start at different numbers.
func (s *Sides) checkIndexBase() error {
	l, r := s.Left, s.Right
	if r == nil || l.base == r.base || l.base == blockstore.IndexBaseAuto || r.base == blockstore.IndexBaseAuto {
		return nil
	}
	return stream.NewDataError(r.Info().Name, "its indices start at %v, those of %s at %v", r.base, l.Info().Name, l.base).
		Do("set --index-base 0 or 1, the first index of all files")
}

// IndexBase returns the first index of the libsvm files of a fit, if it is 0: others, and files of other formats, make the
// same model.
func (s *Sides) IndexBase() *int {
	for _, in := range []*Input{s.Left, s.Right} {
		if in != nil && in.base == blockstore.IndexBaseZero {
			return FirstIndex(in.base)
		}
	}
	return nil
}
