package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
)

// Quota bounds the bytes of simultaneous temporary files: copies of inputs, and contents of objects
// before upload. All users of a quota add up. It is safe for concurrent use.
type Quota = file.Quota

// NewQuota returns a quota of the given number of bytes. With 0 it only counts.
func NewQuota(bytes int64) *Quota { return file.NewQuota(bytes) }

// HalfFree returns a quota of half the free bytes on the disk of a folder, "" for the system's
// folder of temporary files. It has no limit if the free space is unknown.
func HalfFree(dir string) *Quota { return file.HalfFree(dir) }

// SpoolError reports that a temporary file could not be written: a copy of a pipe, of decompressed
// text or of an array, or the content of an object. Exit codes and remedies differ from those for
// bad data. If it wraps an *OverQuotaError, the Quota is exhausted rather than the disk.
type SpoolError = file.SpoolError

// OverQuotaError reports that temporary files would exceed a Quota, with the limit and the bytes of
// the other files.
type OverQuotaError = file.OverQuotaError
