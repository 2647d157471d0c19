package file

import (
	"os"
	"sync/atomic"
)

// Reads counts what is read of one file or object, and of the copies that stand for it. Several goroutines
// may use it. All methods of a nil *Reads do nothing.
type Reads struct {
	bytes    atomic.Int64 // of local files and of copies
	byNumber atomic.Int64 // of these, for rows that are fetched by number
	fetched  atomic.Int64 // rows that were fetched by number
	size     atomic.Int64 // of the file or object
	copied   atomic.Int64 // size of the copies
	object   atomic.Pointer[Object]
	live     atomic.Pointer[Live]
}

// Counts are what Reads has counted.
type Counts struct {
	Bytes    int64 // read of a file, fetched of an object, and read of copies
	ByNumber int64 // of Bytes, for rows that are fetched by number; of an object 0: its readers share what they fetch
	Rows     int64 // fetched by number
	Size     int64 // of the copies if there are some, else of the file or object; of a live pipe what came
	Requests int64 // to the store of an object
	Copied   bool  // Size is that of copies
}

// Counts returns what was counted so far.
func (r *Reads) Counts() (c Counts) {
	if r == nil {
		return c
	}
	c = Counts{Bytes: r.bytes.Load(), ByNumber: r.byNumber.Load(), Rows: r.fetched.Load(), Size: r.size.Load()}
	if copied := r.copied.Load(); copied > 0 {
		c.Size, c.Copied = copied, true
	}
	if o := r.object.Load(); o != nil {
		c.Bytes, c.Requests = c.Bytes+o.fetched.Load(), o.requests.Load()
	}
	if l := r.live.Load(); l != nil {
		c.Bytes = l.total.Load()
		c.Size = c.Bytes
	}
	return c
}

// Live counts what comes of a pipe that is read as it comes.
func (r *Reads) Live(l *Live) {
	if r != nil {
		r.live.Store(l)
	}
}

// Fetched counts rows that are fetched by number.
func (r *Reads) Fetched(rows int) {
	if r != nil {
		r.fetched.Add(int64(rows))
	}
}

// opened notes what is read: a file of so many bytes, or an object.
func (r *Reads) opened(size int64, o *Object) {
	if r == nil {
		return
	}
	r.size.Store(size)
	r.object.Store(o)
}

// copies counts the bytes of a copy.
func (r *Reads) copies(size int64) {
	if r != nil {
		r.copied.Add(size)
	}
}

// add counts bytes that were read.
func (r *Reads) add(n int, byNumber bool) {
	if r == nil {
		return
	}
	r.bytes.Add(int64(n))
	if byNumber {
		r.byNumber.Add(int64(n))
	}
}

// counted is an open file whose reads are counted.
type counted struct {
	File
	reads    *Reads
	byNumber bool // rows are fetched by number
}

// ReadAt implements io.ReaderAt.
func (c counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.File.ReadAt(p, offset)
	c.reads.add(n, c.byNumber)
	return n, err
}

// Mappable returns the local file that f reads, for callers that map it. It returns nil for objects and copies.
func Mappable(f File) *os.File {
	if c, ok := f.(counted); ok {
		f = c.File
	}
	local, _ := f.(*os.File)
	return local
}

// CountMapped counts n bytes of f that a caller uses through a mapping.
func CountMapped(f File, n int64) {
	if c, ok := f.(counted); ok {
		c.reads.add(int(n), c.byNumber)
	}
}
