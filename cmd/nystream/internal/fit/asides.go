package fit

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// AddAside adds a flag that says something of each row of a side.
func (j *Job) AddAside(f flags.Flag, value *string, side model.Side) {
	f.Group, f.Value = flags.Data, flags.String(value, "")
	if side == model.Left {
		f.Complete.Func = j.Data.CompleteColumns
	}
	j.Set.Add(f)
	j.asideFlags = append(j.asideFlags, asideFlag{f.Name, value, side})
}

// AddLabelAside has --label say something of each row, and tells what.
func (j *Job) AddLabelAside(usage, doc string) {
	f := j.Set.Flag("label")
	f.Doc = doc
	f.Describe("column", usage)
	j.asideFlags = append(j.asideFlags, asideFlag{"label", &j.Data.Label, model.Left})
}

// saidOf returns what the flags say of the rows of a side, in a fixed order.
func saidOf(j *Job, side model.Side) (list []rows.Aside) {
	for _, f := range j.asideFlags {
		if f.side == side && *f.value != "" {
			list = append(list, rows.NewAside("--"+f.name, *f.value))
		}
	}
	return list
}

// Words returns the first of what flags say of the rows, of some flags if any are named.
func (s *Asides) Words(flags ...string) string {
	for _, a := range s.List {
		if len(flags) == 0 || slices.Contains(flags, a.Flag) {
			return a.Named()
		}
	}
	return ""
}

// Asides are what several flags say of each row.
type Asides struct {
	List []rows.Aside                 // columns by name, and files
	Read map[string]*rows.AsideValues // by flag

	files *blockstore.Files // DATA, if they were opened to find the columns
}

// Open opens DATA, which carry along the columns that the flags mean. Those are not computed with.
func (s *Asides) Open(ctx context.Context, j *Job, args []string) error {
	if err := s.Choose(ctx, j, args, model.Left); err != nil {
		return err
	}
	return j.Sides.Open(ctx, j.App, s.Kept(j.Data), args, nil, nil)
}

// Choose finds out which columns of the data of a side the flags mean.
func (s *Asides) Choose(ctx context.Context, j *Job, args []string, side model.Side) error {
	s.List, s.files = nil, nil
	var columns []blockstore.ColumnInfo
	for _, a := range saidOf(j, side) {
		if a.File == "" && columns == nil && !slices.Contains(args, "-") {
			columns = []blockstore.ColumnInfo{}
			if files, err := j.App.Session.OpenFiles(ctx, args, j.Data.OptionsOf(j.App, args)); err == nil { // else Open tells why
				s.files = files
				columns, _ = files.Columns()
			}
		}
		if a.File == "" && len(columns) > 0 {
			var err error
			if a, err = a.InData(columns); err != nil {
				return err
			}
		}
		if a.File != "" && j.Rows.Nulls == prepare.NullsDrop {
			return flags.Usagef("%s: rows that --nulls drop leaves out cannot be found in another file; put the values in a column of the data", a.Named())
		}
		s.List = append(s.List, a)
	}
	return nil
}

// Kept returns the flags with which DATA are opened: the columns are carried along, behind
// those of --keep.
func (s *Asides) Kept(d rows.DataFlags) *rows.DataFlags {
	d.Label, d.Keep, d.Opened = "", rows.Trimmed(d.Keep), s.files
	for _, a := range s.List {
		for _, name := range a.Columns {
			if a.File == "" && !slices.Contains(d.Keep, name) {
				d.Keep = append(d.Keep, name)
			}
		}
	}
	return &d
}

// ReadAll reads what the flags say of the rows of src. Cost: one pass if columns of DATA
// are among it.
func (s *Asides) ReadAll(ctx context.Context, j *Job, src stream.Source) error {
	s.Read = make(map[string]*rows.AsideValues)
	var inData []rows.Aside
	for _, a := range s.List {
		if a.File == "" {
			inData = append(inData, a)
			continue
		}
		v, err := j.Data.ReadAsideFile(ctx, j.App, a, src.Info().Rows)
		if err != nil {
			return err
		}
		s.Read[a.Flag] = v
	}
	if len(inData) == 0 {
		return nil
	}
	values, err := rows.ReadKept(ctx, j.App.Engine(), src, inData)
	if err != nil {
		return err
	}
	for _, v := range values {
		s.Read[v.Flag] = v
	}
	return nil
}

// Numbers returns about how many numbers the values take.
func (s *Asides) Numbers() (n int64) {
	for _, v := range s.Read {
		n += v.Size()
	}
	return n
}
