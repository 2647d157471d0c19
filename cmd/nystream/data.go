package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// What to say where no file is named, and where the standard input is to be both sides.
const (
	noData           = "no data: name files, quoted globs, folders, or - for the standard input"
	oneStandardInput = "the standard input can serve only one side: name files for DATA or for --right"
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
	modelBase bool                 // indexBase is that of a model
	spoolDir  string
	maxSpool  flags.Size
	features  int      // of libsvm files, at least: those of the model
	text      bool     // columns of text are chosen as numbers are
	words     []string // columns of text of the model
	noNumbers bool     // rows may be of kept columns alone
	named     []string // all files of the command line, where there are others than the rows
}

func (d *dataFlags) add(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "label", Arg: "column", Usage: "column to carry along, not to compute with", Doc: "by name or number from 0",
			Group: flags.Data, First: true, For: flags.Rows | flags.Matrix, Value: flags.String(&d.label, "")},
		flags.Flag{Name: "keep", Arg: "columns", Usage: "more columns to carry along",
			Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix, Value: flags.Strings(&d.keep)},
	)
	d.addComputed(s)
}

// addComputed adds the flags about the columns that are computed with, and about files.
func (d *dataFlags) addComputed(s *flags.Set) {
	s.Add(flags.Flag{Name: "columns", Arg: "names", Usage: "columns to compute with", Doc: "names, globs, numbers, ranges 0:20, and !names to leave out",
		Group: flags.Data, Effect: flags.Locates, Value: flags.Strings(&d.columns)})
	d.addLayout(s)
	s.Add(flags.Flag{Name: "inexact", Arg: "word", Usage: "integers beyond 2^53 that float64 cannot hold", Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix,
		Value: flags.Choice(&d.inexact, []blockstore.Inexact{blockstore.InexactError, blockstore.InexactRound}, "naming row and column", "to the nearest")})
	s.Add(flags.Flag{Name: "index-base", Arg: "word", Usage: "first index of libsvm files", Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix,
		Value: flags.Choice(&d.indexBase, []blockstore.IndexBase{blockstore.IndexBaseAuto, blockstore.IndexBaseZero, blockstore.IndexBaseOne}, "0 if it occurs in them")})
}

// addLayout adds the flags that say how files are laid out, whatever their columns are for.
func (d *dataFlags) addLayout(s *flags.Set) {
	any, tables := flags.Rows|flags.Matrix|flags.Graph, flags.Rows|flags.Matrix
	layout := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect = flags.Data, flags.Locates
		return f
	}
	s.Add(
		layout(flags.Flag{Name: "header", Usage: "text files begin with names, even of numbers", For: any, Value: flags.Bool(&d.Header, false)}),
		layout(flags.Flag{Name: "no-header", Usage: "text files have no line of names", For: any, Value: flags.Bool(&d.NoHeader, false)}),
		layout(flags.Flag{Name: "delimiter", Arg: "character", Usage: "separator of cells of text", Doc: "one character, tab or space", For: any, Value: flags.String(&d.Delimiter, "")}),
		layout(flags.Flag{Name: "comment", Arg: "character", Usage: "character that begins comment lines of CSV", Doc: "such as '#'", For: any, Value: flags.String(&d.Comment, "")}),
		layout(flags.Flag{Name: "skip", Arg: "number", Usage: "lines to skip at the beginning of CSV", For: any, Value: flags.Int(&d.Skip, 0)}),
		layout(flags.Flag{Name: "encoding", Arg: "name", Usage: "encoding of text files, such as latin1", Doc: "UTF-8 if not given", For: any, Value: flags.String(&d.Encoding, "")}),
		layout(flags.Flag{Name: "array", Arg: "name", Usage: "array in .npz files that hold several", For: tables, Value: flags.String(&d.array, "")}),
		layout(flags.Flag{Name: "input-format", Arg: "format", Usage: "format of files whose name tells none", Doc: strings.Join(blockstore.Formats(), ", "), For: tables,
			Value: flags.String(&d.format, ""), Complete: flags.OneOf(blockstore.Formats())}),
	)
	d.addCopies(s)
}

// addCopies adds the flags about temporary copies.
func (d *dataFlags) addCopies(s *flags.Set) {
	copies := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect, f.For = flags.Data, flags.Process, flags.Rows|flags.Matrix
		return f
	}
	s.Add(
		copies(flags.Flag{Name: "spool-dir", Arg: "folder", Usage: "folder of temporary copies", Doc: "that of the system if not given", Value: flags.String(&d.spoolDir, ""), Complete: flags.Folders}),
		copies(flags.Flag{Name: "max-spool-size", Arg: "size", Usage: "most disk space for temporary copies", Doc: "0 for any; half of the free space if not given", Value: &d.maxSpool}),
	)
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
	return blockstore.Options{Layout: d.Layout, Threads: a.threads, Inexact: d.inexact, Memory: int64(a.memory)}
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
		return flags.Usagef("--input-format %q is not known; use one of %s%s", d.format,
			strings.Join(blockstore.Formats(), ", "), flags.DidYouMean(d.format, blockstore.Formats()))
	}
	if long := len([]rune(d.Delimiter)) > 1; long && d.Delimiter != "tab" && d.Delimiter != "space" && d.Delimiter != `\t` {
		return flags.Usagef("--delimiter %q is not one character; tab and space have names", d.Delimiter)
	}
	if d.Header && d.NoHeader {
		return flags.Usagef("--header and --no-header contradict each other; leave one out, or both to have the first line looked at")
	}
	if d.Skip < 0 {
		return flags.Usagef("--skip %d is below 0", d.Skip)
	}
	if d.Comment != "" && (len(d.Comment) != 1 || d.Comment[0] <= ' ' || d.Comment[0] > '~' || d.Comment == `"`) {
		return flags.Usagef("--comment %q is not one ASCII character, such as '#'", d.Comment)
	}
	if info, err := os.Stat(d.spoolDir); d.spoolDir != "" && (err != nil || !info.IsDir()) {
		return flags.Usagef("--spool-dir %s: there is no such folder; make it first", d.spoolDir)
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

func (p *preparationFlags) add(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "scale", Arg: "word", Usage: "scaling of columns of numbers", Group: flags.Data, First: true, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Scale, []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax, prepare.ScaleQuantile})},
		flags.Flag{Name: "nulls", Arg: "word", Usage: "treatment of nulls, NaN and Inf", Group: flags.Data, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Nulls, allNulls, "", "", "", "", "mean, and a column NAME_missing")},
		flags.Flag{Name: "categories", Arg: "word", Usage: "encoding of columns of text", Group: flags.Data, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Categories, []prepare.Encoding{prepare.EncodeNone, prepare.EncodeOneHot, prepare.EncodeOrdinal},
				"", "a 0/1 column for each level", "the number of the level")},
	)
}

// prepare works out how rows are prepared, and does so.
func (p *preparationFlags) prepare(ctx context.Context, e stream.Engine, rows stream.Source) (*prepare.Source, error) {
	return prepare.New(ctx, e, rows, p.Treatment)
}

// widens reports whether only the rows tell how many columns they have when they are prepared.
func (p *preparationFlags) widens() bool {
	return p.Categories != prepare.EncodeNone || p.Nulls == prepare.NullsIndicator
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
	if err := d.checkIndexBase(files); err != nil {
		return nil, err
	}
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

// checkIndexBase refuses --index-base for files of which none is libsvm, unless the command line names others.
func (d *dataFlags) checkIndexBase(files *blockstore.Files) error {
	if d.indexBase == blockstore.IndexBaseAuto || d.modelBase || files.IndexBase() != blockstore.IndexBaseAuto {
		return nil
	}
	namesLibsvm := func(path string) bool {
		path = strings.ToLower(path)
		for _, compression := range []string{".gz", ".zst", ".bz2"} {
			path = strings.TrimSuffix(path, compression)
		}
		return slices.Contains(blockstore.Extensions("libsvm"), filepath.Ext(path))
	}
	if slices.ContainsFunc(d.named, namesLibsvm) {
		return nil
	}
	return flags.Usagef("--index-base is for libsvm files, and %s is none: leave it out", files.Formats()[0].Path)
}
