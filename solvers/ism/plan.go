package ism

import (
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// Plan is what a fit will cost at most. How many W it takes is not known beforehand:
// 10 are planned for, or Iterations if that is less.
type Plan struct {
	lowrank.Plan
	Engine Engine // the one that auto chooses
}

// Plan works out the cost of a fit on n rows with d columns. columns are the classes
// of a response of classes, with dense false, or the columns of its factors; both are
// ignored for Unsupervised.
func (m Solver) Plan(e stream.Engine, n int64, d int, task Task, columns int, dense bool) (*Plan, error) {
	return m.plan(e, n, d, task, columns, dense)
}
