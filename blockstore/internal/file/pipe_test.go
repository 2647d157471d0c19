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

// TestOpenPipe: the wait for a program that writes a named pipe ends with the context, and
// a pipe that is written is opened. There are two pipes, because a wait that was given up
// still holds its pipe open: it could take the only writer.
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

func newPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip("this file system has no named pipes: run it on Linux or macOS with TMPDIR on a local disk: ", err)
	}
	return path
}
