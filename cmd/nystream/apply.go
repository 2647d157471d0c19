package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// takenRows are the rows that a model takes.
type takenRows struct {
	names     []string // of the columns, if they have names
	dimension int
	prepare   stream.Preparation
}

// openRows opens data for a model.
func (m *model) openRows(ctx context.Context, a *app, d dataFlags, paths []string, mode openMode) (*input, *stream.Prepared, error) {
	return takenRows{m.meta.Data.Columns, m.dimension(), m.prepare}.open(ctx, a, d, paths, mode)
}

// open opens data for a model: the columns that it was fitted on, by name if it
// knows names and the command line chooses none, prepared as for the fit.
func (t takenRows) open(ctx context.Context, a *app, d dataFlags, paths []string, mode openMode) (*input, *stream.Prepared, error) {
	if len(d.columns) == 0 {
		d.columns = t.names
	}
	in, err := d.open(ctx, a, paths, mode)
	if err != nil {
		return nil, nil, t.explainMissing(ctx, d, paths, err)
	}
	info := in.Info()
	found, want := len(info.Columns), t.dimension
	if found > want && len(d.columns) == 0 && !info.Once && onlyCount(info.Columns[:want]) && !onlyCount(info.Columns[:want+1]) {
		// The model knows no names because they only counted: those that count
		// here, from the first on, are its columns, if the count ends where it should.
		in.close()
		d.columns = info.Columns[:want]
		return t.open(ctx, a, d, paths, mode)
	}
	if found != want {
		in.close()
		return nil, nil, fromData(fmt.Errorf("%s gives %d columns, and the model was fitted on %d; choose them with --columns as for the fit", info.Name, found, want))
	}
	prepared, err := t.prepare.Apply(ctx, a.engine(), in)
	if err != nil {
		in.close()
		return nil, nil, err
	}
	return in, prepared, nil
}

// explainMissing names all columns of the model that the data do not have, when
// that is why they could not be opened.
func (t takenRows) explainMissing(ctx context.Context, d dataFlags, paths []string, err error) error {
	names := t.names
	if len(names) == 0 || !slices.Equal(d.columns, names) || slices.Contains(paths, "-") {
		return err
	}
	there := make(map[string]bool)
	columns, _, failed := blockstore.Columns(ctx, paths, blockstore.Options{Format: d.format, NoHeader: d.noHeader, Delimiter: d.delimiter})
	if failed != nil {
		return err
	}
	for _, c := range columns {
		there[c.Name] = true
		for part := range c.Width {
			there[fmt.Sprintf("%s.%d", c.Name, part)] = true
		}
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return there[name] })
	if len(missing) == 0 {
		return err
	}
	return fromData(fmt.Errorf("%s: columns that the model was fitted on are missing: %s; if they have other names there, choose %d columns with --columns, in the order of the fit",
		strings.Join(paths, ", "), strings.Join(missing, ", "), len(names)))
}

// runtimeBudget is what every run takes.
func runtimeBudget() stream.Budget {
	return stream.Budget{Items: []stream.BudgetItem{{What: "program and I/O buffers", Bytes: lowrank.RuntimeBytes}}}
}

// applyBudget is the memory for passes over inputs, some of which may be nil,
// that a model is applied to.
func (m *model) applyBudget(e stream.Engine, inputs ...*input) stream.Budget {
	d := m.dimension()
	b := runtimeBudget()
	readerBudget(&b, inputs...)
	e.PassBudget(&b, d)
	mapBudget(&b, e, d, m.rank())
	if m.kernel.Explicit != nil {
		b.Add("model", 2*int64(d)*int64(m.rank()), "")
		return b
	}
	p := int64(m.kernel.Left.Entries())
	if m.kernel.Right != nil {
		p = max(p, int64(m.kernel.Right.Entries()))
	}
	b.Add("model", p*int64(3*d+2*m.rank()), "")
	b.Add("tiles", int64(e.Workers())*stream.PanelRows*(p+2*int64(m.rank())), "--threads")
	return b
}
