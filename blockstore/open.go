package blockstore

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Formats returns the possible values of Options.Format.
func Formats() []string { return formats.All() }

// Extensions returns the extensions of files read in a format, the usual one first, and nil for a
// format that cannot be read. Text may have .gz, .zst or .bz2 appended.
func Extensions(format string) []string { return slices.Clone(formats.Of(format).Read) }

// Open returns one source of files, globs, folders and pipes. Files are read one after another: in
// the order of paths, and within a glob or a folder in byte order of their names. The columns are
// those of the first file; in the others they are matched by name, or by position if one of two
// files of the same format has no names. Globs may contain ** for any depth of folders; globs and
// folders skip names beginning with . or _. The path -, named pipes and compressed text (.csv.gz,
// .libsvm.bz2) are first copied to a temporary file, unless [Options].Live is set.
//
// Opening reads footers and headers, and text files completely.
//
// Info().ReaderBytes of the source includes the memory of a reader: pages of Parquet files, chunks
// of stores, compressed batches of Arrow files.
func Open(ctx context.Context, paths []string, o Options) (*Source, error) {
	return openSource(ctx, singleCall(), paths, o)
}

// openSource opens files and selects columns of them.
func openSource(ctx context.Context, files *file.Session, paths []string, o Options) (*Source, error) {
	opened, err := openFiles(ctx, files, paths, o)
	if err != nil {
		return nil, err
	}
	return opened.Source(o)
}

// Files are open files and pipes before columns are selected.
type Files struct{ set *fileSet }

// NamesText reports whether a file name has an extension of text, compressed or not.
func NamesText(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	switch extension {
	case ".gz", ".zst", ".bz2":
		extension = filepath.Ext(strings.TrimSuffix(strings.ToLower(path), extension))
	}
	return formats.IsText(formats.ByExtension(extension))
}

// OpenFiles opens files like Open, for callers that inspect columns before choosing.
func OpenFiles(ctx context.Context, paths []string, o Options) (*Files, error) {
	return openFiles(ctx, singleCall(), paths, o)
}

// Source returns the rows of the columns that o selects.
func (f *Files) Source(o Options) (*Source, error) { return f.set.choose(o) }

// Nameless returns the number of leading columns of the first file without names, as in NPY, libsvm
// and text without a header. Columns that a file itself calls x0, x1, ... are named.
func (f *Files) Nameless() int { return f.set.members[0].nameless() }

// IndexBase returns the first index of the libsvm files. It is IndexBaseAuto if there are no
// indices or no such files.
func (f *Files) IndexBase() IndexBase { return f.set.base }

// Copied returns the pipes that were copied to disk.
func (f *Files) Copied() (names []string) {
	for _, m := range f.set.members {
		if m.table.About().Copied {
			names = append(names, m.Path)
		}
	}
	return names
}

// FileFormat describes the format of a file.
type FileFormat struct {
	Path   string
	Format string // one of Formats, with the compression of text after a comma; "text" for a pipe of undeclared format
	// Delimiter separates the cells of text: a character, tab, space or none; "" for other formats,
	// and if unknown.
	Delimiter string
}

// Formats returns the format of each file.
func (f *Files) Formats() (list []FileFormat) {
	for _, m := range f.set.members {
		about := m.table.About()
		one := FileFormat{Path: about.Path, Format: about.Format}
		switch about.Cells {
		case 0:
		case '\t':
			one.Delimiter = "tab"
		case text.WhiteSpace:
			one.Delimiter = "space"
		case text.WholeLine:
			one.Delimiter = "none"
		default:
			one.Delimiter = string(about.Cells)
		}
		list = append(list, one)
	}
	return list
}

// Columns returns the columns of the first file, including keys of k=v folders, and the total
// number of rows.
func (f *Files) Columns() (columns []ColumnInfo, rows int64) {
	first, place := f.set.members[0], 0
	folders := len(first.Columns) - len(first.folders)
	columns = make([]ColumnInfo, 0, len(first.Columns))
	for i, c := range first.Columns {
		info := ColumnInfo{Name: c.Name, Kind: c.Kind.String(), Width: c.Width, Meaning: c.Meaning.String(), Reason: c.Why, Folder: i >= folders}
		info.Type, info.Verbatim = c.Type, c.ZeroPadded
		if m := first.moments[i]; m.isText(c.Meaning) {
			info.Meaning, info.Type = m.holds.Class.String(), m.holds
		} else if c.Found != nil && c.Found.Class == logical.UUID && info.Type.Class == logical.None {
			info.Type = *c.Found
		}
		for range c.Width {
			info.AbsentFrom = cmp.Or(info.AbsentFrom, first.absent[place])
			place++
		}
		columns = append(columns, info)
	}
	for _, m := range f.set.members {
		rows += m.table.About().Rows
	}
	return columns, rows
}

// ColumnInfo describes a column of a data file.
type ColumnInfo struct {
	Name string
	// Kind is number, integer, text, vector or other.
	Kind string
	// Width is the number of numbers per row.
	Width int
	// Meaning is boolean, date, timestamp, time or duration if the file declares that of integers,
	// or if all texts have that type, else "".
	Meaning string
	// Verbatim reports that integers such as 007 are kept as text.
	Verbatim bool
	// Type is the logical type of the values if the file declares more than Kind, or if all texts
	// have a type.
	Type logical.Type
	// Reason describes the values of a column of kind other, why they cannot be read, or what is
	// lost of its numbers, if known.
	Reason string
	// AbsentFrom names a file that lacks the column, "" if none does. Such a column is selected only by
	// name, which is then an error.
	AbsentFrom string
	// Folder reports that the column is a key of k=v folders, and a feature only if named.
	Folder bool
}

// IsTemporal reports whether the column holds dates, timestamps, times or durations, and so is a
// feature only if named.
func (c ColumnInfo) IsTemporal() bool { return c.Meaning != "" && c.Meaning != column.Boolean.String() }

// Columns returns the columns of the first file, including keys of k=v folders, and the total
// number of rows. It costs the same as Open, and leaves no copies on disk.
func Columns(ctx context.Context, paths []string, o Options) (columns []ColumnInfo, rows int64, err error) {
	return columnsOf(ctx, singleCall(), paths, o)
}

// columnsOf opens files with copies of its own, which it removes.
func columnsOf(ctx context.Context, files *file.Session, paths []string, o Options) (columns []ColumnInfo, rows int64, err error) {
	own := *files
	own.Copies = new(file.Copies)
	defer own.Copies.Discard()
	opened, err := openFiles(ctx, &own, paths, o)
	if err != nil {
		return nil, 0, err
	}
	columns, rows = opened.Columns()
	return columns, rows, nil
}

// openFiles opens all files that paths expand to.
func openFiles(ctx context.Context, files *file.Session, paths []string, o Options) (*Files, error) {
	r := fileOptions{files: files, format: o.Format, array: o.Array, features: max(o.Features, featuresNamed(o.Types)), base: o.IndexBase, scan: new(sync.Mutex)}
	var err error
	if r.format != "" && !slices.Contains(Formats(), r.format) {
		return nil, fault.New("format %q is not known", r.format).
			WithRemedy("use one of %s", strings.Join(Formats(), ", "))
	}
	if r.csv, r.encoding, err = text.ParseLayout(o.Layout); err != nil {
		return nil, err
	}
	r.csv.Threads, r.csv.Memory, r.strict = o.Threads, o.Memory, !o.TextElsewhere
	list, err := files.Expand(ctx, paths)
	if err != nil {
		return nil, err
	}
	r.live, r.words, r.learn = o.Live && len(list) == 1, o.Words, o.AllColumns && len(o.Types) == 0
	tables := make([]column.Table, len(list))
	err = stream.Each(ctx, file.Parallel(list), len(list), func(i int) error {
		return fault.Guard(list[i], func() (err error) {
			one := r
			one.files = files.Counting(new(file.Reads))
			if tables[i], err = openPath(ctx, list[i], o.Reader, one); err == nil {
				tables[i].About().Reads = one.files.Reads
				err = column.CheckMemory(len(tables[i].About().Columns), o.Memory)
			}
			return err
		})
	})
	if stopped := context.Cause(ctx); stopped != nil {
		return nil, stopped // cancellation has priority over other errors
	}
	if err != nil {
		return nil, err
	}
	set, err := newFileSet(list, tables, o.IndexBase)
	if err != nil {
		return nil, err
	}
	return &Files{set}, nil
}

// openPath opens one file or pipe.
func openPath(ctx context.Context, path string, stdin io.Reader, r fileOptions) (column.Table, error) {
	if path == file.Stdin {
		if stdin == nil {
			return nil, fault.New("there is no standard input to read").WithRemedy("name a file")
		}
		return openAnyPipe(ctx, "standard input", struct{ io.Reader }{stdin}, r) // the caller closes it
	}
	if file.IsRemote(path) {
		return openVersion(ctx, path, r)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		return openVersion(ctx, path, r)
	}
	f, err := file.OpenPipe(ctx, path)
	if err != nil {
		return nil, err
	}
	return openAnyPipe(ctx, path, f, r)
}

// openAnyPipe opens a pipe, reading it as it arrives if r requests that and the format permits it,
// and copying it otherwise.
func openAnyPipe(ctx context.Context, name string, in io.Reader, r fileOptions) (t column.Table, err error) {
	if r.live {
		t, err = openLive(ctx, name, in, r)
	} else {
		t, err = openPipe(ctx, name, in, r)
	}
	if err == nil {
		t.About().Copied = !t.About().Live
	}
	return t, err
}

// openVersion opens a file. Its store provides the version of an object.
func openVersion(ctx context.Context, path string, r fileOptions) (column.Table, error) {
	t, err := openRegular(ctx, path, r)
	if err != nil || !file.IsRemote(path) {
		return t, err
	}
	if o, err := r.files.OpenObject(ctx, path); err == nil && o.Version() != "" {
		t.About().Versions = map[string]string{t.About().Path: o.Version()}
	}
	return t, nil
}

// openRegular opens a file of the given or detected format.
func openRegular(ctx context.Context, path string, r fileOptions) (column.Table, error) {
	found := r.format
	if r.format == "" || formats.IsText(r.format) {
		var err error
		if found, err = formats.Sniff(ctx, r.files, path); err != nil && r.format == "" && r.encoding.IsUTF8() {
			return nil, err
		}
	}
	if !r.encoding.IsUTF8() && !hasEncoding(found) {
		if r.strict {
			return nil, fault.File(path, "`Layout.Encoding` is for text, and this is a file of the format %s", found).
				WithRemedy("leave it out")
		}
		r.encoding = charset.Encoding{}
	}
	if !slices.Contains([]string{formats.Parquet, formats.Arrow, formats.NPY, formats.Store}, cmp.Or(r.format, found)) {
		r.scan.Lock() // one scan or copy at a time
		defer r.scan.Unlock()
	}
	if formats.IsCompressed(found) {
		t, err := openCompressed(ctx, path, found, r)
		return ofFormat(t, err, cmp.Or(r.format, "text")+", "+found)
	}
	if found == formats.UTF16 || !r.encoding.IsUTF8() {
		t, err := openCopied(ctx, path, r, func(in io.Reader) (io.ReadCloser, error) { return io.NopCloser(in), nil })
		return ofFormat(t, err, cmp.Or(r.format, "text")+", "+cmp.Or(found, r.encoding.String()))
	}
	if r.format == "" {
		r.format = found
	}
	t, err := openFormat(ctx, path, r)
	return ofFormat(t, err, r.format)
}

// hasEncoding reports whether a file of the detected format, "" if unknown, may be text in any
// encoding.
func hasEncoding(found string) bool {
	return found == "" || found == formats.UTF16 || formats.IsText(found) || formats.IsCompressed(found)
}

// openFormat opens a file of a format other than compressed text.
func openFormat(ctx context.Context, path string, r fileOptions) (column.Table, error) {
	if r.array != "" && r.format != formats.NPZ {
		return nil, errNoArray(path, r.format)
	}
	switch r.format {
	case formats.Parquet:
		return parquet.Open(ctx, r.files, path)
	case formats.Arrow, formats.ArrowStream:
		return arrow.Open(ctx, r.files, path)
	case formats.NPY:
		return npy.Open(ctx, r.files, path)
	case formats.NPZ:
		return npy.OpenArchive(ctx, r.files, path, r.array)
	case formats.Store:
		return store.Open(ctx, r.files, path)
	}
	f, stamp, err := r.files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return openText(ctx, text.Input{Path: path, File: f, Stamp: stamp}, r)
}

// errNoArray reports that an array was requested from a format without named arrays.
func errNoArray(path, format string) error {
	return fault.File(path, "`Options.Array` names an array of an .npz file, and this is a file of the format %s", format).WithRemedy("leave it out")
}

// Open is [Open] within the session.
func (s *Session) Open(ctx context.Context, paths []string, o Options) (*Source, error) {
	return openSource(ctx, s.Internal(), paths, o)
}

// OpenFiles is [OpenFiles] within the session.
func (s *Session) OpenFiles(ctx context.Context, paths []string, o Options) (*Files, error) {
	return openFiles(ctx, s.Internal(), paths, o)
}

// Columns is [Columns] within the session.
func (s *Session) Columns(ctx context.Context, paths []string, o Options) (columns []ColumnInfo, rows int64, err error) {
	return columnsOf(ctx, s.Internal(), paths, o)
}
