package kernelgen

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// TestFromBase compares kernels made from base values with tiles, bit for bit.
func TestFromBase(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := func(n int) blas64.General {
		m := blas64.General{Rows: n, Cols: 3, Stride: 3, Data: make([]float64, 3*n)}
		for i := range m.Data {
			m.Data[i] = 2 * random.Float64() // divergences need nonnegative numbers
		}
		return m
	}
	x, y := rows(41), rows(133) // more than a piece of a tile either way
	fill := func(k Kernel) []float64 {
		dst := matrix.New(x.Rows, y.Rows)
		k.Fill(dst, x, k.Pack(y), nil)
		return dst.Data
	}
	texts := []string{"rbf(gamma=0.5) + 2*cauchy()", "rbf(gamma=1)*matern32() + rq(alpha=2)", "poly() + 0.5*sigmoid()"}
	for _, b := range Builtins() {
		if b.Name != "relative" { // relative has no entries
			texts = append(texts, b.Name)
		}
	}
	for _, text := range texts {
		switch text {
		case "csrbf":
			text = "csrbf(sigma2=1)"
		case "sne":
			text = "sne(gamma=1)"
		}
		k, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if k, err = k.Resolve(x); err != nil {
			t.Fatal(err)
		}
		if _, normalised := k.Normaliser(); normalised {
			continue
		}
		base, ok := k.OneBase()
		if !ok {
			t.Fatalf("%v has no base of its own", k)
		}
		got, want := fill(base.Kernel()), fill(k)
		k.FromBase(got, nil)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%v: entry %d is %v from the base and %v in a tile", k, i, got[i], want[i])
			}
		}
	}
}

// TestFromBaseTwoBases: FromBase refuses kernels of several bases.
func TestFromBaseTwoBases(t *testing.T) {
	k := Sum(RBF(1), Linear())
	if b, ok := k.OneBase(); ok {
		t.Errorf("%v has the one base %v", k, b)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	k.FromBase([]float64{1}, nil)
}
