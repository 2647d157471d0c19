package solvers_test

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestLoadOfAnotherFamily: Load refuses the archives of all other families and names the right one. The refusal leaves
// the archive usable.
func TestLoadOfAnotherFamily(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			x := stream.FromMatrix("x", normalRows(1, 39))
			m := modelOf(f.mustFit(t, stream.Engine{}, f.rows[0], kernelgen.RBF(1), x, x))
			a := must(m.Save())(t)
			for _, other := range families {
				_, err := other.loaded(a)
				switch {
				case other.name == f.name && err != nil:
					t.Errorf("after other loads: %v", err)
				case other.name != f.name && (err == nil || !strings.Contains(err.Error(), m.Describe().Method) ||
					!strings.Contains(err.Error(), f.name+".Load")):
					t.Errorf("%s.Load: %v", other.name, err)
				}
			}
			if _, err := f.loaded(a); err != nil {
				t.Errorf("after other loads: %v", err)
			}
		})
	}
}
