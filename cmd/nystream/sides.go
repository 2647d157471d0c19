package main

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// sides are the sources of a fit: that of the rows of a matrix, and that of its
// columns, if it is another one.
type sides struct {
	left, right *input        // right is nil if there is one source
	beside      stream.Source // left, with kept columns of other files; nil for left alone
	apart       bool          // the rows of right have nothing to do with those of left: they are prepared by themselves
	prepared    prepared
}

// prepared are the sources of a job after preparation; right is nil if there is
// only one.
type prepared struct {
	left, right *prepare.Source
}

// sources returns them as solvers take them.
func (s prepared) sources() model.Sources {
	d := model.Sources{Left: s.left}
	if s.right != nil {
		d.Right = s.right
	}
	return d
}

// both returns the sources that there are.
func (s prepared) both() []*prepare.Source {
	return slices.DeleteFunc([]*prepare.Source{s.left, s.right}, func(p *prepare.Source) bool { return p == nil })
}

// dropped returns how many rows were left out for nulls.
func (s prepared) dropped() (n int64) {
	for _, p := range s.both() {
		n += p.Dropped()
	}
	return n
}

// absent returns how many rows were left out for their weight.
func (s prepared) absent() (n int64) {
	for _, p := range s.both() {
		n += p.Absent()
	}
	return n
}

// rounded returns the columns that scaling made 0, each once.
func (s prepared) rounded() (names []string) {
	for _, p := range s.both() {
		for _, name := range p.Rounded() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// open opens the files of both sides; without files of the right there is one.
func (s *sides) open(ctx context.Context, a *app, d *dataFlags, left []string, dr *dataFlags, right []string) (err error) {
	if s.left, err = d.open(ctx, a, left); err != nil {
		return err
	}
	if err := s.left.checkRows(); err != nil || len(right) == 0 {
		return err
	}
	if s.right, err = dr.open(ctx, a, right); err != nil {
		return err
	}
	if err := s.checkIndexBase(); err != nil {
		return err
	}
	return s.right.checkRows()
}

// checkColumns refuses sides whose rows have other numbers of columns.
func (s *sides) checkColumns() error {
	if s.right == nil {
		return nil
	}
	l, r := s.left.Info(), s.right.Info()
	if len(l.Columns) != len(r.Columns) {
		return stream.NewDataError(l.Name, "it has %d columns and %s has %d, so their rows cannot be compared", len(l.Columns), r.Name, len(r.Columns)).
			Do("choose with --columns")
	}
	return nil
}

// prepare deals with nulls and scaling. The right source is prepared as the left one
// is, unless they are apart.
func (s *sides) prepare(ctx context.Context, e stream.Engine, rows *preparationFlags) (err error) {
	left := stream.Source(s.left)
	if s.beside != nil {
		left = s.beside
	}
	if s.prepared.left, err = rows.prepare(ctx, e, left); err != nil {
		return err
	}
	if s.right != nil && s.apart {
		if s.prepared.right, err = rows.prepare(ctx, e, s.right); err != nil {
			return err
		}
	} else if s.right != nil {
		if s.prepared.right, err = s.prepared.left.Preparation.Apply(ctx, e, s.right); err != nil {
			return err
		}
	}
	for _, p := range s.prepared.both() {
		if p.Info().Rows == 0 {
			return stream.NewDataError("", "no row is left after %s were dropped for nulls", report.Count(s.prepared.dropped())).
				Do("use --nulls zero or mean, or choose --columns")
		}
	}
	return nil
}

func (s *sides) close() {
	s.left.close()
	s.right.close()
}

// rowsOf returns the number of rows of a source, after preparation if it is prepared.
func rowsOf(in *input, prepared *prepare.Source) int64 {
	if prepared != nil {
		return prepared.Info().Rows
	}
	return in.Info().Rows
}

// columnsOf returns the number of columns of a source, after preparation if it is prepared, and before it
// with one for each category.
func columnsOf(in *input, prepared *prepare.Source) int {
	if prepared != nil {
		return len(prepared.Info().Columns)
	}
	return len(in.Info().Columns) + categoriesOf(in.Info())
}

// readerBudget adds what reading takes to all the rest of a budget. Sources, of which some
// may be nil, are read one after the other, by a single reader where more do not fit.
func readerBudget(a *app, b *stream.Budget, inputs ...*input) {
	held := heldBy(a.engine(), inputs)
	if a.memory > 0 && held > int64(a.memory)-b.Total() {
		a.oneReader = true
		held = heldBy(a.engine(), inputs)
	}
	if held > 0 {
		b.Items = append(b.Items, readerItem(held))
	}
}

func readerItem(held int64) stream.BudgetItem {
	return stream.BudgetItem{What: "parts of files", Bytes: held, Knob: "the number of columns with `columns`"}
}

// heldBy returns what the files of all sources hold, which are open at the same time, and the
// readers of a pass over any of them.
func heldBy(e stream.Engine, inputs []*input) int64 {
	open, most := int64(0), int64(0)
	for _, in := range inputs {
		if in != nil {
			open += in.files.OpenBytes()
			most = max(most, in.Info().ReaderBytes*int64(e.Readers(in.Info())))
		}
	}
	return open + most
}

// checkIndexBase refuses libsvm files of the two sides whose indices seem to start at different numbers.
func (s *sides) checkIndexBase() error {
	l, r := s.left, s.right
	if r == nil || l.base == r.base || l.base == blockstore.IndexBaseAuto || r.base == blockstore.IndexBaseAuto {
		return nil
	}
	return stream.NewDataError(r.Info().Name, "its indices start at %v, those of %s at %v", r.base, l.Info().Name, l.base).
		Do("set --index-base 0 or 1, the first index of all files")
}

// indexBase returns the first index of the libsvm files of a fit, nil if there is none.
func (s *sides) indexBase() *int {
	for _, in := range []*input{s.left, s.right} {
		if in != nil && in.base != blockstore.IndexBaseAuto {
			return firstIndex(in.base)
		}
	}
	return nil
}
