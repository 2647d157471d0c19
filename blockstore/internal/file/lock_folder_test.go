package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A folder has one lock holder at a time. Other folders are free, and a waiting caller ends with its context.
func TestLockFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "m.npz")
	release, err := LockFolder(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if lock(f) == noLocks {
		t.Skip("folders have no locks here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := LockFolder(ctx, filepath.Join(folder, "other.npz")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held was given: %v", err)
	}
	if free, err := LockFolder(t.Context(), filepath.Join(t.TempDir(), "m.npz")); err != nil {
		t.Error(err)
	} else {
		free()
	}
	release()

	var held atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			release, err := LockFolder(t.Context(), path)
			if n := held.Add(1); err != nil || n != 1 {
				t.Errorf("%d holders, %v", n, err)
			}
			time.Sleep(time.Millisecond)
			held.Add(-1)
			release()
		})
	}
	wg.Wait()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the lock left %v, %v", entries, err)
	}
	for _, path := range []string{"s3://bucket/m.npz", filepath.Join(folder, "none", "m.npz")} {
		if release, err := LockFolder(t.Context(), path); err != nil {
			t.Error(err)
		} else {
			release()
		}
	}
}
