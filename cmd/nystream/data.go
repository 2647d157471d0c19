package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// dataFlags say how data files are read. Every verb that reads has them.
type dataFlags struct {
	columns   []string
	label     string
	keep      []string
	noHeader  bool
	header    bool
	delimiter string
	comment   string
	skip      int
	array     string
	encoding  string
	format    string
	inexact   blockstore.Inexact
	spoolDir  string
	maxSpool  spoolRoom
	features  int      // of libsvm files, at least: those of the model
	text      bool     // columns of text are chosen as numbers are
	words     []string // columns of text of the model
	noNumbers bool     // rows may be of kept columns alone
}

func (d *dataFlags) add(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&d.columns, "columns", nil, "columns to compute with: `names`, globs, numbers, ranges 0:20, and !names to leave out")
	f.StringVar(&d.label, "label", "", "`column` to carry along, by name or number from 0")
	f.StringSliceVar(&d.keep, "keep", nil, "more `columns` to carry along")
	d.addLayout(cmd)
	addChoice(cmd, &d.inexact, "inexact", "integers beyond 2^53 that float64 cannot hold", []blockstore.Inexact{blockstore.InexactError, blockstore.InexactRound}, "naming row and column", "to the nearest")
	a.addCompletion(cmd, oneOf(blockstore.Formats()), "input-format")
}

// addLayout adds the flags that say how files are laid out, whatever their columns are for.
func (d *dataFlags) addLayout(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&d.noHeader, "no-header", false, "text files have no line of names")
	f.BoolVar(&d.header, "header", false, "text files begin with names, even if these are numbers")
	f.StringVar(&d.delimiter, "delimiter", "", "separator of cells of text: one `character`, tab or space")
	f.StringVar(&d.comment, "comment", "", "`character` that begins comment lines of CSV files, such as '#'")
	f.IntVar(&d.skip, "skip", 0, "`number` of lines to skip at the beginning of CSV files")
	f.StringVar(&d.array, "array", "", "`name` of the array in .npz files that hold several")
	f.StringVar(&d.encoding, "encoding", "", "encoding of text files by `name`, such as latin1; UTF-8 if not given")
	f.StringVar(&d.spoolDir, "spool-dir", "", "`folder` of temporary copies; that of the system if not given")
	f.Var(&d.maxSpool, "max-spool-size", "most disk of temporary copies, 0 for any; half of the free space if not given")
	f.StringVar(&d.format, "input-format", "", "format of files whose name tells none: "+strings.Join(blockstore.Formats(), ", "))
	mustRegister(cmd.MarkFlagDirname("spool-dir"))
}

// options returns what the flags say for the package that reads.
func (d *dataFlags) options(a *app) blockstore.Options {
	o := d.layout()
	o.Columns, o.Label, o.Keep = d.columns, d.label, trimmed(d.keep)
	o.Categories, o.Words = d.text, d.words
	o.Threads, o.Stdin, o.Inexact, o.NoNumbers = a.threads, a.in, d.inexact, d.noNumbers
	return o
}

// layout returns what the flags say of the files alone, whatever their columns are for.
func (d *dataFlags) layout() blockstore.Options {
	return blockstore.Options{Format: d.format, NoHeader: d.noHeader, Header: d.header, Delimiter: d.delimiter, Comment: d.comment, Skip: d.skip, Array: d.array, Encoding: d.encoding, SpoolDir: d.spoolDir, SpoolRoom: d.maxSpool.in(d.spoolDir), Features: d.features}
}

// trimmed returns a list as people write it, with spaces after commas.
func trimmed(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.TrimSpace(name)
	}
	return out
}

// check refuses what no file can make right.
func (d *dataFlags) check() error {
	if d.format != "" && !slices.Contains(blockstore.Formats(), d.format) {
		return usagef("--input-format %q is not known; use one of %s%s", d.format,
			strings.Join(blockstore.Formats(), ", "), didYouMean(d.format, blockstore.Formats()))
	}
	if long := len([]rune(d.delimiter)) > 1; long && d.delimiter != "tab" && d.delimiter != "space" && d.delimiter != `\t` {
		return usagef("--delimiter %q is not one character; tab and space have names", d.delimiter)
	}
	if d.header && d.noHeader {
		return usagef("--header and --no-header contradict each other; leave one out, or both to have the first line looked at")
	}
	if d.skip < 0 {
		return usagef("--skip %d is below 0", d.skip)
	}
	if d.comment != "" && (len(d.comment) != 1 || d.comment[0] <= ' ' || d.comment[0] > '~' || d.comment == `"`) {
		return usagef("--comment %q is not one ASCII character, such as '#'", d.comment)
	}
	if info, err := os.Stat(d.spoolDir); d.spoolDir != "" && (err != nil || !info.IsDir()) {
		return usagef("--spool-dir %s: there is no such folder; make it first", d.spoolDir)
	}
	return nil
}

// keeps reports whether any column is to be carried along.
func (d *dataFlags) keeps() bool { return d.label != "" || len(d.keep) > 0 }

// preparationFlags say what is done to rows before a method sees them.
type preparationFlags struct{ stream.Treatment }

// allNulls are what may become of nulls.
var allNulls = []stream.Nulls{stream.NullsError, stream.NullsDrop, stream.NullsZero, stream.NullsMean,
	stream.NullsIndicator}

func (p *preparationFlags) add(cmd *cobra.Command) {
	addChoice(cmd, &p.Nulls, "nulls", "treatment of nulls, NaN and Inf", allNulls, "", "", "", "",
		"mean, and a column NAME_missing")
	addChoice(cmd, &p.Scale, "scale", "scaling of columns of numbers",
		[]stream.Scaling{stream.ScaleNone, stream.ScaleStandard, stream.ScaleMinMax, stream.ScaleQuantile})
	addChoice(cmd, &p.Categories, "categories", "encoding of columns of text",
		[]stream.Encoding{stream.EncodeNone, stream.EncodeOneHot,
			stream.EncodeOrdinal}, "", "a 0/1 column for each level", "the number of the level")
}

// prepare works out how rows are prepared, and does so.
func (p *preparationFlags) prepare(ctx context.Context, e stream.Engine, rows stream.Source) (*stream.Prepared, error) {
	return stream.Prepare(ctx, e, rows, p.Treatment)
}

// widens reports whether only the rows tell how many columns they have when they are prepared.
func (p *preparationFlags) widens() bool {
	return p.Categories != stream.EncodeNone || p.Nulls == stream.NullsIndicator
}

// input is an opened source whose passes are counted and whose errors are
// marked as faults of the data.
type input struct {
	*stream.Counted
	leftOut  []blockstore.LeftOutColumn
	position columnPositions
	formats  []string    // of the files, each once
	parts    []int64     // rows of each file; nil where that is not known
	noted    func()      // of how the files ended, when they were read
	run      *stream.Run // keeps rows that were fetched; nil for none
}

// open opens files.
func (d *dataFlags) open(ctx context.Context, a *app, paths []string) (*input, error) {
	files, err := blockstore.OpenFiles(ctx, paths, d.options(a))
	if err != nil {
		return nil, fromData(err)
	}
	return d.choose(a, files)
}

// choose chooses columns of files that are open.
func (d *dataFlags) choose(a *app, files *blockstore.Files) (*input, error) {
	src, err := files.Source(d.options(a))
	if err != nil {
		return nil, fromData(err)
	}
	in := &input{Counted: stream.NewCounted(src), leftOut: blockstore.LeftOut(src),
		position: positionsOf(src), parts: blockstore.Parts(src)}
	for _, f := range formatsOf(files) {
		in.formats = append(in.formats, f.Format)
	}
	in.noted = func() {
		if blockstore.Unmarked(src) {
			a.note("%s ends without the end mark of an Arrow stream: if its writer leaves one it was cut after a batch", in.Info().Name)
		}
	}
	return in, nil
}

// Open returns a reader of the rows from the given one on.
func (in *input) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := in.Counted.Open(ctx, first)
	if err != nil {
		return nil, fromData(err)
	}
	return inputReader{r}, nil
}

// Gather fetches rows by number.
func (in *input) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	return fromData(in.run.Gather(ctx, in.Counted, rows, dst))
}

// inputReader marks the errors of a pass.
type inputReader struct{ stream.Reader }

func (r inputReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	return n, fromData(err)
}

// close notes how the files ended. It is safe on nil.
func (in *input) close() {
	if in != nil {
		in.noted()
	}
}

// checkRows refuses a source without rows or columns.
func (in *input) checkRows() error {
	info := in.Info()
	switch {
	case info.Rows == 0:
		return stream.NewDataError(info.Name, "it has no rows")
	case len(info.Columns)+categoriesOf(info) == 0:
		return stream.NewDataError(info.Name, "it has no numeric columns").Do("choose some with --columns")
	}
	return nil
}

// categoriesOf returns the number of columns of text that become numbers.
func categoriesOf(info stream.Info) (n int) {
	for _, f := range info.Kept {
		if f.Category {
			n++
		}
	}
	return n
}
