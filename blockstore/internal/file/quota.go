package file

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/dustin/go-humanize"
)

// Quota bounds the bytes of simultaneous temporary files: copies of inputs, and contents of objects
// before upload. All readers and writers of a run share one. It is safe for concurrent use; a nil
// Quota has no limit and counts nothing.
type Quota struct {
	limit int64  // 0 for none
	of    string // for messages: what the limit is half of; "" for a limit that was named
	mu    sync.Mutex
	used  int64
	most  int64
}

// NewQuota returns a quota of the given number of bytes. With 0 it only counts.
func NewQuota(bytes int64) *Quota { return &Quota{limit: max(0, bytes)} }

// HalfFree returns a quota of half the free bytes on the disk of a folder, "" for the system's
// folder of temporary files. It has no limit if the free space is unknown.
func HalfFree(dir string) *Quota {
	dir = cmp.Or(dir, os.TempDir())
	free := freeBytes(dir)
	if free < 0 {
		return NewQuota(0)
	}
	q := NewQuota(max(1, free/2)) // at least 1, since 0 would mean no limit
	q.of = fmt.Sprintf(", half of the %s that were free in %s", humanize.IBytes(uint64(free)), dir)
	return q
}

// Most returns the maximal number of bytes used at one time.
func (q *Quota) Most() int64 {
	if q == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.most
}

// reserve counts n more bytes for a file that already has has bytes. If that exceeds the limit it
// returns an *OverQuotaError and counts nothing.
func (q *Quota) reserve(has, n int64) error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.limit > 0 && n > q.limit-q.used {
		return &OverQuotaError{Limit: q.limit, Others: q.used - has, of: q.of}
	}
	q.used += n
	q.most = max(q.most, q.used)
	return nil
}

// release returns bytes to the quota.
func (q *Quota) release(n int64) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= n
}

// OverQuotaError reports that temporary files would exceed their quota. Nothing beyond the quota
// was written.
type OverQuotaError struct {
	Limit  int64 // bytes of all temporary files
	Others int64 // bytes of the other temporary files
	of     string
}

// Error describes the limit. The setting is `max-spool-size`.
func (e *OverQuotaError) Error() string {
	others := ""
	if e.Others > 0 {
		others = fmt.Sprintf(", of which others have %s", humanize.IBytes(uint64(e.Others)))
	}
	return fmt.Sprintf("copies may take %s in all%s%s (`Session.Quota`)", humanize.IBytes(uint64(e.Limit)), e.of, others)
}
