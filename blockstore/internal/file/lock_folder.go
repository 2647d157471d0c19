package file

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// lockPatience is how long LockFolder waits for a process that does not go on, lockPause how long between tries.
const (
	lockPatience = 10 * time.Second
	lockPause    = 2 * time.Millisecond
)

// LockFolder locks the folder of a file among processes that call it, until release is called. They rename a few files
// while they hold the lock. It gives up waiting after ten seconds, and where folders cannot be locked, as on some network
// file systems: then release does nothing. It returns an error only if ctx ends.
func LockFolder(ctx context.Context, path string) (release func(), err error) {
	nothing := func() {}
	if IsRemote(path) {
		return nothing, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nothing, nil // whoever writes there says why
	}
	patience := time.NewTimer(lockPatience)
	defer patience.Stop()
	for {
		switch lock(folder) {
		case lockTaken:
			return func() { folder.Close() }, nil
		case lockHeld:
		default:
			folder.Close()
			return nothing, nil
		}
		select {
		case <-ctx.Done():
			folder.Close()
			return nothing, context.Cause(ctx)
		case <-patience.C:
			folder.Close()
			return nothing, nil
		case <-time.After(lockPause):
		}
	}
}
