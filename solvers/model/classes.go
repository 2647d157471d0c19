package model

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Decisions is how a classifier answers a [Request]: from a decision value for each class.
type Decisions struct {
	Classes int
	// Probabilities puts the probabilities of the classes into dst for each row of decisions;
	// nil if the model knows none.
	Probabilities func(dst, decisions blas64.General)

	buf blas64.General
}

// Answer returns a row for each row of decisions, with the columns that r asks for. It is
// valid until the next call.
func (d *Decisions) Answer(r Request, decisions blas64.General) blas64.General {
	width := 0
	for _, k := range r.kinds() {
		if k == Class {
			width++
		} else {
			width += d.Classes
		}
	}
	if d.buf.Rows < decisions.Rows || d.buf.Cols != width {
		d.buf = stream.NewMatrix(decisions.Rows, width)
	}
	out := stream.RowSlice(d.buf, 0, decisions.Rows)
	first := 0
	for _, k := range r.kinds() {
		part := out
		part.Data = out.Data[min(first, len(out.Data)):]
		part.Cols = d.Classes
		switch k {
		case Class:
			part.Cols = 1
			for i := range out.Rows {
				part.Data[i*part.Stride] = float64(largest(decisions.Data[i*decisions.Stride:][:d.Classes]))
			}
		case Probability:
			d.Probabilities(part, decisions)
		default:
			for i := range out.Rows {
				copy(part.Data[i*part.Stride:][:d.Classes], decisions.Data[i*decisions.Stride:])
			}
		}
		first += part.Cols
	}
	return out
}

// Largest puts the place of the largest number of each row of decisions into classes, of
// equal ones the first.
func Largest(classes []int, decisions blas64.General) {
	for i := range classes {
		classes[i] = largest(decisions.Data[i*decisions.Stride:][:decisions.Cols])
	}
}

func largest(decisions []float64) (class int) {
	for c, v := range decisions {
		if v > decisions[class] {
			class = c
		}
	}
	return class
}
