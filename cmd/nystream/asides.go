package main

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// addAside adds a flag that says something of each row of a side.
func (j *job) addAside(f flags.Flag, value *string, side model.Side) {
	f.Group, f.Value = flags.Data, flags.String(value, "")
	j.set.Add(f)
	j.asideFlags = append(j.asideFlags, asideFlag{f.Name, value, side})
}

// addLabelAside has --label say something of each row, and tells what.
func (j *job) addLabelAside(usage, doc string) {
	f := j.set.Flag("label")
	f.Doc = doc
	f.Describe("column", usage)
	j.asideFlags = append(j.asideFlags, asideFlag{"label", &j.data.label, model.Left})
}

// saidOf returns what the flags say of the rows of a side, in a fixed order.
func saidOf(j *job, side model.Side) (list []aside) {
	for _, f := range j.asideFlags {
		if f.side == side && *f.value != "" {
			list = append(list, newAside("--"+f.name, *f.value))
		}
	}
	return list
}

// words returns the first of what flags say of the rows, of some flags if any are named.
func (s *asides) words(flags ...string) string {
	for _, a := range s.list {
		if len(flags) == 0 || slices.Contains(flags, a.flag) {
			return a.named()
		}
	}
	return ""
}

// asides are what several flags say of each row.
type asides struct {
	list []aside                 // columns by name, and files
	read map[string]*asideValues // by flag
}

// open opens DATA, which carry along the columns that the flags mean. Those are not computed with.
func (s *asides) open(ctx context.Context, j *job, args []string) error {
	if err := s.choose(ctx, j, args, model.Left); err != nil {
		return err
	}
	return j.sides.open(ctx, j.app, s.kept(j.data), args, nil, nil)
}

// choose finds out which columns of the data of a side the flags mean.
func (s *asides) choose(ctx context.Context, j *job, args []string, side model.Side) error {
	s.list = nil
	var columns []blockstore.ColumnInfo
	for _, a := range saidOf(j, side) {
		if a.file == "" && columns == nil && !slices.Contains(args, "-") {
			var err error
			columns, _, err = j.app.session.Columns(ctx, args, j.data.optionsOf(j.app, args))
			if err != nil {
				columns = []blockstore.ColumnInfo{} // opening tells why
			}
		}
		if a.file == "" && len(columns) > 0 {
			var err error
			if a, err = a.inData(columns); err != nil {
				return err
			}
		}
		if a.file != "" && j.rows.Nulls == prepare.NullsDrop {
			return flags.Usagef("%s: rows that --nulls drop leaves out cannot be found in another file; put the values in a column of the data", a.named())
		}
		s.list = append(s.list, a)
	}
	return nil
}

// kept returns the flags with which DATA are opened: the columns are carried along, behind
// those of --keep.
func (s *asides) kept(d dataFlags) *dataFlags {
	d.label, d.keep = "", trimmed(d.keep)
	for _, a := range s.list {
		for _, name := range a.columns {
			if a.file == "" && !slices.Contains(d.keep, name) {
				d.keep = append(d.keep, name)
			}
		}
	}
	return &d
}

// readAll reads what the flags say of the rows of src. Cost: one pass if columns of DATA
// are among it.
func (s *asides) readAll(ctx context.Context, j *job, src stream.Source) error {
	s.read = make(map[string]*asideValues)
	var inData []aside
	for _, a := range s.list {
		if a.file == "" {
			inData = append(inData, a)
			continue
		}
		v, err := j.data.readAsideFile(ctx, j.app, a, src.Info().Rows)
		if err != nil {
			return err
		}
		s.read[a.flag] = v
	}
	if len(inData) == 0 {
		return nil
	}
	values, err := readKept(ctx, j.app.engine(), src, inData)
	if err != nil {
		return err
	}
	for _, v := range values {
		s.read[v.flag] = v
	}
	return nil
}

// numbers returns about how many numbers the values take.
func (s *asides) numbers() (n int64) {
	for _, v := range s.read {
		n += v.size()
	}
	return n
}
