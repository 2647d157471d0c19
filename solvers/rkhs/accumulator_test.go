package rkhs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/stream"
)

func TestMomentsConformance(t *testing.T) {
	const cols = 4
	conformance.Run(t, func() *moments {
		m := newMoments(cols)
		m.B.B.most = 5
		return m
	}, func(block int64) *moments {
		r, m := rand.New(rand.NewPCG(uint64(block), 0)), newMoments(cols)
		x := stream.NewMatrix(6, cols)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		for i := range m.B.A.Data {
			m.B.A.Data[i] = math.Ldexp(r.NormFloat64(), int(block))
		}
		m.B.A.Count = int64(x.Rows)
		m.B.B.most = 5
		for i := range x.Rows {
			m.B.B.add(6*block+int64(i), math.Abs(r.NormFloat64()))
		}
		m.B.B.cut()
		if err := m.A.Add(x); err != nil {
			t.Fatal(err)
		}
		return m
	}, 11)
}
