package model

import (
	"encoding/json"

	"github.com/nystream/nystream/stream"
)

// preparedPrefix begins the names of the arrays of a preparation. Right is that of pairs.
var preparedPrefix = [...]string{Left: "", Right: "right_"}

// PutPreparation adds how the fit prepared the rows of a side: right rows only if they are those
// of pairs. The policy of nulls is that of Data.
func (a *Archive) PutPreparation(side Side, p stream.Preparation) {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"column_shift", p.Shift}, {"column_factor", p.Factor}, {"column_fill", p.Fill}} {
		if v.values != nil {
			(&codec{archive: a}).put(v.values, &slot{name: preparedPrefix[side] + v.name}, nil)
		}
	}
}

// Preparation returns how the fit prepared rows of a side with the given number of columns; below 0
// stands for any number. The columns of a matrix, the right rows of its model, have no preparation.
func (a *Archive) Preparation(side Side, columns int) (p stream.Preparation) {
	data := struct {
		Input, Nulls string
		Graph        *struct{}
	}{Nulls: "error"}
	if a.Data != nil {
		a.Check(json.Unmarshal(a.Data, &data))
	}
	if data.Graph != nil || side == Right && data.Input == "matrix" {
		return p
	}
	for p.Nulls.String() != data.Nulls {
		if p.Nulls == stream.NullsMean {
			a.Fail("data.nulls is %q", data.Nulls)
			return p
		}
		p.Nulls++
	}
	if data.Input != "pairs" {
		side = Left
	}
	prefix, n := preparedPrefix[side], int64(columns)
	if _, has := a.find(prefix + "column_shift"); has {
		p.Shift, p.Factor = a.vector(prefix+"column_shift", n), a.vector(prefix+"column_factor", n)
	}
	if p.Nulls == stream.NullsZero || p.Nulls == stream.NullsMean {
		p.Fill = a.vector(prefix+"column_fill", n)
	}
	return p
}

// checkPrepared remembers an error if the fit prepared rows and the caller does not.
func (a *Archive) checkPrepared() {
	if a.Prepared {
		return
	}
	for _, side := range []Side{Left, Right} {
		if p := a.Preparation(side, -1); p.Shift != nil || p.Nulls != stream.NullsError {
			a.Fail("the fit scaled columns or dealt with nulls; " +
				"set Archive.Prepared, and apply Archive.Preparation to rows before Transform")
		}
	}
}
