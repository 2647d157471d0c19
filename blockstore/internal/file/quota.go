package file

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/dustin/go-humanize"
)

// Quota bounds the bytes of temporary files that exist at one time: copies of what is read, and
// content of objects before it is uploaded. All readers and writers of a run share one. Its methods
// may be called from several goroutines; a nil Quota has no limit and counts nothing.
type Quota struct {
	limit int64  // 0 for none
	of    string // for messages: what the limit is half of; "" for a limit that was named
	mu    sync.Mutex
	used  int64
	most  int64
}

// NewQuota returns a quota of so many bytes. With 0 it only counts.
func NewQuota(bytes int64) *Quota { return &Quota{limit: max(0, bytes)} }

// HalfFree returns a quota of half the bytes that are free now on the disk of a folder, "" being
// the system's for temporary files. It has no limit if the system does not tell what is free.
func HalfFree(dir string) *Quota {
	dir = cmp.Or(dir, os.TempDir())
	free := freeBytes(dir)
	if free < 0 {
		return NewQuota(0)
	}
	q := NewQuota(max(1, free/2)) // of a full disk nothing may be used, and 0 would be no limit
	q.of = fmt.Sprintf(", half of the %s that were free in %s", humanize.IBytes(uint64(free)), dir)
	return q
}

// Most returns the most bytes that were used at one time.
func (q *Quota) Most() int64 {
	if q == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.most
}

// reserve counts n more bytes for a file that already has so many. It returns an
// *OverQuotaError, and counts nothing, if the limit is exceeded.
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

// release gives bytes back.
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
	Others int64 // bytes that other temporary files have
	of     string
}

// Error says what the limit is: that of [Session.Quota].
func (e *OverQuotaError) Error() string {
	others := ""
	if e.Others > 0 {
		others = fmt.Sprintf(", of which others have %s", humanize.IBytes(uint64(e.Others)))
	}
	return fmt.Sprintf("copies may take %s in all%s%s (`Session.Quota`)", humanize.IBytes(uint64(e.Limit)), e.of, others)
}
