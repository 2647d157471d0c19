//go:build !unix

package main

import "time"

var began = time.Now()

// cpuTime returns the time since the start, where the system does not tell it.
func cpuTime() time.Duration { return time.Since(began) }
