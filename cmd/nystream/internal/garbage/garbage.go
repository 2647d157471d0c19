// Package garbage sets the garbage collector's percentage. It does so while the program initialises: otherwise tables
// of other packages would start a collection, which takes a third of the command's start-up. The package has almost no
// imports, since Go initialises packages in the order of their paths once their imports are done.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Percentages of live memory. Passes reuse their blocks and make little garbage. Most garbage is small matrices at the
// start and the end, and early collections cost more than they save.
const (
	loose = 200
	tight = 50
)

// largeHeap is the live memory in bytes from which the collector runs more often without a request.
const largeHeap = 64 << 20

var _ = set(loose) && watch()

// Tighten makes the collector run more often, for runs that limit or need much memory.
func Tighten() { set(tight) }

// Loosen undoes Tighten.
func Loosen() {
	if set(loose) {
		watch()
	}
}

// watch calls Tighten after the first collection that leaves much live memory: tables of a million columns take
// hundreds of megabytes before the plan of a run is known.
func watch() bool {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(alive); alive[0].Value.Uint64() < largeHeap {
			watch()
		} else {
			Tighten()
		}
	})
	return true
}

// set sets the percentage unless the user has set it, and reports whether it did.
func set(percent int) bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	debug.SetGCPercent(percent)
	return true
}
