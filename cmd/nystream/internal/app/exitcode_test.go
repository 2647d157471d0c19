package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// TestExitCodes: the kind of an error decides, whatever it says and whatever wraps it.
func TestExitCodes(t *testing.T) {
	data := func(k stream.ErrorKind) error {
		return stream.NewDataError("a.csv", "no such file; disk full").WithKind(k)
	}
	a := &App{accepted: true}
	for _, c := range []struct {
		what string
		err  error
		want int
	}{
		{"unusable", data(stream.Unusable), ExitData},
		{"a value", stream.NewValueError("a.csv", 3, "x", "it is 0"), ExitData},
		{"damaged", data(stream.Damaged), ExitData},
		{"missing", data(stream.Missing), ExitData},
		{"changed", data(stream.Changed), ExitData},
		{"unreachable", data(stream.Unreachable), ExitFailed},
		{"unwritten", data(stream.Unwritable), ExitFailed},
		{"a failing server while reading", FromData(fmt.Errorf("a: %w", object.Failure(io.ErrUnexpectedEOF))), ExitFailed},
		{"a busy server", stream.NewDataError("b", "%w", object.Temporary(io.ErrUnexpectedEOF)), ExitFailed},
		{"plain", errors.New("a.csv: row 3 (counted from 0): it is 0"), ExitFailed},
		{"plain, while reading", FromData(errors.New("disk")), ExitData},
		{"a missing file", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}, ExitData},
		{"wrong usage for the data", flags.Usagef("--rank: %w", data(stream.Unusable)), ExitUsage},
		{"over the budget", stream.NewDataError("a", "%w", &stream.OverBudgetError{}), ExitBudget},
		{"no room for a copy", FromData(&blockstore.SpoolError{Err: &blockstore.OverQuotaError{}}), ExitBudget},
		{"a full disk", stream.NewDataError("a", "%w", &blockstore.SpoolError{Err: fs.ErrPermission}), ExitFailed},
	} {
		if got := a.exitCode(t.Context(), c.err); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.what, got, c.want)
		}
		if got := a.exitCode(t.Context(), fmt.Errorf("shard 3: %w", c.err)); got != c.want {
			t.Errorf("%s, wrapped: exit code %d, want %d", c.what, got, c.want)
		}
	}
	if FromData(io.EOF) != io.EOF || FromData(nil) != nil || FromData(context.Canceled) != context.Canceled {
		t.Error("the end of the data is an error of the data")
	}
	for k := range stream.Unwritable + 1 {
		if exitCodes[k] == 0 {
			t.Errorf("%v has no exit code", k)
		}
	}
}
