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
	Engine         Engine
	Kernel         kernelgen.Kernel
	Epsilon, Relax float64
	Seed           uint64
	Rows, Cols     int64 // left and right rows of the fit
	// Left maps left rows, among right ones, and Right the other way.
	Left, Right *Map
	// Factors are those of the low-rank engine, nil of the exact one.
	Factors *lowrank.Model
}

// Map maps rows of one side.
type Map struct {
	Names []string // of the columns of images

	// Of the exact engine: the rows of the other side and the logarithms of their scalings.
	Points blas64.General `array:"points,n,d,if=points"`
	Logs   []float64      `array:"logs,n,if=points"`

	// Of the low-rank engine: with z = the row's factor times Coefficients plus its kernel
	// entries to Corrections times CorrectionValues, the row is mapped to Centre + z₁/z₀, z₀
	// being the first number and z₁ the others.
	Coefficients blas64.General `array:"coefficients,rank,d+1,if=coefficients"`
	Centre       []float64      `array:"centre,d,if=coefficients"`
	// Low and High bound the images, as the rows of the other side are bounded.
	Low              []float64      `array:"low,d,if=coefficients"`
	High             []float64      `array:"high,d,if=coefficients"`
	Corrections      blas64.General `array:"corrections,c,d,if=coefficients,optional"`
	CorrectionValues blas64.General `array:"correction_values,c,d+1,if=c"`

	// Near are rows of this side and Moves how they are moved: those of [MapNearest], and of
	// the low-rank engine the landmarks, which serve where z₀ is not positive.
	Near  blas64.General `array:"near,m,d,if=near"`
	Moves blas64.General `array:"moves,m,d,if=near"`
}

// Dimension returns the number of columns of rows and of their images.
func (m *Map) Dimension() int { return len(m.Names) }

// mapOf returns the map of a side.
func (m *Model) mapOf(side model.Side) *Map {
	if side == model.Right {
		return m.Right
	}
	return m.Left
}

// Describe returns what the model says about itself.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: Name, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols,
		Rank: m.Left.Dimension(), Seed: m.Seed, Columns: m.Left.Dimension(), TwoSided: true}
	fact := func(name string, value any) {
		d.Facts = append(d.Facts, model.Fact{Name: name, Value: fmt.Sprint(value)})
	}
	fact("engine", m.Engine)
	fact("epsilon", m.Epsilon)
	if m.Relax > 0 {
		fact("relax", m.Relax)
	}
	fact("map", m.Mapping())
	return d
}

// Mapping returns how the model maps rows.
func (m *Model) Mapping() Mapping {
	if m.Left.Points.Cols == 0 && m.Left.Coefficients.Cols == 0 {
		return MapNearest
	}
	return MapKernel
}
