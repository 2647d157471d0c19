package model

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// CheckRows returns an error that names the row and the column of the source where a
// number is not finite, for rows of which the first has the number start.
func CheckRows(info stream.Info, rows blas64.General, start int64) error {
	return InSource(info, sketch.CheckFinite(rows), func(i int) int64 { return start + int64(i) })
}

// CheckOutputs returns an error that names the row of the source, the first of which has
// the number start, where what a model has made of it is not finite. names are those of
// the outputs.
func CheckOutputs(info stream.Info, names []string, out blas64.General, start int64) error {
	var bad *sketch.NonFiniteError
	if err := sketch.CheckFinite(out); !errors.As(err, &bad) {
		return err
	}
	return &stream.BadValueError{Source: info.Name, Row: start + int64(bad.Row), Column: names[bad.Col],
		Reason: fmt.Sprintf("is %v: the row is too far from those of the fit, or the model is damaged", bad.Value)}
}

// InSource returns err, and if it is about a number in a block, as those of accumulators
// are, one that names the row and the column of the source. number is the number of row
// i of the block.
func InSource(info stream.Info, err error, number func(i int) int64) error {
	var bad *sketch.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return &stream.BadValueError{Source: info.Name, Row: number(bad.Row), Column: info.Columns[bad.Col],
		Reason: fmt.Sprintf("is %v, not a finite number", bad.Value)}
}
