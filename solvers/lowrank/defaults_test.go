package lowrank

import (
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestDefaultCounts: the default numbers of landmarks and core points are those of the table of bench/accuracy.
func TestDefaultCounts(t *testing.T) {
	for _, c := range []struct{ rank, landmarks, core, pca int64 }{
		{1, 4, 40, 500}, {50, 200, 2000, 500}, {100, 400, 4000, 500}, {200, 600, 4000, 600}, {500, 1200, 4000, 1200},
	} {
		landmarks, core, err := Landmark{Rank: int(c.rank)}.counts()
		pca := PCA{Rank: int(c.rank)}.landmark().landmarks()
		if err != nil || landmarks != c.landmarks || core != c.core || pca != c.pca {
			t.Errorf("rank %d: %d landmarks, %d core points, %d landmarks of pca: %v", c.rank, landmarks, core, pca, err)
		}
	}
}

// TestDefaultComponents: by default even the last of ten eigenvalues is close to the exact one.
func TestDefaultComponents(t *testing.T) {
	t.Parallel()
	const rank = 10
	x, k := clusters(800, 6, 1), kernelgen.RBF(1)
	exact, err := newEigen("reference", doublyCentred(k, x, x))
	if err != nil {
		t.Fatal(err)
	}
	f, err := PCA{Rank: rank, Seed: 1}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
	if err != nil {
		t.Fatal(err)
	}
	if share := f.Values[rank-1] / exact.Values[rank-1]; !(share > 0.99 && share < 1+1e-9) {
		t.Errorf("the last eigenvalue is %.4f of the exact one", share)
	}
}
