// Package garbage says how much garbage may pile up before the collector runs. It sets
// this while the program initialises: the tables that other packages make then would start
// a collection, which takes a third of the start of the command. So it imports next to
// nothing, as Go initialises packages by their paths once their imports are done.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Percentages of what is alive. Passes reuse their blocks and make little garbage; most is
// of small matrices at the beginning and the end, and early collections cost more than
// they save.
const (
	loose = 200
	tight = 50
)

// muchAlive is how many bytes may be alive before garbage is collected early without being asked to.
const muchAlive = 64 << 20

var _ = set(loose) && watch()

// Tighten has garbage collected early, for runs that promise or need much memory.
func Tighten() { set(tight) }

// Loosen undoes Tighten.
func Loosen() {
	if set(loose) {
		watch()
	}
}

// watch tightens after the first collection that leaves much alive: tables of a million columns take hundreds of
// megabytes before anything else is known of a run.
func watch() bool {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(alive); alive[0].Value.Uint64() < muchAlive {
			watch()
		} else {
			Tighten()
		}
	})
	return true
}

// set sets the percentage unless the user has, and reports whether it did.
func set(percent int) bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	debug.SetGCPercent(percent)
	return true
}
