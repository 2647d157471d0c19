package lowrank

import (
	"math"
	"slices"
)

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

// features rebuilds a feature map from its header and arrays.
func (l *loader) features(prefix string, h *FeatureHeader) FeatureMap {
	switch {
	case h.Columns < 1 || h.Dimension < 1 || h.Columns > mostFeatures || h.Dimension > mostFeatures:
		l.fail("%d features of rows with %d columns", h.Columns, h.Dimension)
	case h.Kind == fourierKind:
		return l.fourierMap(prefix, h)
	case h.Kind == tensorKind:
		return l.tensorMap(prefix, h)
	default:
		l.fail("features of the kind %q are not known", h.Kind)
	}
	return nil
}

// centre takes the array of the centre, if there is one.
func (l *loader) centre(prefix string, h *FeatureHeader) []float64 {
	if !h.Centred {
		return nil
	}
	c := l.vector(prefix+"centre", h.Dimension)
	l.finite(prefix+"centre", c)
	return c
}

// finite checks the numbers of an array.
func (l *loader) finite(name string, v []float64) {
	if slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		l.fail("array %s holds numbers that are not finite", name)
	}
}

// featureEmbedding takes an embedding with a feature map.
func (l *loader) featureEmbedding(prefix string, h *SideHeader, rank int) *Embedding {
	e := &Embedding{Unit: h.Unit} // checked before
	if h.Sketch != nil || h.RangeShift != 0 {
		l.fail("features go with no sketch and no shift of the range")
	}
	e.Features = l.features(prefix, h.Features)
	if l.err != nil {
		return e
	}
	e.Landmarks = noLandmarks(h.Features.Dimension)
	e.Projection = l.matrix(prefix+"projection", h.Features.Columns, rank)
	if h.Refined {
		e.Refinement = l.matrix(prefix+"refinement", rank, rank)
	}
	return e
}
