package main

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// newMethod is the method that --method names. The words were checked when they were
// set.
func (c *ksvdCommand) newMethod() ksvd.Method {
	memory := int64(c.memory)
	nystrom := ksvd.Nystrom{Rank: c.rank, Centre: c.centre, Tolerance: c.tolerance, Memory: memory, Seed: c.seed}
	nystrom.Sums, _ = ksvd.ParseSums(c.sums.value)
	nystrom.Choice, _ = ksvd.ParseChoice(c.landmarks.value)
	nystrom.Scaling, _ = ksvd.ParseScaling(c.scaling.value)
	if len(c.sample) > 0 {
		nystrom.Rows, nystrom.Cols = c.sample[0], c.sample[len(c.sample)-1]
	}
	switch c.method.value {
	case "exact":
		return ksvd.Exact{Rank: c.rank, Centre: c.centre, Memory: memory, Seed: c.seed}
	case "ssrsvd":
		return ksvd.SSRSVD{Rank: c.rank, Seed: c.seed}
	case "nystrom":
		return nystrom
	}
	auto := ksvd.Auto{Rank: c.rank, Centre: c.centre, Memory: memory, Seed: c.seed, Nystrom: nystrom}
	if word := c.given(nystromFlags); word != "" {
		auto.Asked = "`" + word + "`"
	}
	return auto
}

// means are by what means a method will do it, and its name.
func means(m ksvd.Method, e stream.Engine, s contract.Shape, k kernelgen.Kernel) (name string, r plannedMeans, err error) {
	r.Sums = ksvd.SumsExact.String()
	switch m := m.(type) {
	case ksvd.Auto:
		chosen, _ := m.Choose(s)
		return means(chosen, e, s, k)
	case ksvd.Exact:
		o, err := m.Choose(e, s, k)
		r.Operator = operatorWord(o)
		return "exact", r, err
	case ksvd.Nystrom:
		sums, _, err := m.Summing(s, k)
		r.Sums = sums.String()
		return "nystrom", r, err
	}
	return "ssrsvd", r, nil
}
