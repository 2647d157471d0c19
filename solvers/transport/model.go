package transport

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Model maps rows of either side to the other. It is a [model.Transformer].
type Model struct {
	Algorithm       Algorithm
	Kernel          kernelgen.Kernel
	Epsilon         float64
	MarginalPenalty float64 // 0 if masses are preserved
	Seed            uint64
	Rows, Cols      int64 // left and right rows of the fit
	// Left maps left rows to the right side, and Right maps right rows to the left side.
	Left, Right *Mapping
	// Factors are those of the low-rank engine; nil for the exact engine.
	Factors *lowrank.Model
}

// Mapping maps rows of one side.
type Mapping struct {
	Names []string // names of the columns of images

	// For the exact engine: the rows of the other side and the logarithms of their scalings.
	Points blas64.General `array:"points,n,d,if=points"`
	Logs   []float64      `array:"logs,n,if=points"`

	// For the low-rank engine: z is the row's factor times Coefficients, plus its kernel entries with Corrections times
	// CorrectionValues. The image is Centre + z₁/z₀, where z₀ is the first number of z and z₁ has the others.
	Coefficients blas64.General `array:"coefficients,rank,d+1,if=coefficients"`
	Center       []float64      `array:"centre,d,if=coefficients"`
	// Low and High bound the images. They are the range of the other side, extended by half of it either way.
	Low              []float64      `array:"low,d,if=coefficients"`
	High             []float64      `array:"high,d,if=coefficients"`
	Corrections      blas64.General `array:"corrections,c,d,if=coefficients,optional"`
	CorrectionValues blas64.General `array:"correction_values,c,d+1,if=c"`

	// SampledRows are sampled rows of this side with their displacements. A row with z₀ not positive, or with an image
	// out of bounds, has the displacement of the nearest of them.
	SampledRows   blas64.General `array:"near,m,d,if=near"`
	Displacements blas64.General `array:"moves,m,d,if=near"`
}

// Dimension returns the number of columns of rows and of their images.
func (m *Mapping) Dimension() int { return len(m.Names) }

// mapOf returns the map of a side.
func (m *Model) mapOf(side model.Side) *Mapping {
	if side == model.Right {
		return m.Right
	}
	return m.Left
}

// Describe returns the kernel, the sizes and the settings of the model.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: Name, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols,
		Rank: m.Left.Dimension(), Seed: m.Seed, Columns: m.Left.Dimension(), TwoSided: true}
	fact := func(name string, value any) {
		d.Facts = append(d.Facts, model.Fact{Name: name, Value: fmt.Sprint(value)})
	}
	fact("engine", m.Algorithm)
	fact("epsilon", m.Epsilon)
	if m.MarginalPenalty > 0 {
		fact("marginal penalty", m.MarginalPenalty)
	}
	return d
}
