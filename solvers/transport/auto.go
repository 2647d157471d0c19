package transport

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// AutoEntries is how many kernel entries [Auto] visits in each round at most.
const AutoEntries = 1 << 28

// autoRank is the rank that Auto takes.
const autoRank = 100

// Auto chooses an engine, and says why: [LowRank] where a rank is given or there are more than
// AutoEntries entries, else [Exact].
type Auto struct {
	Sinkhorn
	Rank int // of the low-rank engine; 0 means 100, where that is chosen
}

var _ Method = Auto{}

// choose returns the method for data of a shape.
func (m Auto) choose(s model.Shape, k kernelgen.Kernel) (Method, string) {
	cols := s.Cols
	if s.OneSource() {
		cols = s.Rows
	}
	entries := float64(s.Rows) * float64(cols)
	switch {
	case m.From > 0:
		return Exact{m.Sinkhorn}, "exact: `epsilon-from` is for it"
	case m.Rank > 0:
		return LowRank{Sinkhorn: m.Sinkhorn, Rank: m.Rank}, "lowrank: a rank was asked for"
	case entries <= AutoEntries:
		return Exact{m.Sinkhorn}, fmt.Sprintf("exact: a round visits %.3g entries, and up to %.3g are no matter", entries, float64(AutoEntries))
	case !k.Symmetric():
		return Exact{m.Sinkhorn}, fmt.Sprintf("exact: kernel %s is not a symmetric function of two rows", k)
	}
	return LowRank{Sinkhorn: m.Sinkhorn, Rank: autoRank}, fmt.Sprintf("lowrank of rank %d: a round of the exact engine would visit %.3g entries", autoRank, entries)
}

// Plan returns the cost of the engine chosen, which it names.
func (m Auto) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	chosen, why := m.choose(s, k)
	p, err := chosen.Plan(e, s, k)
	if err == nil {
		p.Chosen = why
	}
	return p, err
}

// Fit finds the plan by the engine chosen.
func (m Auto) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Auto) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	chosen, why := m.choose(d.Shape(), k)
	f, err := chosen.Fit(ctx, e, d, k)
	if err == nil {
		f.Chosen = why
	}
	return f, err
}
