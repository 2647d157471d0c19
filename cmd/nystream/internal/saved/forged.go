package saved

import (
	"context"
	"errors"
	"io/fs"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// Named adds the model file to an error that names no file: the content of the model is at fault.
func (f *File) Named(err error) error {
	var data *stream.DataError
	switch {
	case err == nil || errors.As(err, &data) && data.Path != "":
		return err
	case data != nil:
		return stream.NewDataError(f.Path, "%w", err)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*flags.UsageError)),
		errors.As(err, new(*fs.PathError)), errors.As(err, new(*stream.OverBudgetError)), errors.As(err, new(*blockstore.SpoolError)):
		return err
	}
	return stream.NewDataError(f.Path, "%w", err)
}
