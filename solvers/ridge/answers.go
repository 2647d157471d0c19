package ridge

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/tilesize"
)

// answerWriter answers a request to a model. Each row of raw numbers has values or decision values, then scales of
// residuals if bounds are requested, then a relative variance if deviations are.
type answerWriter struct {
	model              *Model
	kinds              []model.Output
	level              float64
	bounds, deviations bool
	width              int // number of raw numbers of a row
}

// answers returns the writer for a request, which determines the raw numbers to compute.
func (m *Model) answers(r model.Request) *answerWriter {
	a := &answerWriter{model: m, kinds: r.Outputs, level: r.Level, width: len(m.Intercept)}
	if len(a.kinds) == 0 {
		a.kinds = []model.Output{model.Coordinates}
	}
	if a.bounds = slices.Contains(a.kinds, model.Lower) || slices.Contains(a.kinds, model.Upper); a.bounds {
		a.width += len(m.Intercept)
	}
	if a.deviations = slices.Contains(a.kinds, model.Deviation); a.deviations {
		a.width++
	}
	return a
}

// panelRows returns the number of rows whose kernel entries are in memory at a time. Variances solve triangular
// systems, which many rows share.
func (a *answerWriter) panelRows() int {
	if a.deviations {
		return tilesize.PanelRows
	}
	return tilesize.Rows(a.model.Landmarks.Rows, len(a.model.Intercept))
}

// linear writes values, and scales if requested, to rows of raw numbers, from kernel entries.
func (a *answerWriter) linear(raw, entries blas64.General) {
	t := len(a.model.Intercept)
	put := func(dst, coefficients blas64.General, intercept []float64) {
		for i := range dst.Rows {
			copy(matrix.Row(dst, i), intercept)
		}
		dense.GemmRows(blas.NoTrans, entries, coefficients, 1, dst)
	}
	put(matrix.Columns(raw, 0, t), a.model.Coefficients, a.model.Intercept)
	if v := a.model.Intervals; a.bounds {
		put(matrix.Columns(raw, t, t), v.Scale, v.Intercept)
	}
}

// answer writes the requested columns to out, one row for each row of raw numbers.
func (a *answerWriter) answer(out blas64.General, request model.Request, raw blas64.General) {
	if a.model.Classes > 0 {
		family.Decisions{Classes: a.model.Classes, Probabilities: a.model.probabilities}.Answer(out, request, raw)
		return
	}
	t := len(a.model.Intercept)
	for i := range raw.Rows {
		r, row := matrix.Row(raw, i), matrix.Row(out, i)
		for k, kind := range a.kinds {
			switch dst := row[k*t:][:t]; kind {
			case model.Lower, model.Upper:
				sign := float64(1)
				if kind == model.Lower {
					sign = -1
				}
				for j, value := range r[:t] {
					dst[j] = value + sign*a.model.Intervals.halfWidth(j, r[t+j], a.level)
				}
			case model.Deviation:
				a.model.Posterior.deviations(dst, r[len(r)-1])
			default:
				copy(dst, r)
			}
		}
	}
}
