package blockstore

import (
	"os"

	"github.com/nystream/nystream/stream"
)

// storeTable is a store on disk.
type storeTable struct {
	tableInfo
	*storeShape
	// held, when set, is the open file to read from: a spool has no name.
	held *os.File
}

// newStoreTable describes the store in f.
func newStoreTable(path string, f *os.File) (*storeTable, error) {
	shape, err := readShape(f)
	if err != nil {
		return nil, badFile(f.Name(), "%w", err)
	}
	t := &storeTable{tableInfo{path: path, rows: shape.rowCount}, shape, nil}
	kinds := [...]columnKind{stream.Float64: numberColumn, stream.Int64: integerColumn, stream.String: textColumn}
	for _, f := range shape.fields {
		t.columns = append(t.columns, columnInfo{name: f.Name, kind: kinds[f.Kind], width: 1})
	}
	return t, nil
}

// openStore reads header, footer and trailer of the store at path.
func openStore(path string) (table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return newStoreTable(path, f)
}

func (t *storeTable) source(c choice) (stream.Source, error) { return &storeSource{c, t}, nil }

// open opens the file and makes sure that it is the one seen first.
func (t *storeTable) open() (*chunkReader, error) {
	r := &chunkReader{table: t, file: t.held}
	if t.held != nil {
		return r, nil
	}
	f, err := os.Open(t.path)
	if err != nil {
		return nil, err
	}
	var trailer [storeTrailerSize]byte
	if _, err := f.ReadAt(trailer[:], t.body); err != nil || trailer != t.trailer {
		f.Close()
		return nil, badFile(t.path, "the file has changed since it was first opened")
	}
	r.file = f
	return r, nil
}
