package rkhs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
)

func TestMomentsConformance(t *testing.T) {
	const cols = 4
	conformance.Run(t, func() *moments { return newMoments(cols) }, func(block int64) *moments {
		r, m := rand.New(rand.NewPCG(uint64(block), 0)), newMoments(cols)
		x := matrix.New(6, cols)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		for i := range m.B.Data {
			m.B.Data[i] = math.Ldexp(r.NormFloat64(), int(block))
		}
		m.B.Count = int64(x.Rows)
		if err := m.A.Add(x); err != nil {
			t.Fatal(err)
		}
		return m
	}, 11)
}
