package transport

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// gibbs holds the tiles of log k/ε and of k^(1/ε), which share rows. power is nil if only the logarithm is available.
type gibbs struct {
	logs, power *tiles.Tiles
}

// newGibbs returns the tiles of the Gibbs kernel of k for ε.
func newGibbs(k kernelgen.Kernel, epsilon float64) (g gibbs, err error) {
	g.logs, g.power, err = tiles.Logs(k, epsilon)
	return g, err
}

// entries returns the number of kernel entries evaluated so far.
func (g gibbs) entries() int64 {
	n := g.logs.Entries.Load()
	if g.power != nil {
		n += g.power.Entries.Load()
	}
	return n
}

// badSum returns the error of a row or a column of K whose sum has no logarithm.
func (g gibbs) badSum(name string, row int64, log float64) error {
	k := g.logs.Kernel
	switch {
	case math.IsInf(log, -1):
		return stream.NewValueError(name, row, "", "kernel %s is 0 between this row and all rows of the other side, so that no plan reaches it", k).
			WithRemedy("take a wider kernel, or drop the row")
	case log != log:
		return stream.NewValueError(name, row, "", "kernel %s is negative or not a number for this row", k).
			WithRemedy("take a kernel that is not negative, such as rbf")
	}
	return tiles.BadRow(name, row, fmt.Sprintf("the sum of kernel %s over the other side is not finite", k))
}
