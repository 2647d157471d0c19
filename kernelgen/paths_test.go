package kernelgen

import (
	"testing"

	"github.com/nystream/nystream/internal/simd"
)

// TestOnEveryPath repeats the numeric tests on the other arithmetic paths of this machine.
func TestOnEveryPath(t *testing.T) {
	tests := map[string]func(t *testing.T){
		"formulas":          TestKernelsAgreeWithTheirFormulas,
		"rows alone":        TestEntriesDependOnTheirRowsAlone,
		"finite rows":       TestFiniteRowsGiveNoNaN,
		"NaN":               TestNaNStaysNaN,
		"bandwidths":        TestBandwidthLimits,
		"limits":            TestKnownLimits,
		"far from origin":   TestFarFromTheOrigin,
		"compact support":   TestCompactSupportIsClampedBeforeThePower,
		"cosines":           TestCosinesStayWithinOne,
		"maps":              TestMaps,
		"no allocations":    TestFillAllocatesNothingOnceWarm,
		"diagonal":          TestDiagHasTheBitsOfFill,
		"diagonal non-zero": TestDiagOfRowsThatAreNotFinite,
	}
	for _, path := range simd.Available() {
		if path == simd.Active() {
			continue
		}
		t.Run(path.String(), func(t *testing.T) {
			defer simd.Use(path)()
			for name, test := range tests {
				t.Run(name, test)
			}
		})
	}
}
