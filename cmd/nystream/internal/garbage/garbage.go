// Package garbage sets the garbage collector's percentage. It does so while the program initialises: otherwise tables
// of other packages would start a collection, which takes a third of the command's start-up. The package has almost no
// imports, since Go initialises packages in the order of their paths once their imports are done.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Percentages of live memory. Passes reuse their blocks and make little garbage. Most garbage is small matrices at the
// start and the end, and early collections cost more than they save.
const (
	loose    = 200
	tight    = 50
	tightest = 20
)

// Live memory in bytes from which the collector runs more often without a request. Much memory is large matrices, which
// the collector need not read: a collection costs milliseconds.
const (
	largeHeap = 64 << 20
	hugeHeap  = 256 << 20
)

// current is the percentage that was set last.
var current atomic.Int64

var _ = set(loose) && watch()

// Tighten makes the collector run more often, for runs that limit or need much memory.
func Tighten() { lower(tight) }

// Loosen undoes Tighten.
func Loosen() {
	if ended := current.Load() == tightest; set(loose) && ended {
		watch()
	}
}

// watch lowers the percentage after collections that leave much live memory: tables of a million columns take hundreds
// of megabytes before the plan of a run is known. It ends with the lowest.
func watch() bool {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(alive)
		if lower(percentOf(alive[0].Value.Uint64())); current.Load() > tightest {
			watch()
		}
	})
	return true
}

// percentOf returns the percentage for a number of live bytes.
func percentOf(alive uint64) int {
	switch {
	case alive >= hugeHeap:
		return tightest
	case alive >= largeHeap:
		return tight
	}
	return loose
}

// lower sets the percentage unless it is as low.
func lower(percent int) {
	if int64(percent) < current.Load() {
		set(percent)
	}
}

// set sets the percentage unless the user has set it, and reports whether it did.
func set(percent int) bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	current.Store(int64(percent))
	debug.SetGCPercent(percent)
	return true
}
