package ism

import (
	"math"
	"math/bits"

	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// Plan is what a fit will cost at most. How many W it takes is not known beforehand:
// 10 are planned for, or Iterations if that is less.
type Plan struct {
	lowrank.Plan
	Engine Engine // the one that auto chooses
}

// planned is how many W a plan counts with.
const planned = 10

// Plan works out the cost of a fit on n rows with d columns. columns are the classes
// of a response of classes, with dense false, or the columns of its factors; both are
// ignored for Unsupervised.
func (m Solver) Plan(e stream.Engine, n int64, d int, task Task, columns int, dense bool) (*Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	p := &Plan{Engine: m.chooseEngine(int(n), d)}
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: lowrank.RuntimeBytes})
	e.BlockRows = passRows(p.Engine, e, d)
	e.PassBudget(&p.Memory, d)
	k, factors := p.response(m, n, task, columns, dense)
	p.Memory.Add("sample", 2*min(n, int64(m.Sample))*int64(d), "--sample")
	tries := int64(min(planned, m.Iterations))
	if flatKernel(m.Kernel) {
		tries = 1
	}
	if p.Engine == EngineExact {
		p.exact(e, m, n, int64(d), k, tries)
	} else {
		p.linear(e, m, n, int64(d), k, factors, tries)
	}
	p.Memory.Add("Φ and its eigenvectors", 8*int64(d)*int64(d), "the number of columns")
	return p, nil
}

// response adds what Γ and the clusters take. k is the number of columns of the factors,
// and factors how many of them cost a product for each row.
func (p *Plan) response(m Solver, n int64, task Task, columns int, dense bool) (k, factors int64) {
	if task.Paradigm != Unsupervised {
		k, factors = int64(columns), 1
		if dense {
			factors = k
			p.Memory.Add("factors of what is known", 2*n*k, "the rank of the kernel of targets")
		} else {
			p.Memory.Add("classes", n/2+1, "")
		}
	}
	if c := int64(task.Clusters); task.Paradigm != Supervised {
		k, factors = k+c, factors+c
		p.Memory.Add("spectral embedding and its centred copy", 4*n*c, "--clusters")
		p.Memory.Add("projected rows", n*int64(m.Dim), "--dim")
		p.Memory.Add("k-means", 2*n, "")
		p.Passes += 2*planned + 4 // to project and to count, and for the first Y
	}
	return k, factors
}

func (p *Plan) exact(e stream.Engine, m Solver, n, d, k, tries int64) {
	p.Passes += 2
	terms := int64(len(m.Kernel.terms))
	p.KernelEntries = tries * int64(math.Min(float64(n)*float64(n+1)/2*float64(terms), 1<<56))
	p.Flops = float64(tries) * (float64(n)*float64(n)*float64(d+k+int64(m.Dim)) + 2*float64(n)*float64(d)*float64(d))
	p.Memory.Add("all rows, twice", 2*n*d, "--engine linear")
	p.Memory.Add("projected rows and degrees", n*int64(m.Dim+2), "--dim")
	p.Memory.Add("tiles", int64(e.Workers())*stream.PairRows*(5*stream.PairRows+k), "--threads")
}

func (p *Plan) linear(e stream.Engine, m Solver, n, d, k, factors, tries int64) {
	r, more := int64(0), int64(0)
	for _, t := range m.Kernel.terms {
		switch {
		case t.atom.shapeKnown().df.flat:
			r++
		case t.atom.shapeKnown().ratio == 0 || t.atom.shapeKnown().local:
			more += int64(m.Landmarks)
			fallthrough
		default:
			r += int64(m.Landmarks)
		}
	}
	const panel = stream.PanelRows
	threads := int64(e.Workers())
	states := int64(bits.Len64(uint64(n/int64(blockRows(e, int(d)))))) + 2*threads + 3
	p.Passes += 2 + int(tries)
	p.KernelEntries = tries * (n + 4*int64(m.Sample)) * (r + more)
	p.Flops = float64(tries) * (float64(n)*float64(2*factors*d*r+d*d+2*d*int64(m.Dim)) + 2*float64(k)*float64(d)*float64(r)*float64(d+r))
	p.Memory.Add("sums of a pass", states*(k*(d*r+r+more)+d*d), "--landmarks")
	p.Memory.Add("panels", threads*panel*(2*d+int64(m.Dim)+3*r+2*more), "--landmarks")
	p.Memory.Add("landmarks", 4*int64(m.Landmarks)*int64(m.Landmarks)+2*int64(m.Landmarks)*2*int64(m.Landmarks), "--landmarks")
	p.Memory.Add("products of sums", 4*d*r, "--landmarks")
	if task := int64(m.Sample) * (r + more); task > 0 {
		p.Memory.Add("sums over the sample", 2*task, "--sample")
	}
}

// shapeKnown is the shape of an atom whose words, if any, stand for numbers that do not
// matter here.
func (a *atom) shapeKnown() shape {
	args := append([]float64(nil), a.args...)
	for i, p := range a.spec.params {
		if p.word != "" && args[i] == 0 {
			args[i] = 1
		}
	}
	return a.spec.shape(args)
}

// flatKernel says that Φ does not depend on W for any term.
func flatKernel(k Kernel) bool {
	for _, t := range k.terms {
		if !t.atom.shapeKnown().df.flat {
			return false
		}
	}
	return true
}

// blockRows is the size of a block of a pass.
func blockRows(e stream.Engine, d int) int {
	if e.BlockRows > 0 {
		return e.BlockRows
	}
	return stream.BlockRows(d)
}
