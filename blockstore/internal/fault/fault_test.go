package fault_test

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

func TestGuard(t *testing.T) {
	err := fault.Guard("a.parquet", func() error {
		var none []int
		_ = none[len(none)]
		return nil
	})
	var cause runtime.Error
	var failed *fault.ReaderError
	if !errors.As(err, &failed) || !errors.As(err, &cause) || err.Error() != "a.parquet: "+failed.Error()+"; make or fetch it again" {
		t.Fatalf("%v, of %v", err, cause)
	}
	if err := fault.Guard("a", func() error { return fs.ErrClosed }); err != fs.ErrClosed {
		t.Errorf("the error became %v", err)
	}
	if err := fault.Guard("a", func() error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestDamaged: what is damaged has to be made again, unless the error knows better or the bytes could not be read.
func TestDamaged(t *testing.T) {
	ended := errors.New("it ends early")
	for _, c := range []struct {
		err    error
		kind   stream.ErrorKind
		remedy string
	}{
		{ended, stream.Damaged, "make or fetch the file again"},
		{fault.New("at byte 7: %w", ended), stream.Damaged, "make or fetch the file again"},
		{fault.New("at byte 7: %w", fault.New("%w", ended).
			WithRemedy("is it a table?")), stream.Unusable, "is it a table?"},
	} {
		got, ok := fault.Damaged(c.err).(*stream.DataError)
		if !ok || got.Kind != c.kind || got.Remedy != c.remedy || !errors.Is(got, ended) || got.Error() != got.What+"; "+c.remedy && got.What != "" {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
	failed := fault.New("no answer").WithKind(stream.Unreachable).WithRemedy("start again")
	for _, err := range []error{fs.ErrClosed, &fs.PathError{Op: "read", Path: "a", Err: fs.ErrClosed}, fault.Reading(failed), fault.File("a", "%w", fault.Reading(failed)), context.Canceled} {
		if fault.IsReading(err) == (err == fs.ErrClosed) || fault.IsReading(err) && fault.Damaged(err) != err {
			t.Errorf("%v: an error of reading, %v", err, fault.IsReading(err))
		}
	}
	var read *stream.DataError
	if err := fault.Reading(failed); !errors.As(err, &read) || read.Kind != stream.Unreachable || err.Error() != failed.Error() {
		t.Errorf("marked as %v", err)
	}
}
