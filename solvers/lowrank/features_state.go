package lowrank

import "github.com/nystream/nystream/solvers/model"

// featureHeader describes the features of [RFF] in a saved model: see [Model.Save].
type featureHeader struct {
	Kind      string `json:"kind"` // "fourier"
	Columns   int    `json:"columns"`
	Dimension int    `json:"dimension"`
	Centred   bool   `json:"centred,omitempty"` // u_centre is subtracted from a row first
}

// tensorKind was the kind of features that polysketch fitted in earlier versions.
const tensorKind = "tensor sketch"

// mostFeatures is above what any model has: a damaged header cannot ask for more.
const mostFeatures = 1 << 27

// loadFeatures takes a feature map.
func (e *Embedding) loadFeatures(a *model.Archive, prefix string, h *sideHeader) {
	f := h.Features
	switch {
	case f.Kind == tensorKind:
		a.Fail("models of polysketch are no longer read: fit again with rff or landmark")
	case h.Sketch != nil || h.RangeShift != 0:
		a.Fail("features go with no sketch and no shift of the range")
	case f.Columns < 1 || f.Dimension < 1 || f.Columns > mostFeatures || f.Dimension > mostFeatures:
		a.Fail("%d features of rows with %d columns", f.Columns, f.Dimension)
	case f.Kind == fourierKind:
		e.features = loadFourier(a, prefix, f)
	default:
		a.Fail("features of the kind %q are not known", f.Kind)
	}
	e.Landmarks = noLandmarks(f.Dimension)
}

// loadCentre takes the array of the centre, if there is one.
func loadCentre(a *model.Archive, prefix string, h *featureHeader) []float64 {
	if !h.Centred {
		return nil
	}
	return a.Vector(prefix+"centre", h.Dimension)
}
