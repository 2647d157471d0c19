package lowrank

import "github.com/nystream/nystream/solvers/model"

// FeatureHeader describes a [FeatureMap] in a saved model; its numbers are in
// arrays. The features of a row x are, with P = (x − u_centre)·u_frequenciesᵀ, m
// columns, for the kind fourier
//
//	(cos P, sin P)/√m
//
// and for the kind tensor sketch, of the row scale·(x − u_centre) with the constant
// appended, those of each degree side by side. u_hash and u_sign hold the hashes
// and signs of all copies of all TensorSketches one after another.
type FeatureHeader struct {
	Kind      string `json:"kind"` // "fourier" or "tensor sketch"
	Columns   int    `json:"columns"`
	Dimension int    `json:"dimension"`
	Centred   bool   `json:"centred,omitempty"` // u_centre is subtracted from a row first
	// Of a tensor sketch.
	Seed     uint64         `json:"seed,omitempty"`
	Scale    float64        `json:"scale,omitempty"`    // the row is multiplied by it then
	Constant float64        `json:"constant,omitempty"` // and this number appended to it, unless 0
	Damped   bool           `json:"damped,omitempty"`   // features are multiplied by exp(−‖row‖²/2)
	Degrees  []DegreeHeader `json:"degrees,omitempty"`
}

// DegreeHeader describes the features of one degree: Weight times 1 for degree 0,
// the row itself if they are exact, or a TensorSketch of the row.
type DegreeHeader struct {
	Degree  int     `json:"degree"`
	Columns int     `json:"columns"`
	Weight  float64 `json:"weight"`
	Exact   bool    `json:"exact,omitempty"`
}

// mostFeatures is above what any model has: a damaged header cannot ask for more.
const mostFeatures = 1 << 27

// loadFeatures takes a feature map.
func (e *Embedding) loadFeatures(a *model.Archive, prefix string, h *SideHeader) {
	f := h.Features
	switch {
	case h.Sketch != nil || h.RangeShift != 0:
		a.Fail("features go with no sketch and no shift of the range")
	case f.Columns < 1 || f.Dimension < 1 || f.Columns > mostFeatures || f.Dimension > mostFeatures:
		a.Fail("%d features of rows with %d columns", f.Columns, f.Dimension)
	case f.Kind == fourierKind:
		e.Features = loadFourier(a, prefix, f)
	case f.Kind == tensorKind:
		e.Features = loadTensor(a, prefix, f)
	default:
		a.Fail("features of the kind %q are not known", f.Kind)
	}
	e.Landmarks = noLandmarks(f.Dimension)
}

// loadCentre takes the array of the centre, if there is one.
func loadCentre(a *model.Archive, prefix string, h *FeatureHeader) []float64 {
	if !h.Centred {
		return nil
	}
	return a.Vector(prefix+"centre", h.Dimension)
}
