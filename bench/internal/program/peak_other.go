//go:build !unix

package program

import "os"

// Peak returns 0: the system does not tell how much memory a process held.
func Peak(*os.ProcessState) int64 { return 0 }
