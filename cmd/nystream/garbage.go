package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// How much garbage may pile up, in percent of what is alive. Passes use their
// blocks again and make little of it; what there is comes from small matrices at
// the beginning and the end, and collecting those early costs more than it saves.
const (
	looseGarbage = 200
	tightGarbage = 50
)

// smallMemory is up to where a plan may have loose garbage.
const smallMemory = 64 << 20

// setGarbage sets the percentage, unless the user has.
func setGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// collect frees what a reader held before another one holds as much, where --memory is a
// promise: on a busy machine the collector, which runs beside the program, comes too late.
func (a *app) collect() {
	if a.memory > 0 {
		runtime.GC()
	}
}
