package input

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// CheckColumns returns an error if a source has another number of columns than the fit.
func CheckColumns(info stream.Info, fitted int) error {
	if d := len(info.Columns); d != fitted {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, fitted)
	}
	return nil
}

// CheckRows returns an error that names the row and the column of the source where a
// number is not finite, for rows of which the first has the number start.
func CheckRows(info stream.Info, rows blas64.General, start int64) error {
	return InSource(info, sketch.CheckFinite(rows), Numbers{From: start})
}

// CheckOutputs returns an error that names the row of the source, the first of which has
// the number start, where what a model has made of it is not finite. names are those of
// the outputs.
func CheckOutputs(info stream.Info, names []string, out blas64.General, start int64) error {
	var bad *sketch.NonFiniteError
	if err := sketch.CheckFinite(out); !errors.As(err, &bad) {
		return err
	}
	return stream.NewValueError(info.Name, start+int64(bad.Row), names[bad.Col],
		"is %v: the row is too far from those of the fit, or the model is damaged", bad.Value)
}

// Numbers are the numbers of rows in their source: consecutive ones from From on, or those of List.
type Numbers struct {
	From int64
	List []int64
}

// At returns the number of row i.
func (n Numbers) At(i int) int64 {
	if n.List != nil {
		return n.List[i]
	}
	return n.From + int64(i)
}

// InSource returns err, and if it is about a number in a block, as those of accumulators
// are, one that names the row and the column of the source.
func InSource(info stream.Info, err error, numbers Numbers) error {
	if err == nil {
		return nil // errors.As allocates
	}
	var bad *sketch.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return stream.NewValueError(info.Name, numbers.At(bad.Row), info.Columns[bad.Col], "is %v, not a finite number", bad.Value)
}
