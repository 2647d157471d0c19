package verb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream/logical"
)

// NewInspect returns the verb that describes a model, or the columns and the first rows of data.
func NewInspect(a *app.App, families []*saved.Family) *cobra.Command {
	i := &inspectCommand{app: a, families: families}
	cmd := &cobra.Command{
		Use:               "inspect FILE...",
		GroupID:           flags.FilesGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteData,
		RunE:              func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}
	i.set = flags.New(cmd)
	i.set.Add(
		flags.Flag{Name: "rows", Arg: "number", Usage: "rows to scan for nulls and ranges, all if 0", Doc: "fewer for wide tables if not given", First: true, For: flags.Rows, Value: flags.Int64(&i.rows, 1_000_000)},
		flags.Flag{Name: "check", Usage: "verify all checksums of a .nys store", First: true, For: flags.Rows, Value: flags.Bool(&i.check, false)},
	)
	i.data.AddLayout(i.set)
	return cmd
}

func (i *inspectCommand) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return flags.Usagef("inspect needs a file: nystream inspect data.parquet")
	}
	if err := i.data.Check(); err != nil {
		return err
	}
	if err := i.checkArguments(args); err != nil {
		return err
	}
	if isModel(args[0]) {
		return i.model(ctx, args[0])
	}
	if i.check {
		if err := i.checkStores(ctx, args); err != nil {
			return err
		}
	}
	return i.files(ctx, args)
}

// isModel reports whether a file is a model: by its name, unless it is an archive of another program.
func isModel(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".npz") && !archive.IsData(path)
}

// checkArguments fails for arguments that contradict the flags.
func (i *inspectCommand) checkArguments(args []string) error {
	models := 0
	for _, path := range args {
		if isModel(path) {
			models++
		}
	}
	refuse := i.set.Refuse()
	refuse.When(i.rows < 0, "--rows must be 0 or more")
	refuse.When(models > 0 && models < len(args), "models and data together: inspect models one by one, and data by themselves")
	refuse.When(models > 1, fmt.Sprintf("%d models: inspect them one by one", models))
	if models == 0 || refuse.Err() != nil {
		return refuse.Err()
	}
	return i.set.Check(flags.Saved, "a model")
}

// checkStores verifies all checksums.
func (i *inspectCommand) checkStores(ctx context.Context, paths []string) error {
	for _, p := range paths {
		if !strings.EqualFold(filepath.Ext(p), ".nys") {
			return flags.Usagef("--check: %s is not a .nys store; other formats have no checksums that cover everything", p)
		}
		if err := i.app.Session.VerifyStore(ctx, p); err != nil {
			return app.FromData(err)
		}
	}
	return nil
}

// fileKeys has the JSON keys of inspect for data.
var fileKeys = report.NewGroup("inspect DATA")

var (
	keyName          = fileKeys.Key("name", "the files")
	keyFormats       = fileKeys.Key("formats", "formats of the files, each once: format, delimiter of text, files (their number)")
	keyIndexBase     = fileKeys.Key("index_base", "first index of libsvm files")
	keyRowsOfFiles   = fileKeys.Key("rows", "rows of the data, null if it is not known before all are read")
	keyNumbersPerRow = fileKeys.Key("numbers_per_row", "numbers in a row that a fit computes with")
	keyColumnsFound  = fileKeys.Key("columns", "columns: name, kind, width, meaning (date, …), type of dates, times, decimals, bytes and UUIDs, reason (why it is no feature), folder (a key of k=v folders); and of the rows_looked_at nulls, minimum, maximum, distinct (values of text)")
	keyRowsLookedAt  = fileKeys.Key("rows_looked_at", "number of scanned rows")
	keyFirstRows     = fileKeys.Key("first_rows", "values of the first rows, in the order of the columns")
	keyChecked       = fileKeys.Key("checked", "whether all checksums were verified (--check)")
)

// wideTable is the number of columns from which garbage is collected early to save memory.
const wideTable = 100_000

func (i *inspectCommand) files(ctx context.Context, paths []string) error {
	files, err := i.app.Session.OpenFiles(ctx, paths, i.data.Options(i.app))
	if err != nil {
		return app.FromData(err)
	}
	if err := i.data.CheckIndexBase(files); err != nil {
		return err
	}
	columns, n := files.Columns()
	if len(columns) > wideTable {
		garbage.Tighten()
	}
	r := &filesResult{Name: strings.Join(paths, ", "), Formats: rows.FormatsOf(files), Columns: []fileColumn{}, First: [][]any{}, Checked: i.check}
	if n >= 0 {
		r.Rows = &n
	}
	r.IndexBase = rows.FirstIndex(files.IndexBase())
	for _, p := range paths {
		if bytes, ok := i.app.Session.FileSize(ctx, p); ok {
			r.Bytes += bytes
		}
	}
	exact, keep := exactColumns(columns)
	label := libsvmLabel(columns)
	facts := make([]columnFacts, len(columns))
	r.Columns = slices.Grow(r.Columns, len(columns))
	for i, c := range columns {
		r.Columns = append(r.Columns, fileColumn{c.Name, c.Kind, c.Width, c.Meaning, typeName(c.Type), c.Reason, c.Folder, &facts[i]})
		if isFeature(i, &c, label) {
			r.Numbers += c.Width
		}
	}
	if r.Numbers > 0 || len(keep) > 0 {
		options := i.data.Options(i.app)
		options.Keep, options.Inexact, options.FindTypes, options.NoNumbers = keep, blockstore.InexactRound, true, true
		// A failure is not reported: without statistics of footers, rows are read for them.
		if found, bad := files.Statistics(ctx); bad == nil {
			r.setStatistics(found)
		}
		var src *blockstore.Source
		if src, err = files.Source(options); err == nil {
			err = i.scan(ctx, src, exact, r)
		}
	}
	if stopped := context.Cause(ctx); stopped != nil {
		return stopped
	}
	return errors.Join(i.app.Print(r.report()), app.FromData(err))
}

// formatWords returns the formats in words.
func (r *filesResult) formatWords() string {
	var words []string
	for _, f := range r.Formats {
		text := f.Format
		if f.Delimiter != "" {
			text += fmt.Sprintf(", cells between %s", map[bool]string{true: f.Delimiter, false: strconv.Quote(f.Delimiter)}[len(f.Delimiter) > 1])
		}
		if len(r.Formats) > 1 || f.Files > 1 {
			text += fmt.Sprintf(" (%s)", report.Counted(f.Files, "file", "files"))
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// report returns the report.
func (r *filesResult) report() *report.Report {
	out := &report.Report{Title: r.Name}
	rowsText := "not known before all are read"
	if r.Rows != nil {
		rowsText = report.Count(*r.Rows)
	}
	out.Put(keyName, r.Name)
	out.Show(keyFormats, r.Formats, "format", "%s", r.formatWords())
	if r.IndexBase != nil {
		out.Put(keyIndexBase, *r.IndexBase)
		if *r.IndexBase == 0 {
			out.Add("indices", "from 0")
		}
	}
	out.Show(keyRowsOfFiles, r.Rows, "rows", "%s", rowsText)
	out.Show(keyNumbersPerRow, r.Numbers, "numbers per row", "%d%s", r.Numbers, map[bool]string{true: "; a fit needs at least one"}[r.Numbers == 0])
	if r.Bytes > 0 {
		out.Show(report.KeyBytes, r.Bytes, "size", "%s", report.Bytes(r.Bytes))
	}
	if r.Checked {
		out.Add("checksums", "all verified")
	}
	r.addColumns(out)
	out.Put(keyRowsLookedAt, r.RowsScanned)
	out.Put(keyFirstRows, r.First)
	out.PutSome(keyChecked, r.Checked)
	if r.scanned && r.RowsScanned > 0 && (r.Rows == nil || r.RowsScanned < *r.Rows) {
		out.Add("", "of the first %s rows; --rows 0 looks at all", report.Count(r.RowsScanned))
	}
	if r.nulls() > 0 {
		out.Add("nulls", "%s; a fit needs --nulls drop, zero, mean or indicator", report.Count(r.nulls()))
	}
	if keys := r.folders(); len(keys) > 0 {
		out.Add("folders", "name %s; a fit computes with them only when --columns names them", rows.ShortList(keys))
	}
	r.addFirst(out)
	return out
}

// addColumns adds the columns. The text lists the first 40.
func (r *filesResult) addColumns(out *report.Report) {
	const most = 40
	out.Show(keyColumnsFound, r.Columns, "columns", "%d", len(r.Columns))
	for i, c := range r.Columns {
		if i == most {
			out.Add("", "… and %d more (--format json lists all)", len(r.Columns)-most)
			break
		}
		kind := cmp.Or(c.Means, c.Kind)
		switch {
		case c.Type == "uuid" || strings.HasPrefix(c.Type, "bytes") || strings.HasSuffix(c.Type, ",UTC)"):
			kind = c.Type
		case c.Kind == "vector":
			kind = fmt.Sprintf("vector of %d", c.Width)
		case c.Why != "":
			kind += ": " + c.Why
		}
		out.Add("  "+shortName(quote.Bare(c.Name)), "%s%s", kind, c.columnFacts.text(c.Means))
	}
}

// shortName truncates a name to leave room for the rest of a line. JSON has the whole name.
func shortName(name string) string {
	const most = 20
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// typeName returns the name of a type, if it adds to the kind and meaning of a column.
func typeName(t logical.Type) string {
	if t.IsTemporal() || t.Class == logical.Decimal || t.Class == logical.Bytes || t.Class == logical.UUID {
		return t.String()
	}
	return ""
}

// folders returns the columns of folder names.
func (r *filesResult) folders() (keys []string) {
	for _, c := range r.Columns {
		if c.Folder {
			keys = append(keys, c.Name)
		}
	}
	return keys
}

// nulls returns the number of nulls in columns that would be features.
func (r *filesResult) nulls() (n int64) {
	for _, c := range r.Columns {
		if c.Kind != "text" && c.Kind != "other" && !c.Folder && (c.Means == "" || c.Means == "boolean") {
			n += c.Nulls
		}
	}
	return n
}

// model prints what a model file says of itself. Reading it verifies its digest.
func (i *inspectCommand) model(ctx context.Context, path string) error {
	f, err := saved.Read(i.app, i.families, path)
	if err != nil {
		return err
	}
	bytes, _ := i.app.Session.FileSize(ctx, path)
	return i.app.Print(modelReport(f, bytes))
}
