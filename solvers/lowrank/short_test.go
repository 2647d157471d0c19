package lowrank

import "testing"

// fewer is how often to repeat something: full, and short in runs with -short,
// which the race detector and the checks of other instruction sets use. Every test
// runs in both.
func fewer(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}
