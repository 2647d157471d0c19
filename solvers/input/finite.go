package input

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// CheckColumns returns an error if a source and the fit differ in their number of columns.
func CheckColumns(info stream.Info, fitted int) error {
	if d := len(info.Columns); d != fitted {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, fitted)
	}
	return nil
}

// CheckRows returns an error that names the row and the column of the source of the first entry that is not finite.
// start is the number of the first of the rows.
func CheckRows(info stream.Info, rows blas64.General, start int64) error {
	return InSource(info, sketch.CheckFinite(rows), Numbers{From: start})
}

// CheckOutputs returns an error that names the row of the source and the output of the first result that is not finite.
// start is the number of the first row, and names are those of the outputs.
func CheckOutputs(info stream.Info, names []string, out blas64.General, start int64) error {
	var bad *sketch.NonFiniteError
	if err := sketch.CheckFinite(out); !errors.As(err, &bad) {
		return err
	}
	return stream.NewValueError(info.Name, start+int64(bad.Row), names[bad.Col],
		"is %v: the row is too far from those of the fit, or the model is damaged", bad.Value)
}

// Numbers maps rows to their numbers in a source: consecutive from From, or as given by List.
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

// InSource adds the row and the column of the source to an error about an entry of a block, such as an accumulator
// returns. It returns other errors unchanged.
func InSource(info stream.Info, err error, numbers Numbers) error {
	if err == nil {
		return nil // avoids the allocation of errors.As
	}
	var bad *sketch.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return stream.NewValueError(info.Name, numbers.At(bad.Row), info.Columns[bad.Col], "is %v, not a finite number", bad.Value)
}
