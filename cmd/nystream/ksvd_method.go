package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// ksvdMethod plans and runs one method of decomposing G.
type ksvdMethod interface {
	name() string
	plan(e stream.Engine, s ksvd.Shape, k kernelgen.Kernel, factors bool) (*lowrank.Plan, error)
	fit(ctx context.Context, e stream.Engine, d *ksvd.Data, k kernelgen.Kernel) (*ksvd.Fit, error)
	// means are what a plan says besides the cost.
	means(s ksvd.Shape, k kernelgen.Kernel) (plannedMeans, error)
}

// exactEntries is how many entries G has at most where auto is exact: some
// seconds for each iteration.
const exactEntries = 4e8

// chooseMethod is the method that --method names, or one that suits the size of
// the data, and then why.
func (c *ksvdCommand) chooseMethod(s ksvd.Shape) (ksvdMethod, string) {
	exact := exactKSVD{ksvd.Exact{Rank: c.rank, Centre: c.centre, Seed: c.seed}, c}
	switch c.method.value {
	case "exact":
		return exact, ""
	case "ssrsvd":
		return streamedKSVD{ksvd.SSRSVD{Rank: c.rank, Seed: c.seed}}, ""
	case "nystrom":
		return c.nystrom(), ""
	}
	entries := float64(s.Rows) * float64(s.Cols)
	if flag := c.given(nystromFlags); flag != "" {
		return c.nystrom(), "nystrom: " + flag + " is for it"
	}
	if entries > exactEntries {
		return c.nystrom(), fmt.Sprintf("nystrom: G has %.2g entries, more than %.0e", entries, exactEntries)
	}
	return exact, fmt.Sprintf("exact: G has %.2g entries, at most %.0e", entries, exactEntries)
}

// nystrom is what the flags of the asymmetric Nyström method say. The words were
// checked when they were set.
func (c *ksvdCommand) nystrom() nystromKSVD {
	m := ksvd.Nystrom{Rank: c.rank, Centre: c.centre, Tolerance: c.tolerance, Seed: c.seed}
	m.Sums, _ = ksvd.ParseSums(c.sums.value)
	m.Choice, _ = ksvd.ParseChoice(c.landmarks.value)
	m.Scaling, _ = ksvd.ParseScaling(c.scaling.value)
	if len(c.sample) > 0 {
		m.Rows, m.Cols = c.sample[0], c.sample[len(c.sample)-1]
	}
	return nystromKSVD{m, c}
}

type exactKSVD struct {
	ksvd.Exact
	cmd *ksvdCommand
}

func (m exactKSVD) name() string { return "exact" }

func (m exactKSVD) plan(e stream.Engine, s ksvd.Shape, k kernelgen.Kernel, _ bool) (*lowrank.Plan, error) {
	return m.within(e, s, k).Plan(e, s, k)
}

func (m exactKSVD) fit(ctx context.Context, e stream.Engine, d *ksvd.Data, k kernelgen.Kernel) (*ksvd.Fit, error) {
	return m.within(e, d.Shape(), k).Fit(ctx, e, d, k)
}

func (m exactKSVD) means(s ksvd.Shape, k kernelgen.Kernel) (plannedMeans, error) {
	o, err := m.within(m.cmd.engine(), s, k).Choose(s, k)
	return plannedMeans{Operator: operatorWord(o), Sums: ksvd.SumsExact.String(), Notes: []string{}}, err
}

// within is the method by tiles, if only these fit into --memory.
func (m exactKSVD) within(e stream.Engine, s ksvd.Shape, k kernelgen.Kernel) ksvd.Exact {
	tiles := m.Exact
	tiles.Operator = ksvd.OperatorTiles
	if !fits(m.Exact, e, s, k, m.cmd.memory) && fits(tiles, e, s, k, m.cmd.memory) {
		return tiles
	}
	return m.Exact
}

func fits(m ksvd.Exact, e stream.Engine, s ksvd.Shape, k kernelgen.Kernel, memory byteSize) bool {
	p, err := m.Plan(e, s, k)
	return err == nil && p.Memory.Check(int64(memory)) == nil
}

type streamedKSVD struct{ ksvd.SSRSVD }

func (m streamedKSVD) name() string { return "ssrsvd" }

// plan counts the pass for factors too.
func (m streamedKSVD) plan(e stream.Engine, s ksvd.Shape, _ kernelgen.Kernel, factors bool) (*lowrank.Plan, error) {
	p, err := m.Plan(e, s)
	if err == nil && factors {
		p.Passes++
		p.KernelEntries *= 2
		p.Flops *= 2
	}
	return p, err
}

func (m streamedKSVD) fit(ctx context.Context, e stream.Engine, d *ksvd.Data, k kernelgen.Kernel) (*ksvd.Fit, error) {
	return m.Fit(ctx, e, d, k)
}

func (m streamedKSVD) means(ksvd.Shape, kernelgen.Kernel) (plannedMeans, error) {
	return plannedMeans{Sums: ksvd.SumsExact.String(), Notes: []string{}}, nil
}

type nystromKSVD struct {
	ksvd.Nystrom
	cmd *ksvdCommand
}

func (m nystromKSVD) name() string { return "nystrom" }

func (m nystromKSVD) plan(e stream.Engine, s ksvd.Shape, k kernelgen.Kernel, factors bool) (*lowrank.Plan, error) {
	return m.within(e, s, k).Plan(e, s, k, factors)
}

func (m nystromKSVD) fit(ctx context.Context, e stream.Engine, d *ksvd.Data, k kernelgen.Kernel) (*ksvd.Fit, error) {
	return m.within(e, d.Shape(), k).Fit(ctx, e, d, k)
}

func (m nystromKSVD) means(s ksvd.Shape, k kernelgen.Kernel) (plannedMeans, error) {
	r := plannedMeans{Notes: []string{}}
	sums, note, err := m.Summing(s, k)
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	r.Sums = sums.String()
	return r, err
}

// mostSamples is where doubling ends: the block of samples takes 6 GB then.
const mostSamples = 16384

// within is the method with samples doubled no further than --memory allows.
func (m nystromKSVD) within(e stream.Engine, s ksvd.Shape, k kernelgen.Kernel) ksvd.Nystrom {
	n := m.Nystrom
	if n.Tolerance == 0 || m.cmd.memory == 0 {
		return n
	}
	for n.MaxSamples = mostSamples; n.MaxSamples/2 >= max(n.Rows, n.Cols, 8*n.Rank, 128); n.MaxSamples /= 2 {
		if p, err := n.Plan(e, s, k, true); err != nil || p.Memory.Check(int64(m.cmd.memory)) == nil {
			break
		}
	}
	return n
}
