package rows

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Messages for a missing file name, and for standard input on both sides.
const (
	NoData           = "no data: name files, quoted globs, folders, or - for the standard input"
	OneStandardInput = "the standard input can serve only one side: name files for DATA or for --right"
)

// DataFlags has the flags for reading data files, common to all verbs that read.
type DataFlags struct {
	blockstore.Layout // of all text files, including those beside the rows

	Columns    []string
	Label      string
	Keep       []string
	array      string
	Format     string
	inexact    blockstore.Inexact
	indexBase  blockstore.IndexBase // first index in libsvm files
	modelBase  bool                 // indexBase comes from a model
	spoolDir   string
	MaxSpool   flags.Size
	Features   int      // minimum for libsvm files: the columns of the model
	Text       bool     // text columns are selected like numbers
	Words      []string // text columns of the model
	Dates      blockstore.Dates
	NoNumbers  bool // rows may have kept columns only
	Carry      blockstore.Carry
	Types      []string // types of text columns, as name=type
	FindTypes  bool
	Live       bool     // a pipe is read once, as data arrive
	AllColumns bool     // see blockstore.Options
	NamedFiles []string // all files of the command line, if these are not only the rows

	OnOpen func(d *DataFlags, files *blockstore.Files) error // called before columns are selected; may be nil

	OpenFiles *blockstore.Files // files already open: opening text requires reading all of it
}

func (d *DataFlags) Add(s *flags.Set) {
	complete := flags.Completion{Func: d.CompleteColumns}
	s.Add(
		flags.Flag{Name: "label", Field: "Response", Arg: "column", Usage: "column to carry along, not to compute with", Doc: "by name or number from 0",
			Group: flags.Data, First: true, For: flags.Rows | flags.Matrix, Value: flags.String(&d.Label, ""), Complete: complete},
		flags.Flag{Name: "keep", Arg: "columns", Usage: "more columns to carry along",
			Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix, Value: flags.Strings(&d.Keep), Complete: complete},
	)
	d.AddComputed(s)
}

// AddComputed adds the flags about features, and about files.
func (d *DataFlags) AddComputed(s *flags.Set) {
	s.Add(flags.Flag{Name: "columns", Arg: "names", Usage: "columns to compute with", Doc: "names, globs, numbers, ranges 0:20, and !names to leave out",
		Group: flags.Data, Effect: flags.Locates, Value: flags.Strings(&d.Columns), Complete: flags.Completion{Func: d.CompleteColumns}})
	d.AddLayout(s)
	s.Add(flags.Flag{Name: "inexact", Arg: "word", Usage: "integers beyond 2^53 that float64 cannot hold", Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix,
		Value: flags.Choice(&d.inexact, []blockstore.Inexact{blockstore.InexactRefuse, blockstore.InexactRound}, "naming row and column", "to the nearest")})
	s.Add(flags.Flag{Name: "index-base", Arg: "word", Usage: "first index of libsvm files", Group: flags.Data, Effect: flags.Locates, For: flags.Rows | flags.Matrix,
		Value: flags.Choice(&d.indexBase, []blockstore.IndexBase{blockstore.IndexBaseAuto, blockstore.IndexBaseZero, blockstore.IndexBaseOne}, "0 if it occurs in them")})
}

// AddLayout adds the flags for the layout of files, independent of the use of their columns.
func (d *DataFlags) AddLayout(s *flags.Set) {
	any, tables := flags.Rows|flags.Matrix|flags.Graph, flags.Rows|flags.Matrix
	layout := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect = flags.Data, flags.Locates
		return f
	}
	s.Add(
		layout(flags.Flag{Name: "header", Usage: "text files begin with column names, even numeric ones", For: any, Value: flags.Bool(&d.Header, false)}),
		layout(flags.Flag{Name: "no-header", Usage: "text files have no line of column names", For: any, Value: flags.Bool(&d.NoHeader, false)}),
		layout(flags.Flag{Name: "delimiter", Arg: "character", Usage: "delimiter of text files", Doc: "one character, tab or space", For: any, Value: flags.String(&d.Delimiter, "")}),
		layout(flags.Flag{Name: "comment", Arg: "character", Usage: "character that begins comment lines of CSV", Doc: "such as '#'", For: any, Value: flags.String(&d.Comment, "")}),
		layout(flags.Flag{Name: "skip", Arg: "number", Usage: "lines to skip at the beginning of CSV", For: any, Value: flags.Int(&d.Skip, 0)}),
		layout(flags.Flag{Name: "encoding", Arg: "name", Usage: "encoding of text files, such as latin1", Doc: "UTF-8 if not given", For: any, Value: flags.String(&d.Encoding, "")}),
		layout(flags.Flag{Name: "array", Arg: "name", Usage: "array in .npz files that hold several", For: tables, Value: flags.String(&d.array, "")}),
		layout(flags.Flag{Name: "input-format", Arg: "format", Usage: "input format, if content and name do not show it", Doc: strings.Join(blockstore.Formats(), ", "), For: tables,
			Value: flags.String(&d.Format, ""), Complete: flags.OneOf(blockstore.Formats())}),
	)
	d.AddCopies(s)
}

// AddCopies adds the flags about temporary copies.
func (d *DataFlags) AddCopies(s *flags.Set) {
	copies := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect, f.For = flags.Data, flags.Process, flags.Rows|flags.Matrix
		return f
	}
	s.Add(
		copies(flags.Flag{Name: "spool-dir", Field: "Spool", Arg: "folder", Usage: "folder of temporary copies", Doc: "that of the system if not given", Value: flags.String(&d.spoolDir, ""), Complete: flags.Folders}),
		copies(flags.Flag{Name: "max-spool-size", Field: "Quota", Arg: "size", Usage: "most disk space for temporary copies", Doc: "0 for no limit; half of the free space if not given", Value: &d.MaxSpool}),
	)
}

// Options returns the options for the rows.
func (d *DataFlags) Options(a *app.App) blockstore.Options {
	o := d.baseOptions(a)
	o.Format, o.Array, o.Features, o.IndexBase = d.Format, d.array, d.Features, d.indexBase
	o.Columns, o.Label, o.Keep = d.Columns, d.Label, Trimmed(d.Keep)
	o.Categories, o.Words, o.Dates = d.Text, d.Words, d.Dates
	o.Reader, o.NoNumbers, o.Carry, o.Live = a.In, d.NoNumbers, d.Carry, d.Live
	o.AllColumns = d.AllColumns
	o.Types, o.FindTypes = joinTypes(d.Types), d.FindTypes
	return o
}

// baseOptions returns the options for files beside the rows.
func (d *DataFlags) baseOptions(a *app.App) blockstore.Options {
	return blockstore.Options{Layout: d.Layout, Threads: a.Threads, Inexact: d.inexact, Memory: int64(a.Memory)}
}

// joinTypes rejoins items that were split at commas within parentheses: decimal(18,4).
func joinTypes(items []string) (whole []string) {
	for _, item := range items {
		if n := len(whole); n > 0 && strings.Count(whole[n-1], "(") > strings.Count(whole[n-1], ")") {
			whole[n-1] += "," + item
			continue
		}
		whole = append(whole, strings.TrimSpace(item))
	}
	return whole
}

// OptionsOf returns the options for rows in files with the given paths.
func (d *DataFlags) OptionsOf(a *app.App, paths []string) blockstore.Options {
	o := d.Options(a)
	o.TextElsewhere = d.textElsewhere(paths)
	return o
}

// textElsewhere reports whether the command line names text files other than those with the given paths.
func (d *DataFlags) textElsewhere(paths []string) bool {
	return slices.ContainsFunc(d.NamedFiles, func(path string) bool {
		return blockstore.NamesText(path) && !slices.Contains(paths, path)
	})
}

// Trimmed returns a list without the spaces that people write after commas.
func Trimmed(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.TrimSpace(name)
	}
	return out
}

// Check fails for flags that are wrong for any file.
func (d *DataFlags) Check() error {
	if d.Format != "" && !slices.Contains(blockstore.Formats(), d.Format) {
		return flags.Usagef("--input-format %q is not known; use one of %s%s", d.Format,
			strings.Join(blockstore.Formats(), ", "), flags.DidYouMean(d.Format, blockstore.Formats()))
	}
	if long := len([]rune(d.Delimiter)) > 1; long && d.Delimiter != "tab" && d.Delimiter != "space" && d.Delimiter != `\t` {
		return flags.Usagef("--delimiter %q is not one character; tab and space have names", d.Delimiter)
	}
	if d.Header && d.NoHeader {
		return flags.Usagef("--header and --no-header contradict each other; give one, or neither to detect the header")
	}
	if d.Skip < 0 {
		return flags.Usagef("--skip %d: must be 0 or more", d.Skip)
	}
	if d.Comment != "" && (len(d.Comment) != 1 || d.Comment[0] <= ' ' || d.Comment[0] > '~' || d.Comment == `"`) {
		return flags.Usagef("--comment %q is not one ASCII character, such as '#'", d.Comment)
	}
	if info, err := os.Stat(d.spoolDir); d.spoolDir != "" && (err != nil || !info.IsDir()) {
		return flags.Usagef("--spool-dir %s: there is no such folder; make it first", d.spoolDir)
	}
	return nil
}

// Keeps reports whether any column is kept.
func (d *DataFlags) Keeps() bool { return d.Label != "" || len(d.Keep) > 0 }

// PreparationFlags has the flags for the preparation of rows.
type PreparationFlags struct {
	prepare.Treatment
	Dates blockstore.Dates // of the rows, see DataFlags.Dates
}

// nullTreatments are the ways to treat nulls.
var nullTreatments = []prepare.Nulls{prepare.NullsRefuse, prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean,
	prepare.NullsIndicator}

func (p *PreparationFlags) Add(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "scale", Arg: "word", Usage: "scaling of numeric columns", Group: flags.Data, First: true, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Scale, []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax, prepare.ScaleQuantile})},
		flags.Flag{Name: "nulls", Arg: "word", Usage: "treatment of nulls, NaN and Inf", Group: flags.Data, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Nulls, nullTreatments, "", "", "", "", "mean, and a column NAME_missing")},
		flags.Flag{Name: "categories", Arg: "word", Usage: "encoding of text columns", Group: flags.Data, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Categories, []prepare.Encoding{prepare.EncodeNone, prepare.EncodeOneHot, prepare.EncodeOrdinal},
				"", "a 0/1 column for each level", "the number of the level")},
		flags.Flag{Name: "dates", Arg: "word", Usage: "dates and times as columns of numbers", Group: flags.Data, For: flags.Rows | flags.Matrix,
			Value: flags.Choice(&p.Dates, []blockstore.Dates{blockstore.DatesNone, blockstore.DatesNumber, blockstore.DatesCalendar},
				"unless --columns names them", "days since 1970 in UTC; seconds of times and durations", "year, day of year, weekday and hour")},
	)
}

// Prepare computes the preparation of rows and applies it.
func (p *PreparationFlags) Prepare(ctx context.Context, e stream.Engine, rows stream.Source) (*prepare.Source, error) {
	return prepare.New(ctx, e, rows, p.Treatment)
}

// Widens reports whether the number of prepared columns is known only after reading the rows.
func (p *PreparationFlags) Widens() bool {
	return p.Categories != prepare.EncodeNone || p.Nulls == prepare.NullsIndicator
}

// Open opens files.
func (d *DataFlags) Open(ctx context.Context, a *app.App, paths []string) (*Input, error) {
	if d.OpenFiles != nil {
		return d.Choose(a, d.OpenFiles)
	}
	files, err := a.Session.OpenFiles(ctx, paths, d.OptionsOf(a, paths))
	if err != nil {
		return nil, app.FromData(err)
	}
	return d.Choose(a, files)
}

// Choose selects columns of open files.
func (d *DataFlags) Choose(a *app.App, files *blockstore.Files) (*Input, error) {
	if err := d.CheckIndexBase(files); err != nil {
		return nil, err
	}
	src, err := files.Source(d.Options(a))
	if err != nil {
		return nil, app.FromData(err)
	}
	in := &Input{Source: passcount.New(src), Files: src, LeftOut: src.LeftOut(), position: positionsOf(src), base: files.IndexBase()}
	for _, name := range files.Copied() {
		a.Note("%s was copied to disk first: %s", name, d.copyReason(files))
	}
	for _, f := range FormatsOf(files) {
		in.formats = append(in.formats, f.Format)
	}
	in.noteEnd = func() {
		if src.Unmarked() {
			a.Note("%s ends without the end mark of an Arrow stream: it may have been cut after a batch", in.Info().Name)
		}
	}
	return in, nil
}

// copyReason returns the reason for copying a pipe.
func (d *DataFlags) copyReason(files *blockstore.Files) string {
	format, _, _ := strings.Cut(files.Formats()[0].Format, ",")
	all := d.Live && d.AllColumns && len(d.Types) == 0
	if all && (format == "libsvm" || files.IndexBase() != blockstore.IndexBaseAuto) {
		return "all lines tell how many features it has; with --types, which names the last, as in x99=float64, rows are written as they come"
	}
	if all && slices.Contains([]string{"text", "csv", "tsv", "jsonl", "libsvm"}, format) {
		return "all lines tell what its columns hold; with --types rows are written as they come"
	}
	return "it is not read once from front to back"
}

// CheckIndexBase refuses --index-base without libsvm files, unless the command line names others.
func (d *DataFlags) CheckIndexBase(files *blockstore.Files) error {
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
	if slices.ContainsFunc(d.NamedFiles, namesLibsvm) {
		return nil
	}
	return flags.Usagef("--index-base is for libsvm files, and %s is none: leave it out", files.Formats()[0].Path)
}
