package blockstore

import "github.com/nystream/nystream/blockstore/internal/fault"

// DataError reports that a file holds something that cannot be used, and where:
// its Path as the user named it, the absolute Row of the file, counted from 0
// (-1 when unknown), the Column ("" when unknown), and Err, which says what is
// wrong and what to do about it.
type DataError = fault.DataError
