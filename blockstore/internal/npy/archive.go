package npy

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// besideMatrix is the reason why vectors beside the matrix are not features by default.
const besideMatrix = "another array of the file"

// array is a member of the archive.
type array struct {
	*zip.File
	name string
	head Header
	err  error // why it cannot be read
}

// OpenArchive reads one matrix of a NumPy archive, a zip file of NPY arrays, and the vectors of the
// same length, such as labels. It opens the array with the given name, or without a name the only
// matrix, else the only vector. Its columns are x0, x1, ... as in an NPY file, followed by the
// vectors, under their names. Compressed arrays are copied to temporary files.
func OpenArchive(ctx context.Context, files *file.Session, path, name string) (column.Table, error) {
	f, stamp, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenArchiveFile(ctx, files, path, name, f, stamp)
}

// OpenArchiveFile is OpenArchive for the open file f. path is its name in messages.
func OpenArchiveFile(ctx context.Context, files *file.Session, path, name string, f file.File, stamp file.Stamp) (column.Table, error) {
	t, err := openArchive(ctx, files, f, stamp, path, name)
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	return t, nil
}

func openArchive(ctx context.Context, files *file.Session, f file.File, stamp file.Stamp, path, name string) (column.Table, error) {
	archive, err := zip.NewReader(file.NewReaderAt(ctx, f), stamp.Size)
	if err != nil {
		if fault.IsReading(err) {
			return nil, err
		}
		return nil, fault.File(path, "it begins like a zip archive (.npz) but its directory cannot be read").WithKind(stream.Damaged).WithRemedy("was it cut short?")
	}
	has := func(name string) bool {
		return slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
	}
	if name == "" && has("format.npy") && has("shape.npy") && has("data.npy") {
		return nil, fault.File(path, "it is a sparse matrix of scipy.sparse.save_npz").
			WithRemedy("save it dense with numpy.save(f, scipy.sparse.load_npz(g).toarray()), or as libsvm")
	}
	if reason := otherArchive(archive); reason != nil {
		return nil, fault.File(path, "%w", reason)
	}
	arrays := arraysOf(archive)
	main, err := chooseArray(arrays, name)
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	tables := make([]column.Table, 0, 1)
	for _, a := range append([]*array{main}, main.vectorsFor(arrays)...) {
		t, err := a.table(ctx, files, stamp, path)
		if err != nil {
			return nil, err
		}
		if a != main {
			t.About().Columns[0].Name, t.About().Columns[0].Nameless = a.name, false
		}
		tables = append(tables, t)
	}
	return combine(tables, main.unreadableColumns(arrays, name == "")), nil
}

// arraysOf returns the arrays of an archive, sorted by name.
func arraysOf(archive *zip.Reader) (list []*array) {
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		a := &array{File: f, name: name}
		a.head, a.err = a.readHeader()
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b *array) int { return cmp.Compare(a.name, b.name) })
	return list
}

// readHeader reads the header of the array.
func (a *array) readHeader() (Header, error) {
	if a.Flags&1 != 0 {
		return Header{}, fault.New("it is encrypted").WithRemedy("unzip it with its password first")
	}
	in, err := a.Open()
	if err != nil {
		return Header{}, err
	}
	defer in.Close()
	return ReadHeader(in)
}

// chooseArray returns the array to open.
func chooseArray(arrays []*array, name string) (*array, error) {
	var named, matrices, vectors []*array
	for _, a := range arrays {
		if a.name == name {
			named = append(named, a)
		}
		if a.err != nil {
			continue
		}
		switch len(a.head.Shape) {
		case 1:
			vectors = append(vectors, a)
		case 2:
			matrices = append(matrices, a)
		}
	}
	switch {
	case len(arrays) == 0:
		return nil, fault.New("it is a zip archive without arrays (.npy)").
			WithRemedy("unzip it and name the file in it")
	case name != "" && len(named) == 0:
		return nil, fault.New("there is no array %q", name).WithRemedy("the arrays are: %s", arrayList(arrays))
	case len(named) > 1:
		return nil, fault.New("%d arrays are called %q", len(named), name).WithRemedy("save them under different names")
	case len(named) == 1:
		return named[0].readable()
	case len(arrays) == 1:
		return arrays[0].readable()
	case len(matrices) == 1:
		return matrices[0].readable()
	case len(matrices) == 0 && len(vectors) == 1:
		return vectors[0].readable()
	}
	return nil, fault.New("it holds %d arrays", len(arrays)).
		WithRemedy("name one with `Options.Array`: %s", arrayList(arrays))
}

// readable returns the array, or the error that makes it unreadable.
func (a *array) readable() (*array, error) {
	err := a.err
	if err == nil {
		err = a.head.CheckNumbers()
	}
	if err != nil {
		return nil, fault.New("array %q: %w", a.name, err)
	}
	return a, nil
}

// arrayList lists arrays with their shapes.
func arrayList(arrays []*array) string {
	const most = 20
	var list []string
	for i, a := range arrays {
		if i == most {
			return strings.Join(list, ", ") + fmt.Sprintf(" and %d more", len(arrays)-most)
		}
		list = append(list, fmt.Sprintf("%s (%s)", fault.Shorten([]byte(a.name)), a.shape()))
	}
	return strings.Join(list, ", ")
}

// shape formats the shape of the array.
func (a *array) shape() string {
	if a.err != nil {
		return "not readable"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(a.head.Shape), " ", " × "), "[]")
}

// vectorsFor returns the vectors with as many rows as the array.
func (a *array) vectorsFor(arrays []*array) (list []*array) {
	if len(a.head.Shape) == 0 {
		return nil
	}
	for _, b := range arrays {
		if b != a && b.err == nil && len(b.head.Shape) == 1 && b.head.Shape[0] == a.head.Shape[0] {
			list = append(list, b)
		}
	}
	return list
}

// unreadableColumns returns the other arrays as unreadable columns, unless the array was given by name.
func (a *array) unreadableColumns(arrays []*array, unnamed bool) (list []column.Info) {
	fit := append(a.vectorsFor(arrays), a)
	for _, b := range arrays {
		if unnamed && !slices.Contains(fit, b) {
			list = append(list, column.Info{Name: b.name, Kind: column.Other, Width: 1, Why: "an array that does not fit the rows: " + cmp.Or(b.shape(), "one number")})
		}
	}
	return list
}

// table returns the rows of the array, from the file if they are not compressed, else from a copy.
// It reads the whole array and verifies its CRC-32, which passes cannot do: they begin anywhere.
func (a *array) table(ctx context.Context, files *file.Session, stamp file.Stamp, path string) (column.Table, error) {
	size := int64(min(a.UncompressedSize64, 1<<62))
	inArray := func(err error) error { return fault.File(path, "array %s: %w", a.name, err) }
	damaged := func(err error) error { return inArray(fault.Damaged(err)) }
	offset, err := a.DataOffset()
	if err == nil && a.Method == zip.Store && (a.CompressedSize64 != a.UncompressedSize64 || offset+size > stamp.Size || offset+size < 0) {
		err = fault.New("the archive ends within it").WithKind(stream.Damaged).WithRemedy("was it cut short?")
	}
	if err == nil && a.Method != zip.Store {
		err = a.head.CheckSize(size)
	}
	if err != nil {
		return nil, damaged(err)
	}
	in, err := a.Open()
	if err != nil {
		return nil, damaged(err)
	}
	defer in.Close()
	if a.Method != zip.Store {
		stamp, err = files.Copy(ctx, path, path, io.LimitReader(in, size+1))
		switch {
		case errors.As(err, new(*file.SpoolError)):
			return nil, err
		case err != nil:
			return nil, inArray(err)
		}
		return Part(path, stamp, a.head, 0, stamp.Size)
	}
	t, err := Part(path, stamp, a.head, offset, size)
	if err != nil {
		return nil, err
	}
	t.About().PassesToOpen = 1
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, in, make([]byte, file.BufferSize))
	if errors.Is(err, zip.ErrChecksum) {
		err = errors.New("its checksum differs: it is damaged")
	}
	if err != nil {
		return nil, damaged(err)
	}
	return t, nil
}

// combine returns one table of a matrix, the vectors beside it, and unreadable columns.
func combine(tables []column.Table, unfit []column.Info) column.Table {
	if len(tables)+len(unfit) == 1 {
		return tables[0]
	}
	t := &archive{TableInfo: *tables[0].About(), parts: tables}
	t.NotByDefaultReason = besideMatrix
	t.Columns = slices.Clone(t.Columns)
	for _, b := range tables[1:] {
		t.NotByDefault = append(t.NotByDefault, len(t.Columns))
		t.Columns = append(t.Columns, b.About().Columns[0])
		t.SeekCost, t.ReaderBytes = max(t.SeekCost, b.About().SeekCost), t.ReaderBytes+b.About().ReaderBytes
	}
	for _, b := range unfit {
		t.NotByDefault = append(t.NotByDefault, len(t.Columns))
		t.Columns = append(t.Columns, b)
	}
	return t
}

// archive is a matrix and the vectors beside it.
type archive struct {
	column.TableInfo
	parts []column.Table
}

func (t *archive) Source(c column.Choice) (stream.Gatherer, error) {
	matrix := len(t.parts[0].About().Columns)
	if !slices.ContainsFunc(c.All(true), func(i int) bool { return i >= matrix }) {
		return t.parts[0].Source(c)
	}
	s := &sideBySide{Choice: c}
	for k, part := range t.parts {
		first, end := 0, matrix
		if k > 0 {
			first = matrix + k - 1
			end = first + 1
		}
		if err := s.add(part, first, end); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds the chosen columns of an array, whose scalar columns are first..end-1 of the table.
func (s *sideBySide) add(array column.Table, first, end int) error {
	p, c, names := piece{}, column.Choice{Inexact: s.Inexact}, s.Info()
	names.Kept = nil
	for k, i := range s.Numeric {
		if i >= first && i < end {
			c.Numeric, c.Slot = append(c.Numeric, i-first), append(c.Slot, s.Slot[k])
		}
	}
	for k, kept := range s.Kept {
		if kept.Column >= first && kept.Column < end {
			kept.Column -= first
			c.Kept, p.kept, names.Kept = append(c.Kept, kept), append(p.kept, k), append(names.Kept, s.Info().Kept[k])
		}
	}
	if len(c.Numeric)+len(c.Kept) == 0 {
		return nil
	}
	var err error
	p.src, err = column.NewRows(array, c, names)
	s.pieces = append(s.pieces, p)
	return err
}

// otherArchive describes an archive without numeric arrays, nil if its kind is unknown.
func otherArchive(archive *zip.Reader) *stream.DataError {
	for _, f := range archive.File {
		switch base := path.Base(f.Name); {
		case strings.HasPrefix(f.Name, "xl/"):
			return fault.New("it is an Excel workbook").WithRemedy("save the sheet as CSV, or with pandas: pandas.read_excel(f).to_parquet(g)")
		case strings.HasPrefix(f.Name, "Index/") && strings.HasSuffix(f.Name, ".iwa"):
			return fault.New("it is a Numbers document").WithRemedy("export the sheet as CSV")
		case f.Name == "mimetype" || f.Name == "content.xml":
			return fault.New("it is an OpenDocument file").WithRemedy("save the sheet as CSV")
		case base == "data.pkl":
			return fault.New("it is a file of PyTorch").WithRemedy("save the tensor with numpy.save(f, t.numpy())")
		case base == "descriptor.pbtxt" || base == "saved_model.pb" || base == "config.json" && strings.HasSuffix(archive.File[0].Name, ".json"):
			return fault.New("it is a model of another program, not a matrix")
		case base == "meta.json" && strings.HasPrefix(archive.Comment, "nystream archive"):
			return fault.New("it is a model of nystream, not data").WithRemedy("transform, predict and verify take it before the data")
		}
	}
	return nil
}
