package file

import (
	"os"
	"sync/atomic"
)

// Reads counts the bytes read of one file or object, and of its copies. It is safe for concurrent
// use. Methods of a nil *Reads are no-ops.
type Reads struct {
	bytes    atomic.Int64 // of local files and of copies
	byNumber atomic.Int64 // part of bytes: read by Gather
	fetched  atomic.Int64 // rows read by Gather
	size     atomic.Int64 // of the file or object
	copied   atomic.Int64 // total size of the copies
	object   atomic.Pointer[Object]
	live     atomic.Pointer[Live]
}

// Counts holds the values of the counters.
type Counts struct {
	Bytes    int64 // read of a file and its copies, or fetched of an object
	ByNumber int64 // part of Bytes read by Gather; 0 for an object, whose readers share chunks
	Rows     int64 // read by Gather
	Size     int64 // of the copies if there are any, else of the file or object; of a live pipe the bytes so far
	Requests int64 // to the store of an object
	Copied   bool  // Size is that of the copies
}

// Counts returns the current counts.
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

// Fetched counts rows read by Gather.
func (r *Reads) Fetched(rows int) {
	if r != nil {
		r.fetched.Add(int64(rows))
	}
}

// opened records the opening of a file of the given size, or of an object.
func (r *Reads) opened(size int64, o *Object) {
	if r == nil {
		return
	}
	r.size.Store(size)
	r.object.Store(o)
}

// copies counts the size of a copy.
func (r *Reads) copies(size int64) {
	if r != nil {
		r.copied.Add(size)
	}
}

// add counts bytes read.
func (r *Reads) add(n int, byNumber bool) {
	if r == nil {
		return
	}
	r.bytes.Add(int64(n))
	if byNumber {
		r.byNumber.Add(int64(n))
	}
}

// countedFile is an open file that counts its reads.
type countedFile struct {
	File
	reads    *Reads
	byNumber bool // opened by Gather
}

// ReadAt implements io.ReaderAt.
func (c countedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.File.ReadAt(p, offset)
	c.reads.add(n, c.byNumber)
	return n, err
}

// Mappable returns the local file underlying f, for memory mapping, or nil for objects and copies.
func Mappable(f File) *os.File {
	if c, ok := f.(countedFile); ok {
		f = c.File
	}
	local, _ := f.(*os.File)
	return local
}

// CountMapped counts n bytes of f that a caller reads through a mapping.
func CountMapped(f File, n int64) {
	if c, ok := f.(countedFile); ok {
		c.reads.add(int(n), c.byNumber)
	}
}
