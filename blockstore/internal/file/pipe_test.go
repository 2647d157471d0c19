//go:build unix

package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Waiting for the writer of a named pipe ends with the context, and a pipe with a writer is opened. There are two
// pipes, since an abandoned wait keeps its pipe open and might take the only writer.
func TestOpenPipe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := OpenPipe(ctx, newPipe(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}

	path := newPipe(t)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			w.Close()
		}
	}()
	f, err := OpenPipe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// newPipe creates a named pipe, and skips the test where there are none.
func newPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip("this file system has no named pipes: run it on Linux or macOS with TMPDIR on a local disk: ", err)
	}
	return path
}
