package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/stream"
)

// Records describes Arrow records, in memory or from wherever the caller gets
// them: their Schema and Name, the Columns that make a row and those to Keep,
// the number of Rows, and how to Open them.
type Records = arrow.Records

// FromRecords returns a source of Arrow records. Values are copied out of the
// records as they are read; the caller keeps ownership of everything but the
// readers that Open gives. Integers and floats of any width, booleans,
// decimals, dictionaries of these, and fixed-size lists can be computed with;
// strings can be kept. Nulls are NaN.
func FromRecords(r Records) (stream.Source, error) { return arrow.FromRecords(r) }
