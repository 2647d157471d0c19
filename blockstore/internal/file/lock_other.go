//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package file

import "os"

// lock is a no-op. Windows does not remove open files.
func lock(*os.File) lockResult { return noLocks }
