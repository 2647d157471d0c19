package rows

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
)

// PathWriter is an uncommitted output, and the path it will have.
type PathWriter struct {
	blockstore.Output
	Path string
}

func AbortAll(writers []PathWriter) {
	for _, w := range writers {
		w.Abort()
	}
}

// WriteAll commits the files of writers, and the model last, after all of them are complete on disk. If several runs
// write the same names, the files of the last one win together. After any failure, each file is either the old or the
// new one, and verify refuses a model beside factors of another fit.
func WriteAll(ctx context.Context, writers []PathWriter, output string, model func() (blockstore.Output, error)) error {
	for _, w := range writers {
		if err := w.Finish(); err != nil {
			return err
		}
	}
	m, err := model()
	if err != nil {
		return err
	}
	defer m.Abort() // no-op after Commit
	release, err := blockstore.LockFolder(ctx, output)
	if err != nil {
		return err
	}
	defer release()
	for _, w := range append(slices.Clone(writers), PathWriter{m, output}) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
	}
	return nil
}
