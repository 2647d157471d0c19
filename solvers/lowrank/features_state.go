package lowrank

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/model"
)

// featureHeader describes the features of [RFF] in a saved model: see [Model.Save].
type featureHeader struct {
	Kind        string         `json:"kind"` // "fourier"
	Columns     int            `json:"columns" min:"1"`
	Dimension   int            `json:"dimension" min:"1"`
	Centred     bool           `json:"centred,omitempty"` // the centre is subtracted from a row first
	Frequencies blas64.General `json:"-" array:"frequencies,half,dimension"`
	Centre      []float64      `json:"-" array:"centre,dimension,if=centred"`
}

// mostFeatures exceeds the size of any model, to limit the memory that a damaged header can request.
const mostFeatures = 1 << 27

// Sizes returns the number of frequencies.
func (f featureHeader) Sizes(a *model.Archive) map[string]int64 {
	if f.Kind != fourierKind || f.Columns%2 != 0 || f.Dimension > mostFeatures {
		a.Fail("header: %d features of the kind %q of rows with %d columns", f.Columns, f.Kind, f.Dimension)
	}
	return map[string]int64{"half": int64(f.Columns / 2)}
}
