package file

import (
	"context"
	"os"
)

// OpenPipe opens a file that may be a named pipe. Opening a pipe waits until a program opens it for
// writing, or until ctx ends.
func OpenPipe(ctx context.Context, path string) (*os.File, error) {
	type openResult struct {
		file *os.File
		err  error
	}
	done := make(chan openResult)
	go func() {
		f, err := os.Open(path)
		select {
		case done <- openResult{f, err}:
		case <-ctx.Done():
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
