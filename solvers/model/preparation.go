package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nystream/nystream/stream"
)

// errUnprepared is the error of a Load whose caller did not ask for the preparation.
var errUnprepared = errors.New("the fit scaled its rows or dealt with nulls; call Archive.Preparation before Load, and apply it to rows before Transform")

// preparedPrefix begins the names of the arrays that prepare the rows of a side.
func preparedPrefix(side Side) string {
	if side == Right {
		return "right_"
	}
	return ""
}

// PutPreparation adds how the fit prepared the rows of a side: right rows only if they are those
// of pairs. The policy of nulls is that of Data.
func (a *Archive) PutPreparation(side Side, p stream.Preparation) {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"column_shift", p.Shift}, {"column_factor", p.Factor}, {"column_fill", p.Fill}} {
		if v.values != nil {
			a.PutVector(preparedPrefix(side)+v.name, v.values)
		}
	}
}

// Preparation returns how the fit prepared the rows of a side. Models take prepared rows: apply it to
// rows before Transform. The columns of a matrix, which are the right rows of its model, have none.
//
// A Load refuses an archive with a preparation before the first call.
func (a *Archive) Preparation(side Side) (stream.Preparation, error) {
	a.prepared = true
	return a.preparation(side)
}

func (a *Archive) preparation(side Side) (p stream.Preparation, err error) {
	var data struct {
		Input, Nulls string
		Graph        *struct{}
	}
	if a.Data == nil {
		return p, nil
	}
	if err := json.Unmarshal(a.Data, &data); err != nil {
		return p, fmt.Errorf("meta.json: data: %w", err)
	}
	if data.Graph != nil || side == Right && data.Input == "matrix" {
		return p, nil
	}
	for p.Nulls.String() != data.Nulls {
		if p.Nulls++; p.Nulls > stream.NullsMean {
			return p, fmt.Errorf("meta.json: data.nulls is %q", data.Nulls)
		}
	}
	prefix := preparedPrefix(Left)
	if data.Input == "pairs" {
		prefix = preparedPrefix(side)
	}
	if a.Has(prefix + "column_shift") {
		p.Shift = a.Vector(prefix+"column_shift", -1)
		p.Factor = a.Vector(prefix+"column_factor", len(p.Shift))
	}
	if p.Nulls == stream.NullsZero || p.Nulls == stream.NullsMean {
		p.Fill = a.Vector(prefix+"column_fill", -1)
	}
	return p, a.Err()
}

// checkPrepared remembers an error if the fit prepared its rows and nobody asked how.
func (a *Archive) checkPrepared() {
	if a.prepared {
		return
	}
	for _, side := range []Side{Left, Right} {
		p, err := a.preparation(side)
		if a.Check(err); p.Shift != nil || p.Nulls != stream.NullsError {
			a.Check(errUnprepared)
		}
	}
}
