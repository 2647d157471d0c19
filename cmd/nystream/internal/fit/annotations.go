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

// AddAnnotation adds a flag with a value for each row of a side, such as its weight.
func (j *Job) AddAnnotation(f flags.Flag, value *string, side model.Side) {
	f.Group, f.Value = flags.Data, flags.String(value, "")
	if side == model.Left {
		f.Complete.Func = j.Data.CompleteColumns
	}
	j.Set.Add(f)
	j.annotationFlags = append(j.annotationFlags, annotationFlag{f.Name, value, side})
}

// AddLabelAnnotation makes --label such a flag.
func (j *Job) AddLabelAnnotation(usage, doc string) {
	f := j.Set.Flag("label")
	f.Doc = doc
	f.Describe("column", usage)
	j.annotationFlags = append(j.annotationFlags, annotationFlag{"label", &j.Data.Label, model.Left})
}

// annotationsOf returns the annotations of a side, in a fixed order.
func annotationsOf(j *Job, side model.Side) (list []rows.Annotation) {
	for _, f := range j.annotationFlags {
		if f.side == side && *f.value != "" {
			list = append(list, rows.NewAnnotation("--"+f.name, *f.value))
		}
	}
	return list
}

// Words describes the first annotation, or the first of the given flags; "" if there are none.
func (s *Annotations) Words(flags ...string) string {
	for _, a := range s.List {
		if len(flags) == 0 || slices.Contains(flags, a.Flag) {
			return a.Text()
		}
	}
	return ""
}

// Annotations holds the values of several flags for each row.
type Annotations struct {
	List []rows.Annotation                 // column names, and files
	Read map[string]*rows.AnnotationValues // by flag

	files *blockstore.Files // DATA, if it was opened to find the columns
}

// Open opens DATA with the columns of annotations as kept columns. They are not features.
func (s *Annotations) Open(ctx context.Context, j *Job, args []string) error {
	if err := s.Choose(ctx, j, args, model.Left); err != nil {
		return err
	}
	return j.Sides.Open(ctx, j.App, s.Kept(j.Data), args, nil, nil)
}

// Choose determines which columns of the data of a side the flags name.
func (s *Annotations) Choose(ctx context.Context, j *Job, args []string, side model.Side) error {
	s.List, s.files = nil, nil
	var columns []blockstore.ColumnInfo
	for _, a := range annotationsOf(j, side) {
		if a.File == "" && columns == nil && !slices.Contains(args, "-") {
			columns = []blockstore.ColumnInfo{}
			if files, err := j.App.Session.OpenFiles(ctx, args, j.Data.OptionsOf(j.App, args)); err == nil { // Open reports errors
				s.files = files
				columns, _ = files.Columns()
			}
		}
		if a.File == "" && len(columns) > 0 {
			var err error
			if a, err = a.ByName(columns); err != nil {
				return err
			}
		}
		if a.File != "" && j.Rows.Nulls == prepare.NullsDrop {
			return flags.Usagef("%s: rows that --nulls drop leaves out cannot be found in another file; put the values in a column of the data", a.Text())
		}
		s.List = append(s.List, a)
	}
	return nil
}

// Kept returns the flags for opening DATA, with the columns of annotations kept after those of --keep.
func (s *Annotations) Kept(d rows.DataFlags) *rows.DataFlags {
	d.Label, d.Keep, d.OpenFiles = "", rows.Trimmed(d.Keep), s.files
	for _, a := range s.List {
		for _, name := range a.Columns {
			if a.File == "" && !slices.Contains(d.Keep, name) {
				d.Keep = append(d.Keep, name)
			}
		}
	}
	return &d
}

// ReadAll reads the annotations for the rows of src. Cost: one pass if they are columns of DATA.
func (s *Annotations) ReadAll(ctx context.Context, j *Job, src stream.Source) error {
	s.Read = make(map[string]*rows.AnnotationValues)
	var inData []rows.Annotation
	for _, a := range s.List {
		if a.File == "" {
			inData = append(inData, a)
			continue
		}
		v, err := j.Data.ReadAnnotationFile(ctx, j.App, a, src.Info().Rows)
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

// Numbers returns the approximate size of the values, in numbers.
func (s *Annotations) Numbers() (n int64) {
	for _, v := range s.Read {
		n += v.Size()
	}
	return n
}
