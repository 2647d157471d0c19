//go:build !unix

package program

import "os"

// Peak returns 0: the peak memory is unknown on this system.
func Peak(*os.ProcessState) int64 { return 0 }
