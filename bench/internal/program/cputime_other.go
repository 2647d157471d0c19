//go:build !unix

package program

import "time"

var began = time.Now()

// CPUTime returns the time since the start, where the system does not tell it.
func CPUTime() time.Duration { return time.Since(began) }
