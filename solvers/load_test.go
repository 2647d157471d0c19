package solvers_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
)

// TestLoadOfAnotherFamily gives the archive of each family to the Load of all others, whose
// errors name the right one. It loads afterwards: an archive has no memory of errors.
func TestLoadOfAnotherFamily(t *testing.T) {
	methods := map[string]any{
		"lowrank": lowrank.Landmark{Rank: 3}, "ksvd": ksvd.Nystrom{Rank: 3}, "ism": ism.Solver{Dim: 1, Iterations: 2},
		"askls":     askls.Solver{C: 1, Engine: askls.EngineLowRank, Rank: 4},
		"rkhs":      rkhs.Solver{Operator: rkhs.Covariance{}, Rank: 2},
		"transport": transport.LowRank{Sinkhorn: threeRounds, Rank: 20},
	}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			fit := fitOf(t, methods[f.name], kernelgen.RBF(1), countedRows("x", 1), nil)
			a, err := fit.(model.Model).Save()
			if err != nil {
				t.Fatal(err)
			}
			method := fit.(model.Model).Describe().Method
			for _, other := range families {
				err := load(other, a)
				switch {
				case other.name == f.name && err != nil:
					t.Errorf("after other loads: %v", err)
				case other.name != f.name && (err == nil || !strings.Contains(err.Error(), method) ||
					!strings.Contains(err.Error(), f.name+".Load")):
					t.Errorf("%s.Load: %v", other.name, err)
				}
			}
			if err := load(f, a); err != nil {
				t.Errorf("after other loads: %v", err)
			}
		})
	}
}

// load calls the Load of a family.
func load(f family, a *model.Archive) error {
	err, _ := reflect.ValueOf(f.load).Call([]reflect.Value{reflect.ValueOf(a)})[1].Interface().(error)
	return err
}
