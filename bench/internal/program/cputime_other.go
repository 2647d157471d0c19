//go:build !unix

package program

import "time"

var began = time.Now()

// CPUTime returns the time since the start, since this system does not report processor time.
func CPUTime() time.Duration { return time.Since(began) }
