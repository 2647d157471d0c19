package rows

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
)

// PathWriter is a file on its way that knows its name.
type PathWriter struct {
	blockstore.Output
	Path string
}

func AbortAll(writers []PathWriter) {
	for _, w := range writers {
		w.Abort()
	}
}

// WriteAll puts the files that writers have filled under their names, and last of all the
// model, when all of them are complete on the disk. Of runs that write the same names at a time, the last one has them
// all. Each file is the old one or the new one whatever fails, and verify refuses a model beside the factors of another fit.
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
	defer m.Abort() // does nothing after Commit
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
