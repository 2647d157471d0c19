package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
)

// Quota bounds the bytes of temporary files that exist at one time: copies of what is read, and
// content of objects before it is uploaded. All that share a quota add up. Its methods may be
// called from several goroutines.
type Quota = file.Quota

// NewQuota returns a quota of so many bytes. With 0 it only counts.
func NewQuota(bytes int64) *Quota { return file.NewQuota(bytes) }

// HalfFree returns a quota of half the bytes that are free now on the disk of a folder, "" being
// the system's for temporary files. It has no limit if the system does not tell what is free.
func HalfFree(dir string) *Quota { return file.HalfFree(dir) }

// SpoolError reports that a temporary file could not be written: a copy of what is read from a
// pipe, of unpacked text or of an array, or the content of an object. Exit codes and remedies
// differ from those for bad data. If there is an *OverQuotaError in it the disk is not full: a Quota is.
type SpoolError = file.SpoolError

// OverQuotaError reports that temporary files would exceed a Quota. It names the limit, and the
// bytes of the other files.
type OverQuotaError = file.OverQuotaError
