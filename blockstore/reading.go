package blockstore

// ReadStats counts what a [Source] has read from its files: when opened, by its readers, and by
// Gather. Columns that are not selected count if their bytes are read, which depends on the format.
// Bytes read by two readers count twice. Read-ahead and caching of the operating system do not
// matter.
type ReadStats struct {
	// Bytes counts bytes read of files, fetched of objects, and read of copies.
	Bytes int64
	// Size is the total size of all files. For a copy, of a pipe or of compressed text, it is the
	// size of the copy. For a live pipe, Size and Bytes count what has arrived so far. For
	// [FromRecords] both are 0.
	Size int64
	// ByNumber is the part of Bytes that [Source.Gather] has read. It excludes objects, whose
	// readers share chunks.
	ByNumber int64
	// Rows is the number of rows gathered.
	Rows int64
	// Requests is the number of requests to object stores, without listings.
	Requests int64
	// Files is the number of files, Copies the number of them that are read from copies.
	Files, Copies int
}

// Times returns how many times the files were read: Bytes over Size, 0 if they are empty.
func (r ReadStats) Times() float64 {
	if r.Size == 0 {
		return 0
	}
	return float64(r.Bytes) / float64(r.Size)
}

// ReadStats returns the current counts. An object opened twice in one session counts in both sources.
func (s *Source) ReadStats() (r ReadStats) {
	for _, t := range s.tables {
		c := t.Reads.Counts()
		r.Bytes, r.Size, r.ByNumber = r.Bytes+c.Bytes, r.Size+c.Size, r.ByNumber+c.ByNumber
		r.Rows, r.Requests = r.Rows+c.Rows, r.Requests+c.Requests
		r.Files++
		if c.Copied {
			r.Copies++
		}
	}
	return r
}
