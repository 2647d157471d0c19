package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
)

// SpoolError reports that a copy on disk could not be written, of what can be read only once
// or not as it is: a disk is full, and the data are not to blame. It names the folder, the
// bytes that were written, and the setting `spool-dir`. With an
// OverRoomError in it the disk is not full: a SpoolRoom is.
type SpoolError = file.SpoolError

// OverRoomError reports that copies on disk would take more than a SpoolRoom has. It names the
// limit, and the setting `max-spool-size`.
type OverRoomError = file.OverRoomError
