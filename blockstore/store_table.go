package blockstore

import (
	"os"

	"github.com/nystream/nystream/stream"
)

// storeTable is a store on disk.
type storeTable struct {
	*storeShape
	path string
	// held, when set, is the open file to read from: a spool has no name.
	held *os.File
	// read is how often the rows were read to make the spool.
	read int
	// apart are columns that are chosen only by name: a spooled file's label.
	apart []int
}

// openStore reads header, footer and trailer of the store at path.
func openStore(path string) (table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	shape, err := readShape(f)
	if err != nil {
		return nil, badFile(path, "%w", err)
	}
	return &storeTable{storeShape: shape, path: path}, nil
}

func (t *storeTable) name() string { return t.path }
func (t *storeTable) rows() int64  { return t.rowCount }
func (t *storeTable) once() bool   { return false }
func (t *storeTable) scans() int   { return t.read }

func (t *storeTable) columns() []columnInfo {
	kinds := [...]columnKind{stream.Float64: numberColumn, stream.Int64: integerColumn, stream.String: textColumn}
	list := make([]columnInfo, len(t.fields))
	for i, f := range t.fields {
		list[i] = columnInfo{name: f.Name, kind: kinds[f.Kind], width: 1}
	}
	return list
}

func (t *storeTable) choose(numeric, kept []int) (stream.Source, error) {
	info, err := chosenInfo(t, numeric, kept)
	if err != nil {
		return nil, err
	}
	return &storeSource{table: t, numeric: numeric, kept: kept, info: info}, nil
}

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
