package rows

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// annotationFile is an open file of annotations: one word or integer for each row, or any numbers.
type annotationFile struct {
	session *blockstore.Session
	path    string
	files   *blockstore.Files
	options blockstore.Options
	columns []blockstore.ColumnInfo
	ragged  error // why the file is not a table, if its lines are therefore read as words
}

// ReadAnnotationFile reads the values in a file for each of the given number of rows.
func (d *DataFlags) ReadAnnotationFile(ctx context.Context, a *app.App, s Annotation,
	rows int64) (*AnnotationValues, error) {
	o := d.baseOptions(a)
	o.TextElsewhere = d.textElsewhere([]string{s.File})
	f, err := openAnnotationFile(ctx, a.Session, s.File, o)
	if err != nil {
		return nil, app.FromData(err)
	}
	v, unit := &AnnotationValues{Annotation: s, Source: s.File}, "rows"
	if len(f.columns) == 1 {
		v.DeclaredKind = cmp.Or(f.columns[0].Meaning, f.columns[0].Kind)
	}
	switch {
	case f.isWords():
		unit = "lines"
		err = f.readWords(ctx, v, rows)
	case f.isText(), s.Flag == "--label" && len(f.columns) == 1 && f.columns[0].Kind == "integer":
		// As a float64, the class 1234567 would be called 1.234567e+06.
		err = f.readColumn(ctx, v)
	default:
		err = f.readNumbers(ctx, v)
	}
	if err != nil {
		return nil, app.FromData(err)
	}
	if n := int64(v.Rows()); n != rows {
		return nil, stream.NewDataError(s.File, "it has %s %s, and the data have %s rows: %s needs one for each", report.Count(n), unit, report.Count(rows), s.Flag).
			WithRemedy("%s", d.layoutRemedy(s.File))
	}
	return v, nil
}

// layoutRemedy names the flags that may have changed the number of rows of a text file beside the rows.
func (d *DataFlags) layoutRemedy(path string) string {
	var given []string
	for _, f := range []struct {
		name  string
		given bool
	}{{"--header", d.Header}, {"--no-header", d.NoHeader}, {"--comment", d.Comment != ""}, {"--skip", d.Skip > 0}} {
		if f.given {
			given = append(given, f.name)
		}
	}
	switch {
	case !blockstore.NamesText(path) || len(given) == 0:
		return ""
	case len(given) == 1:
		return given[0] + " also applies to this file"
	}
	return strings.Join(given, " and ") + " also apply to this file"
}

// openAnnotationFile opens a file of annotations. If no delimiter is set and none yields a table of numbers, each
// line is a value, with its blanks and commas.
func openAnnotationFile(ctx context.Context, session *blockstore.Session, path string, o blockstore.Options) (*annotationFile, error) {
	f, err := inspectAnnotationFile(ctx, session, path, o)
	known := o.Delimiter != "" || strings.EqualFold(filepath.Ext(path), ".tsv")
	switch {
	case known || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist):
		return f, err
	case err == nil && !f.isCutAtBlanks():
		return f, nil
	}
	o.Delimiter = "none"
	lines, bad := inspectAnnotationFile(ctx, session, path, o)
	if bad != nil || !lines.isWords() {
		return f, err
	}
	lines.ragged = err
	return lines, nil
}

// inspectAnnotationFile opens a file and inspects its columns.
func inspectAnnotationFile(ctx context.Context, session *blockstore.Session, path string, o blockstore.Options) (*annotationFile, error) {
	files, err := session.OpenFiles(ctx, []string{path}, o)
	if err != nil {
		return nil, err
	}
	columns, _ := files.Columns()
	return &annotationFile{session: session, path: path, files: files, options: o, columns: columns}, nil
}

// isText reports whether the file has a single column, of text.
func (f *annotationFile) isText() bool { return len(f.columns) == 1 && f.columns[0].Kind == "text" }

// isWords reports whether each line of the file is a word.
func (f *annotationFile) isWords() bool {
	return f.isText() && slices.Contains([]string{"", "csv", "tsv"}, blockstore.OutputFormat(f.path))
}

// isCutAtBlanks reports whether the detected delimiter is a blank that splits words, as in "New York" and "type 2",
// unlike "1 cat" and "cat 0.5".
func (f *annotationFile) isCutAtBlanks() bool {
	isNumber := func(c blockstore.ColumnInfo) bool { return c.Kind == "number" }
	return f.files.Formats()[0].Delimiter == "space" && f.columns[0].Kind == "text" && !slices.ContainsFunc(f.columns, isNumber)
}

// readWords reads a word from each line. If the header must be detected, one line more than there are rows indicates
// it.
func (f *annotationFile) readWords(ctx context.Context, v *AnnotationValues, rows int64) error {
	l := f.options.Layout
	l.Delimiter = f.files.Formats()[0].Delimiter
	words, err := graph.ReadWords(ctx, f.path, "0", graph.Options{Session: f.session.Internal(), Layout: l})
	if err != nil {
		return err
	}
	if f.ragged != nil && isTable(words) {
		return f.ragged
	}
	if !l.Header && !l.NoHeader && int64(len(words)) == rows+1 {
		words = words[1:]
	}
	v.Columns, v.Values = []string{"0"}, []stream.Column{{Kind: stream.String, Strings: words}}
	return nil
}

// isTable reports whether most lines have a number between delimiters, so that the file is a table with a damaged line.
func isTable(lines []string) bool {
	numbers := 0
	for _, line := range lines {
		cells := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;|\t", r) })
		if slices.ContainsFunc(cells, func(cell string) bool {
			_, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			return err == nil
		}) {
			numbers++
		}
	}
	return 2*numbers > len(lines)
}

// refuse returns the error for a column that is not numeric among several.
func (f *annotationFile) refuse(column, holds string) error {
	return stream.NewDataError(f.path, "column %q cannot be used (%s), and there are others: a file of labels has one column of them, one of numbers nothing else", column, holds).
		WithRemedy("remove the column, or all others, or put values that hold a delimiter in double quotes")
}

// readColumn reads the single column, of any kind, from a file with delimited values.
func (f *annotationFile) readColumn(ctx context.Context, v *AnnotationValues) error {
	o := f.options
	o.Keep, o.NoNumbers = []string{f.columns[0].Name}, true
	src, err := f.files.Source(o)
	if err != nil {
		return err
	}
	v.Columns = o.Keep
	read, err := ReadKept(ctx, stream.Engine{Threads: 1}, src, []Annotation{v.Annotation})
	if err == nil {
		v.Values = read[0].Values
	}
	return err
}

// readNumbers reads all columns, which are numeric, as float64.
func (f *annotationFile) readNumbers(ctx context.Context, v *AnnotationValues) error {
	if i := slices.IndexFunc(f.columns, func(c blockstore.ColumnInfo) bool { return c.Kind == "text" }); i >= 0 {
		return f.refuse(f.columns[i].Name, "text")
	}
	src, err := f.files.Source(f.options)
	if err != nil {
		return err
	}
	if out := src.LeftOut(); len(out) > 0 {
		return f.refuse(out[0].Name, out[0].Reason)
	}
	x, err := stream.ReadAll(ctx, src)
	if err != nil {
		return err
	}
	v.Columns = src.Info().Columns
	v.Values = make([]stream.Column, x.Cols)
	for k := range v.Values {
		v.Values[k] = stream.Column{Kind: stream.Float64, Floats: make([]float64, x.Rows)}
		for i := range x.Rows {
			v.Values[k].Floats[i] = x.Data[i*x.Stride+k]
		}
	}
	return nil
}
