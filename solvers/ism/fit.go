package ism

import (
	"context"

	"github.com/nystream/nystream/stream"
)

func (m Solver) fit(ctx context.Context, e stream.Engine, src stream.Source, task Task) (*Fit, error) {
	panic("ism: being built")
}
func (m Solver) plan(e stream.Engine, n int64, d int, task Task, columns int, dense bool) (*Plan, error) {
	panic("ism: being built")
}
