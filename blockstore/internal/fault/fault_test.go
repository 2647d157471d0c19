package fault_test

import (
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
	if !errors.As(err, &failed) || !errors.As(err, &cause) || err.Error() != "a.parquet: "+failed.Error() {
		t.Fatalf("%v, of %v", err, cause)
	}
	if err := fault.Guard("a", func() error { return fs.ErrClosed }); err != fs.ErrClosed {
		t.Errorf("the error became %v", err)
	}
	if err := fault.Guard("a", func() error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestDataError(t *testing.T) {
	cause := errors.New("-1 is not positive")
	tests := map[string]*stream.DataError{
		`a.csv: row 7 (counted from 0): column "x": -1 is not positive`: {Path: "a.csv", Row: 7, Column: "x", Err: cause},
		`a.csv: -1 is not positive`:                                     {Path: "a.csv", Row: -1, Err: cause},
	}
	for want, e := range tests {
		if e.Error() != want || !errors.Is(e, cause) {
			t.Errorf("got %q, want %q", e, want)
		}
	}
}
