package transport

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// AutoEntries is the largest number of kernel entries in an iteration for which [Auto] chooses the exact engine.
const AutoEntries = 1 << 28

// autoRank is the rank chosen by Auto.
const autoRank = 100

// Auto chooses an engine and reports why: [LowRank] if a rank is given or an iteration has more than AutoEntries kernel
// entries, else [Exact].
type Auto struct {
	Sinkhorn
	Rank int // of the low-rank engine; 0 means 100 if Auto chooses that engine
}

// choose returns the method for data of size s, with the reason.
func (m Auto) choose(s model.Size, k kernelgen.Kernel) (Method, model.Choice) {
	entries := float64(s.Rows) * float64(columns(s))
	switch {
	case m.Rank > 0:
		return LowRank(m), model.Choice{Name: "lowrank", Reason: "a rank is given"}
	case entries <= AutoEntries:
		return Exact{m.Sinkhorn}, model.Choice{Name: "exact",
			Reason: fmt.Sprintf("an iteration has %.3g kernel entries, at most %.3g", entries, float64(AutoEntries))}
	case !k.Symmetric():
		return Exact{m.Sinkhorn}, model.Choice{Name: "exact", Reason: fmt.Sprintf("kernel %s is not symmetric", k)}
	}
	return LowRank{Sinkhorn: m.Sinkhorn, Rank: autoRank}, model.Choice{Name: fmt.Sprintf("lowrank of rank %d", autoRank),
		Reason: fmt.Sprintf("an iteration of the exact engine has %.3g kernel entries", entries)}
}

// columns returns the number of right rows.
func columns(s model.Size) int64 {
	if s.OneSource() {
		return s.Rows
	}
	return s.Cols
}

// Plan returns the cost of the chosen engine. Its Choice names the engine.
func (m Auto) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	chosen, why := m.choose(s, k)
	p, err := chosen.Plan(e, s, k)
	if err == nil {
		p.Choice = why
	}
	return p, err
}

// Fit finds the plan by the chosen engine.
func (m Auto) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Auto) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	chosen, why := m.choose(d.Size(), k)
	f, err := chosen.Fit(ctx, e, d, k)
	if err == nil {
		f.Choice = why
	}
	return f, err
}
