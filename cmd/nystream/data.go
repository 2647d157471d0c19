package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// dataFlags say how data files are read. Every verb that reads has them.
type dataFlags struct {
	blockstore.Layout // of all files of text, those beside the rows included

	columns   []string
	label     string
	keep      []string
	array     string
	format    string
	inexact   blockstore.Inexact
	indexBase blockstore.IndexBase // of libsvm files
	spoolDir  string
	maxSpool  byteSize
	features  int      // of libsvm files, at least: those of the model
	text      bool     // columns of text are chosen as numbers are
	words     []string // columns of text of the model
	noNumbers bool     // rows may be of kept columns alone
	named     []string // all files of the command line, where there are others than the rows
}

func (d *dataFlags) add(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&d.columns, "columns", nil, "columns to compute with: `names`, globs, numbers, ranges 0:20, and !names to leave out")
	f.StringVar(&d.label, "label", "", "`column` to carry along, by name or number from 0")
	f.StringSliceVar(&d.keep, "keep", nil, "more `columns` to carry along")
	d.addLayout(cmd)
	addChoice(cmd, &d.inexact, "inexact", "integers beyond 2^53 that float64 cannot hold", []blockstore.Inexact{blockstore.InexactError, blockstore.InexactRound}, "naming row and column", "to the nearest")
	bases := []blockstore.IndexBase{blockstore.IndexBaseAuto, blockstore.IndexBaseZero, blockstore.IndexBaseOne}
	addChoice(cmd, &d.indexBase, "index-base", "first index of libsvm files", bases, "0 if it occurs in them")
	a.addCompletion(cmd, oneOf(blockstore.Formats()), "input-format")
}

// addLayout adds the flags that say how files are laid out, whatever their columns are for.
func (d *dataFlags) addLayout(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&d.NoHeader, "no-header", false, "text files have no line of names")
	f.BoolVar(&d.Header, "header", false, "text files begin with names, even if these are numbers")
	f.StringVar(&d.Delimiter, "delimiter", "", "separator of cells of text: one `character`, tab or space")
	f.StringVar(&d.Comment, "comment", "", "`character` that begins comment lines of CSV files, such as '#'")
	f.IntVar(&d.Skip, "skip", 0, "`number` of lines to skip at the beginning of CSV files")
	f.StringVar(&d.array, "array", "", "`name` of the array in .npz files that hold several")
	f.StringVar(&d.Encoding, "encoding", "", "encoding of text files by `name`, such as latin1; UTF-8 if not given")
	f.StringVar(&d.spoolDir, "spool-dir", "", "`folder` of temporary copies; that of the system if not given")
	f.Var(&d.maxSpool, "max-spool-size", "most disk of temporary copies, 0 for any; half of the free space if not given")
	f.StringVar(&d.format, "input-format", "", "format of files whose name tells none: "+strings.Join(blockstore.Formats(), ", "))
	mustRegister(cmd.MarkFlagDirname("spool-dir"))
}

// options returns what the flags say of the rows.
func (d *dataFlags) options(a *app) blockstore.Options {
	o := d.besideOptions(a)
	o.Format, o.Array, o.Features, o.IndexBase = d.format, d.array, d.features, d.indexBase
	o.Columns, o.Label, o.Keep = d.columns, d.label, trimmed(d.keep)
	o.Categories, o.Words = d.text, d.words
	o.Stdin, o.NoNumbers = a.in, d.noNumbers
	return o
}

// besideOptions returns what the flags say of files beside the rows.
func (d *dataFlags) besideOptions(a *app) blockstore.Options {
	return blockstore.Options{Layout: d.Layout, Threads: a.threads, Inexact: d.inexact}
}

// optionsOf returns what the flags say of rows in files with the given paths.
func (d *dataFlags) optionsOf(a *app, paths []string) blockstore.Options {
	o := d.options(a)
	o.TextElsewhere = d.textElsewhere(paths)
	return o
}

// textElsewhere reports whether the command line names text by files other than those with the given paths.
func (d *dataFlags) textElsewhere(paths []string) bool {
	return slices.ContainsFunc(d.named, func(path string) bool {
		return blockstore.NamesText(path) && !slices.Contains(paths, path)
	})
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
	if long := len([]rune(d.Delimiter)) > 1; long && d.Delimiter != "tab" && d.Delimiter != "space" && d.Delimiter != `\t` {
		return usagef("--delimiter %q is not one character; tab and space have names", d.Delimiter)
	}
	if d.Header && d.NoHeader {
		return usagef("--header and --no-header contradict each other; leave one out, or both to have the first line looked at")
	}
	if d.Skip < 0 {
		return usagef("--skip %d is below 0", d.Skip)
	}
	if d.Comment != "" && (len(d.Comment) != 1 || d.Comment[0] <= ' ' || d.Comment[0] > '~' || d.Comment == `"`) {
		return usagef("--comment %q is not one ASCII character, such as '#'", d.Comment)
	}
	if info, err := os.Stat(d.spoolDir); d.spoolDir != "" && (err != nil || !info.IsDir()) {
		return usagef("--spool-dir %s: there is no such folder; make it first", d.spoolDir)
	}
	return nil
}

// keeps reports whether any column is to be carried along.
func (d *dataFlags) keeps() bool { return d.label != "" || len(d.keep) > 0 }

// preparationFlags say what is done to rows before a method sees them.
type preparationFlags struct{ prepare.Treatment }

// allNulls are what may become of nulls.
var allNulls = []prepare.Nulls{prepare.NullsError, prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean,
	prepare.NullsIndicator}

func (p *preparationFlags) add(cmd *cobra.Command) {
	addChoice(cmd, &p.Nulls, "nulls", "treatment of nulls, NaN and Inf", allNulls, "", "", "", "",
		"mean, and a column NAME_missing")
	addChoice(cmd, &p.Scale, "scale", "scaling of columns of numbers",
		[]prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax, prepare.ScaleQuantile})
	addChoice(cmd, &p.Categories, "categories", "encoding of columns of text",
		[]prepare.Encoding{prepare.EncodeNone, prepare.EncodeOneHot,
			prepare.EncodeOrdinal}, "", "a 0/1 column for each level", "the number of the level")
}

// prepare works out how rows are prepared, and does so.
func (p *preparationFlags) prepare(ctx context.Context, e stream.Engine, rows stream.Source) (*prepare.Source, error) {
	return prepare.New(ctx, e, rows, p.Treatment)
}

// widens reports whether only the rows tell how many columns they have when they are prepared.
func (p *preparationFlags) widens() bool {
	return p.Categories != prepare.EncodeNone || p.Nulls == prepare.NullsIndicator
}

// input is an opened source whose passes are counted and whose errors are
// marked as faults of the data.
type input struct {
	*stream.Counted
	files    *blockstore.Source // what Counted reads, perhaps through wrappers
	leftOut  []blockstore.LeftOutColumn
	position columnPositions
	formats  []string // of the files, each once
	base     blockstore.IndexBase
	noted    func()      // of how the files ended, when they were read
	run      *stream.Run // keeps rows that were fetched; nil for none
}

// open opens files.
func (d *dataFlags) open(ctx context.Context, a *app, paths []string) (*input, error) {
	files, err := a.session.OpenFiles(ctx, paths, d.optionsOf(a, paths))
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
	in := &input{Counted: stream.NewCounted(src), files: src, leftOut: src.LeftOut(), position: positionsOf(src), base: files.IndexBase()}
	for _, f := range formatsOf(files) {
		in.formats = append(in.formats, f.Format)
	}
	in.noted = func() {
		if src.Unmarked() {
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
