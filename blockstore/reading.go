package blockstore

// Reading is what was read of the files of a [Source]: by opening it, by its readers, and to fetch rows by number.
// Columns that are not chosen count as far as their bytes are read, which depends on the format. Bytes are counted
// where they are read, so that those of two readers count twice. What the system reads ahead, or has in memory, makes
// no difference.
type Reading struct {
	// Bytes are those that were read of files, fetched of objects, and read of copies.
	Bytes int64
	// Size is the bytes of all files. Where a copy is read, of a pipe or of compressed text, it is the size of the copy.
	// Of a pipe that is read as it comes, Size and Bytes are what came so far. Of [FromRecords] they are 0.
	Size int64
	// ByNumber are the bytes, among Bytes, that [Source.Gather] read. Those of objects are not among them: its readers
	// share what they fetch.
	ByNumber int64
	// Rows is the number of rows that Gather fetched.
	Rows int64
	// Requests is the number of requests to stores of objects. Lists of objects are not counted.
	Requests int64
	// Files is the number of files, Copies the number of those of which a copy is read.
	Files, Copies int
}

// Times returns how many times the files were read: Bytes over Size, 0 if they are empty.
func (r Reading) Times() float64 {
	if r.Size == 0 {
		return 0
	}
	return float64(r.Bytes) / float64(r.Size)
}

// Reading returns what was read so far. An object that is opened twice in one session counts in both sources.
func (s *Source) Reading() (r Reading) {
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
