package ksvd

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestVanishing: rows and columns that PCA leaves far apart are told of, G that is constant is,
// and no G that has something in it.
func TestVanishing(t *testing.T) {
	src := stream.FromMatrix("table", gaussian(300, 5, 1, 7))
	for _, c := range []struct {
		compat Compatibility
		kernel kernelgen.Kernel
		centre bool
		note   string // "" for none
	}{
		{CompatPCA, kernelgen.RBF(1), false, "zero"},
		{CompatPCA, kernelgen.RBF(1), true, "zero"},
		{CompatPCA, kernelgen.RBF(1e4), false, "zero"}, // G is zero to the last bit
		{CompatRandom, kernelgen.RBF(100), false, "zero"},
		{CompatPCA, kernelgen.RBF(1e-3), true, ""},
		{CompatPCA, kernelgen.RBF(1e-20), false, ""},
		{CompatPCA, kernelgen.RBF(1e-20), true, "constant"},
		{CompatPCA, kernelgen.SNE(1), true, ""},
		{CompatPCA, kernelgen.SNE(1e8), true, "constant"},
		{CompatPCA, kernelgen.Linear(), true, ""},
		{CompatPCA, kernelgen.ExpDot(0.05), false, ""},
		{CompatPseudoInverse, kernelgen.RBF(1), true, ""},
	} {
		data, err := RowsAndColumns(background, src, c.compat, 1)
		if err != nil {
			t.Fatal(err)
		}
		for name, method := range map[string]Method{"exact": Exact{Rank: 2, Center: c.centre}, "nystrom": Nystrom{Rank: 2, Center: c.centre}} {
			fit, err := method.Fit(background, stream.Engine{}, data, c.kernel)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(fit.Notes, "\n")
			if got := strings.Contains(notes, "as good as "+c.note); got != (c.note != "") || c.note == "" && strings.Contains(notes, "as good as") {
				t.Errorf("%s, %v, %v, centred %v: values %v, notes %q, want one of %q", name, c.compat, c.kernel, c.centre, fit.Values, notes, c.note)
			}
			a, err := fit.Save()
			if err != nil {
				t.Fatal(err)
			}
			if m, err := Load(a); err != nil || m.Rank() != fit.Rank() {
				t.Errorf("%s, %v: rank %d loaded, %v", name, c.kernel, fit.Rank(), err)
			}
		}
	}
}
