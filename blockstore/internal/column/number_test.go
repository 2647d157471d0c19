package column_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// All 65536 half-precision numbers equal their definition (IEEE 754, binary16).
func TestHalfFloat(t *testing.T) {
	for h := range 1 << 16 {
		sign, exponent, fraction := h>>15, h>>10&31, h&1023
		want := math.Pow(2, float64(exponent-15)) * (1 + float64(fraction)/1024)
		switch {
		case exponent == 0:
			want = math.Pow(2, -14) * float64(fraction) / 1024
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if sign == 1 {
			want = -want
		}
		if got := column.HalfFloat(uint16(h)); !cmp.Equal(got, want, filetest.SameBits) {
			t.Fatalf("%#04x: %v, want %v", h, got, want)
		}
	}
}
