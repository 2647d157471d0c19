package cluster

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

var ctx = context.Background()

// clouds returns n rows of d columns around k centres about 10 apart, with the centre of each row.
func clouds(n, d, k int, seed uint64) (x blas64.General, truth []int) {
	x = matrix.New(n, d)
	centre, noise := sketch.NewRandom(seed, "test centres"), sketch.NewRandom(seed, "test noise")
	for i := range n {
		c, e := centre.At(uint64(i%k)), noise.At(uint64(i))
		for j := range d {
			x.Data[i*d+j] = 10*c.Normal() + 0.3*e.Normal()
		}
		truth = append(truth, i%k)
	}
	return x, truth
}

// samePartition reports whether two labellings differ only by the names of labels.
func samePartition(a, b []int) bool {
	to, from := map[int]int{}, map[int]int{}
	for i := range a {
		if v, ok := to[a[i]]; ok && v != b[i] {
			return false
		}
		if v, ok := from[b[i]]; ok && v != a[i] {
			return false
		}
		to[a[i]], from[b[i]] = b[i], a[i]
	}
	return true
}

// checkClustering compares a result with its definition, by double loops.
func checkClustering(t interface{ Fatalf(string, ...any) }, c *Clustering, x blas64.General) {
	k := c.Centers.Rows
	sizes, inertia := make([]int, k), 0.0
	for i := range x.Rows {
		own, nearest := 0.0, math.Inf(1)
		for j := range k {
			sum := 0.0
			for a, v := range matrix.Row(x, i) {
				w := v - matrix.Row(c.Centers, j)[a]
				sum += w * w
			}
			nearest = min(nearest, sum)
			if j == c.Labels[i] {
				own = sum
			}
		}
		if own > nearest*(1+1e-12) {
			t.Fatalf("row %d is %v from its centre and %v from another", i, own, nearest)
		}
		sizes[c.Labels[i]]++
		inertia += own
	}
	if math.Abs(inertia-c.Inertia) > 1e-9*inertia+1e-300 {
		t.Fatalf("inertia %v, want %v", c.Inertia, inertia)
	}
	if slices.Min(sizes) < 1 {
		t.Fatalf("sizes %v: a cluster is empty", sizes)
	}
}

// TestInertia reaches what scikit-learn 1.2.1 finds at best in 1000 runs:
//
//	i = np.arange(60); X = np.c_[np.sin(i), np.cos(2*i), np.sin(3*i*i)]
//	min(KMeans(k, n_init=200, random_state=s, tol=0).fit(X).inertia_ for s in range(5))
func TestInertia(t *testing.T) {
	const n = 60
	x := matrix.New(n, 3)
	for i := range n {
		f := float64(i)
		x.Data[3*i], x.Data[3*i+1], x.Data[3*i+2] = math.Sin(f), math.Cos(2*f), math.Sin(3*f*f)
	}
	for k, want := range map[int]float64{2: 63.31731477447369, 3: 40.051410036960455, 5: 19.805792722266453} {
		c, err := KMeans{Clusters: k}.fit(ctx, stream.Engine{}, x, stoppingRules{runs: 50, iterations: 300})
		if err != nil {
			t.Fatal(err)
		}
		checkClustering(t, c, x)
		if math.Abs(c.Inertia-want) > 1e-10*want {
			t.Errorf("%d clusters: inertia %.17g, want %.17g", k, c.Inertia, want)
		}
	}
}

// TestClouds recovers well separated clusters.
func TestClouds(t *testing.T) {
	x, truth := clouds(3000, 5, 7, 1)
	var first *Clustering
	for _, threads := range []int{1, 2, 5} {
		c, err := KMeans{Clusters: 7, Seed: 3}.Fit(ctx, stream.Engine{Threads: threads, BlockRows: 256}, x)
		if err != nil {
			t.Fatal(err)
		}
		checkClustering(t, c, x)
		if !samePartition(c.Labels, truth) {
			t.Errorf("clouds not found; inertia %v", c.Inertia)
		}
		if first == nil {
			first = c
		}
		if diff := cmp.Diff(first, c); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
}

// TestProperties: with many equal rows a result satisfies its definition, or there are fewer than k distinct rows.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		k := rapid.IntRange(1, 8).Draw(t, "k")
		x := matrix.New(n, d)
		differ := map[[3]float64]bool{}
		for i := range n {
			var key [3]float64
			for j := range d {
				key[j] = 1e6 + float64(rapid.IntRange(0, 2).Draw(t, "entry"))
				x.Data[i*d+j] = key[j]
			}
			differ[key] = true
		}
		m := KMeans{Clusters: k, Seed: rapid.Uint64().Draw(t, "seed")}
		c, err := m.fit(ctx, stream.Engine{Threads: 1}, x, stoppingRules{runs: 2, iterations: rapid.IntRange(0, 4).Draw(t, "iterations")})
		if (err != nil) != (len(differ) < k) {
			t.Fatalf("%d different rows, %d clusters: %v", len(differ), k, err)
		}
		if err != nil {
			return
		}
		checkClustering(t, c, x)
		if len(differ) == k && c.Inertia != 0 {
			t.Fatalf("inertia %v of as many clusters as rows differ", c.Inertia)
		}
	})
}

// TestRepair starts from centres with empty clusters.
func TestRepair(t *testing.T) {
	x := blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: []float64{0, 1, 2, 10, 20}}
	run := newLloyd(stream.Engine{}, x, 4)
	copy(run.centers.Data, []float64{1, 500, 600, 700})
	c, err := run.cluster(ctx, 50, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkClustering(t, c, x)
	if c.Inertia != 0.5 {
		t.Errorf("inertia %v of %v", c.Inertia, c.Labels)
	}
}

// TestSeedsFollowDistance: the second seed is drawn in proportion to D².
func TestSeedsFollowDistance(t *testing.T) {
	const all = 2000
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{0, 0, 1, 3}}
	count := map[float64]float64{}
	runs := 0.0
	for r := range all {
		run := newLloyd(stream.Engine{Threads: 1}, x, 2)
		if err := run.seed(ctx, 1, r); err != nil {
			t.Fatal(err)
		}
		if run.centers.Data[0] == 0 {
			runs++
			count[run.centers.Data[1]]++
		}
	}
	if math.Abs(runs/all-0.5) > 5*math.Sqrt(0.25/all) {
		t.Errorf("the first seed was one of two rows of four in %v of %d runs", runs, all)
	}
	if p := count[3] / runs; math.Abs(p-0.9) > 5*math.Sqrt(0.09/runs) || count[0] > 0 {
		t.Errorf("after a seed at 0, 3 was drawn in %v of runs and 0 in %v; want 0.9 and 0", p, count[0]/runs)
	}
}

func TestRefuses(t *testing.T) {
	row := func(v ...float64) blas64.General {
		return matrix.Of(v, len(v), 1)
	}
	for name, err := range map[string]error{
		"no clusters":     second(KMeans{}.Fit(ctx, stream.Engine{}, row(1, 2))),
		"no rows":         second(KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, row())),
		"fewer rows":      second(KMeans{Clusters: 3}.Fit(ctx, stream.Engine{}, row(1, 2))),
		"equal rows":      second(KMeans{Clusters: 3}.Fit(ctx, stream.Engine{}, row(1, 2, 1, 2))),
		"NaN":             second(KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, row(1, math.NaN()))),
		"infinity":        second(KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, row(1, math.Inf(-1)))),
		"overflow":        second(KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, row(1e200, -1e200))),
		"without columns": second(KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, blas64.General{Rows: 2, Stride: 1})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	one, err := KMeans{Clusters: 1}.Fit(ctx, stream.Engine{}, row(5))
	if err != nil || one.Inertia != 0 || one.Centers.Data[0] != 5 {
		t.Errorf("one row: %+v, %v", one, err)
	}
}

// second returns the error of two results.
func second(_ *Clustering, err error) error { return err }
