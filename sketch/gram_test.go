package sketch_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

func TestGramConformance(t *testing.T) {
	conformance.Run(t, func() *sketch.Gram { return sketch.NewGram(4, 7) }, func(block int64) *sketch.Gram {
		g := sketch.NewGram(4, 7)
		if err := g.Add(randomBlock(9, 4, uint64(block)), randomBlock(9, 7, uint64(block)+100)); err != nil {
			t.Error(err)
		}
		return g
	}, 11)
}

func TestGram(t *testing.T) {
	x, y := random(200, 70, 1), random(200, 90, 2) // wider than gonum's blocks
	g, square := sketch.NewGram(70, 90), sketch.NewGram(70, 70)
	for _, cut := range [][2]int{{0, 1}, {1, 1}, {1, 150}, {150, 200}} {
		xb := general(x, cut[0], cut[1])
		if err := errors.Join(g.Add(xb, general(y, cut[0], cut[1])), square.Add(xb, xb)); err != nil {
			t.Fatal(err)
		}
	}
	checkClose(t, "XᵀY", dense(g.Matrix()), mul(x.T(), y), 1e-14)
	s := dense(square.Matrix())
	checkClose(t, "XᵀX", s, mul(x.T(), x), 1e-14)
	if !mat.Equal(s, s.T()) {
		t.Error("XᵀX is not symmetric to the last bit")
	}
}

func TestGramMerge(t *testing.T) {
	x, y := random(30, 4, 1), random(30, 3, 2)
	parts := []*sketch.Gram{sketch.NewGram(4, 3), sketch.NewGram(4, 3)}
	if err := errors.Join(parts[0].Add(general(x, 0, 11), general(y, 0, 11)), parts[1].Add(general(x, 11, 30), general(y, 11, 30)), parts[0].Merge(parts[1])); err != nil {
		t.Fatal(err)
	}
	checkClose(t, "XᵀY", dense(parts[0].Matrix()), mul(x.T(), y), 1e-14)
}

func TestGramErrors(t *testing.T) {
	g := sketch.NewGram(2, 3)
	x, y := randomBlock(5, 2, 1), randomBlock(5, 3, 2)
	y.Data[3*y.Stride+2] = math.NaN()
	var where *sketch.NonFiniteError
	if err := g.Add(x, y); !errors.As(err, &where) || where.Row != 3 || where.Col != 2 {
		t.Errorf("error %v", err)
	}
	big := whole(mat.NewDense(1, 2, []float64{1e200, 1}))
	if err := sketch.NewGram(2, 2).Add(big, big); err == nil || !strings.Contains(err.Error(), "scale the data down") {
		t.Errorf("error %v", err)
	}
	if err := g.Merge(sketch.NewGram(3, 2)); err == nil {
		t.Error("products of different shapes were merged")
	}
	checkPanics(t, "rows", func() { g.Add(x, randomBlock(4, 3, 1)) })
	checkPanics(t, "no columns", func() { sketch.NewGram(0, 1) })
}
