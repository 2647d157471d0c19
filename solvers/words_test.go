package solvers

import (
	"fmt"
	"testing"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// TestEveryValuePrints: enumerations print undefined values, and zero errors print.
func TestEveryValuePrints(t *testing.T) {
	for v := range 256 {
		i := uint8(v)
		for _, s := range []fmt.Stringer{stream.ColumnKind(i), stream.ErrorKind(i), prepare.Nulls(i), prepare.Scaling(i), prepare.Encoding(i),
			blockstore.Inexact(i), blockstore.IndexBase(i), model.Output(i), model.Side(i), model.Quantity(i), lowrank.Norm(i), lowrank.ShiftRule(i),
			lowrank.Rule(i), ridge.Metric(i), ksvd.Compatibility(i), ksvd.Scaling(i), ksvd.Sums(i), ism.Algorithm(i), ism.Paradigm(i), askls.Algorithm(i),
			askls.Merge(i), rkhs.Task(i), rkhs.Algorithm(i), rkhs.PairSide(i), transport.Algorithm(i), kernelgen.Base(v), kernelgen.Base(-v)} {
			if s.String() == "" {
				t.Errorf("%T %d prints nothing", s, v)
			}
		}
	}
	for _, s := range []fmt.Stringer{kernelgen.Kernel{}, kernelgen.ElementMap{}, model.Choice{}, rkhs.CCA{}} {
		_ = s.String()
	}
	for _, err := range []error{&stream.DataError{}, &stream.StateError{}, &stream.MissingError{}, &stream.StoppedError{}, &stream.OverBudgetError{},
		&sketch.NonFiniteError{}, &kernelgen.ParseError{}, &kernelgen.RowError{}, &blockstore.SpoolError{}, &blockstore.OverQuotaError{}} {
		_ = err.Error()
	}
}
