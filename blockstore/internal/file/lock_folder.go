package file

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// lockPatience bounds how long LockFolder waits for a stuck process, and lockPause is the time
// between attempts.
const (
	lockPatience = 10 * time.Second
	lockPause    = 2 * time.Millisecond
)

// LockFolder locks the folder of a file among processes that call it, until release is called. They
// hold the lock only to rename a few files. After ten seconds it gives up, as it does if folders
// cannot be locked, for example on some network file systems; release is then a no-op. It returns
// an error only if ctx ends.
func LockFolder(ctx context.Context, path string) (release func(), err error) {
	nothing := func() {}
	if IsRemote(path) {
		return nothing, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nothing, nil // writing there reports the reason
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
