package paper1

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// someColours are near a line through the cube of colours.
func someColours(n int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 0))
	x := stream.NewMatrix(n, 3)
	for i := range n {
		along := r.Float64()
		for k := range 3 {
			x.Data[3*i+k] = math.Min(1, math.Max(0, along+0.1*r.NormFloat64()))
		}
	}
	return x
}

// TestDensePlan: the columns of the plan have their masses, and its error beside plans that
// are known is what the singular values of the difference say.
func TestDensePlan(t *testing.T) {
	x, y := someColours(150, 1), someColours(120, 2)
	p, err := newDensePlan(x, y)
	if err != nil {
		t.Fatal(err)
	}
	for j, mass := range dense.MulVector(blas.Trans, p.t, ones(p.t.Rows)) {
		if math.Abs(mass-1.0/120) > 1e-12 {
			t.Fatalf("column %d has a mass of %g", j, mass)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	plans := []*lowRankPlan{{u: stream.NewMatrix(150, 0), v: stream.NewMatrix(120, 0)}}
	for rank := 1; rank < 4; rank++ {
		plan := &lowRankPlan{u: stream.NewMatrix(150, rank), v: stream.NewMatrix(120, rank)}
		for _, m := range []blas64.General{plan.u, plan.v} {
			for i := range m.Data {
				m.Data[i] = 1e-3 * r.NormFloat64()
			}
		}
		plans = append(plans, plan)
	}
	var all []approximatePlan
	for _, plan := range plans {
		all = append(all, plan)
	}
	broken := &lowRankPlan{u: dense.Clone(plans[1].u), v: plans[1].v}
	broken.u.Data[7] = math.NaN()
	norms, err := p.errors(append(all, broken))
	if err != nil {
		t.Fatal(err)
	}
	for i, plan := range plans {
		rest := dense.Clone(p.t)
		dense.Gemm(blas.NoTrans, blas.Trans, -1, plan.u, plan.v, 1, rest)
		want, err := dense.SingularValues(rest)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(norms[i]-want[0]) > 2e-3*want[0] {
			t.Errorf("plan %d: %g, and the largest singular value is %g", i, norms[i], want[0])
		}
	}
	if math.Abs(p.norm-norms[0]) > 1e-12*p.norm || !math.IsNaN(norms[len(plans)]) {
		t.Errorf("‖T‖₂ %g, not %g; that of a plan with a NaN %g", p.norm, norms[0], norms[len(plans)])
	}
}

// TestTransportMethods: methods whose rank is enough give the plan, and what it maps; a kernel
// with negative products is told of.
func TestTransportMethods(t *testing.T) {
	x, y := someColours(1300, 1), someColours(1200, 2)
	p, err := newDensePlan(x, y)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, m := range transportMethods() {
		if !strings.HasPrefix(m.name, "ssrSVD as") && !strings.HasPrefix(m.name, "Nyström") && m.name != "RFF" {
			continue
		}
		c, err := p.measure(context.Background(), &options{seeds: 1}, m, x, y)
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		t.Logf("%s: %.1e, %d seeds with negative products", m.name, c.errors[0]/p.norm, c.negative)
		if c.negative > 0 {
			continue
		}
		if c.errors[0] < 1e-2*p.norm {
			good++
		}
		rest := dense.Clone(c.mapped)
		dense.Add(-1, p.mapped(y), rest)
		if c.errors[0] < 1e-2*p.norm && dense.MaxAbs(rest) > 0.05 {
			t.Errorf("%s: a colour is mapped %g elsewhere", m.name, dense.MaxAbs(rest))
		}
	}
	if good < 2 {
		t.Errorf("%d methods are near", good)
	}
	negative := newLowRankPlan(stream.NewMatrix(3, 1), stream.NewMatrix(2, 1))
	if negative.bad == 0 {
		t.Error("products of zero are not counted")
	}
}

// TestRepaired: package transport makes the same plan of a kernel that needs no repair, and
// says no to one that is beyond it.
func TestRepaired(t *testing.T) {
	ctx, e := context.Background(), stream.Engine{}
	x, y := someColours(450, 1), someColours(420, 2)
	p, err := newDensePlan(x, y)
	if err != nil {
		t.Fatal(err)
	}
	m := transportMethods()[5]
	f, u, v, err := m.fit(ctx, e, x, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	same, err := repaired(ctx, e, x, y, f.Model)
	if err != nil {
		t.Fatal(err)
	}
	norms, err := p.errors([]approximatePlan{newLowRankPlan(u, v), same})
	if err != nil || math.Abs(norms[0]-norms[1]) > 1e-5*norms[0] {
		t.Errorf("%s: errors %v, %v", m.name, norms, err)
	}
	for i := range f.Values {
		f.Values[i] = -f.Values[i]
	}
	if _, err := repaired(ctx, e, x, y, f.Model); err == nil {
		t.Error("a negative kernel was repaired")
	}
}

// TestTransportSheet: the sheet has all pictures, and one that is mapped to itself is itself.
func TestTransportSheet(t *testing.T) {
	colours := someColours(300, 1)
	picture := &datasets.Picture{Bounds: image.Rect(0, 0, 640, 480), Colours: colours, Index: make([]int, 640*480)}
	for i := range picture.Index {
		picture.Index[i] = i % 300
	}
	s := newTransportSheet(picture, picture, colours)
	s.paint("itself", colours)
	for i, v := range s.pictures[2].Pix {
		if v != s.pictures[0].Pix[i] {
			t.Fatalf("byte %d is %d, not %d", i, v, s.pictures[0].Pix[i])
		}
	}
	for i := range 3 {
		s.add(fmt.Sprint("more ", i), s.pictures[0])
	}
	dir := t.TempDir()
	note, err := s.write(dir, transportPairs[0])
	if err != nil || !strings.Contains(note, "source; target; itself; more 0") {
		t.Errorf("%q, %v", note, err)
	}
	f, err := os.Open(filepath.Join(dir, "transport-ocean_day-ocean_sunset.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil || m.Bounds().Size() != image.Pt(4*328-8, 2*248-8) {
		t.Errorf("%v, %v", m.Bounds(), err)
	}
}
