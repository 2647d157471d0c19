package main

import (
	"encoding/json"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
)

// operatorJSON has the fields of a report that tests read.
type operatorJSON struct {
	Rows                   int64
	Values, Residuals      []float64
	Explained, Timescales  []float64
	Imag                   []float64 `json:"values_imag"`
	ClusterSizes           []int     `json:"cluster_sizes"`
	Trajectories, Clusters int
}

// operatorFit runs a fit and returns its report.
func operatorFit(t *testing.T, line string) *operatorJSON {
	t.Helper()
	r := new(operatorJSON)
	if err := json.Unmarshal([]byte(command(t, "fit operator "+line+" --format json")), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// spiral writes the trajectory x, Ax, A²x, … in the plane to two files.
func spiral(t *testing.T, a complex128) (first, second string) {
	t.Helper()
	folder := t.TempDir()
	z := complex(1, 0.5)
	for _, name := range []string{"a.npy", "b.npy"} {
		x := matrix.New(20, 2)
		for i := range x.Rows {
			x.Data[2*i], x.Data[2*i+1] = real(z), imag(z)
			z *= a
		}
		if err := writeTable(folder+"/"+name, rows.Numbered("x", 2), x); err != nil {
			t.Fatal(err)
		}
	}
	return folder + "/a.npy", folder + "/b.npy"
}

// The Koopman operator of a linear map A with a linear kernel has the eigenvalues of A. transform gives its
// eigenfunctions, for which f(Ax) = λ·f(x).
func TestOperatorEigen(t *testing.T) {
	t.Parallel()
	a := cmplx.Rect(0.9, 0.7)
	one, two := spiral(t, a)
	model := one + ".npz"
	r := operatorFit(t, one+" --lag 1 --kind koopman --task eigen --ridge 0 --kernel linear() --rank 1 -o "+model)
	if r.Rows != 19 || len(r.Values) != 2 || len(r.Imag) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []complex128{a, cmplx.Conj(a)} {
		if got := complex(r.Values[i], r.Imag[i]); cmplx.Abs(got-want) > 1e-9 || math.Abs(r.Timescales[i]+1/math.Log(0.9)) > 1e-7 || r.Residuals[i] > 1e-12 {
			t.Errorf("eigenvalue %v, not %v; timescale %v, residual %v", got, want, r.Timescales[i], r.Residuals[i])
		}
	}
	command(t, "transform "+model+" "+two+" --side right -o "+two+".csv")
	f := table(t, two+".csv", "right")
	if f.Cols != 4 {
		t.Fatalf("%d columns", f.Cols)
	}
	at := func(i int) complex128 { return complex(f.Data[4*i], f.Data[4*i+2]) } // right0_re and right0_im
	for i := range f.Rows - 1 {
		if off := cmplx.Abs(at(i+1) - a*at(i)); off > 1e-8*cmplx.Abs(at(i)) {
			t.Errorf("row %d: %v is carried to %v", i, at(i), at(i+1))
		}
	}
	for flag, want := range map[string][2]int64{"": {30, 2}, " --trajectories all": {35, 1}} {
		r := operatorFit(t, one+" "+two+flag+" --lag 5 --kind koopman --ridge 0 --kernel linear() --rank 1 -o "+model)
		if got := [2]int64{r.Rows, int64(r.Trajectories)}; got != want {
			t.Errorf("%q: %v pairs and trajectories, not %v", flag, got, want)
		}
	}
}

// With two groups of columns, each side has its own scaling, and transform takes y for the left and x for the right
// side. For linear kernels of one column, the value is the correlation and the functions are the scaled columns.
func TestOperatorSides(t *testing.T) {
	folder := t.TempDir()
	random, x := rand.New(rand.NewPCG(1, 3)), matrix.New(80, 2)
	a, b := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		a[i] = 5 + random.NormFloat64()
		b[i] = 100 - 3*a[i] + random.NormFloat64()
		x.Data[2*i], x.Data[2*i+1] = a[i], b[i]
	}
	data, model := folder+"/x.csv", folder+"/m.npz"
	if err := writeTable(data, []string{"a", "b"}, x); err != nil {
		t.Fatal(err)
	}
	r := operatorFit(t, data+" --columns a --with "+data+" --with-columns b --kind cross-covariance --scale standard --kernel linear() --rank 1 -o "+model)
	if want := -stat.Correlation(a, b, nil); math.Abs(r.Values[0]-want) > 1e-12 {
		t.Errorf("value %v, not %v", r.Values[0], want)
	}
	for side, column := range map[string][]float64{"left": b, "right": a} {
		command(t, "transform "+model+" "+data+" --side "+side+" -o "+data+"."+side+".csv")
		f := table(t, data+"."+side+".csv", side)
		mean, sd := stat.PopMeanStdDev(column, nil)
		for i, v := range column {
			if want := math.Abs(v-mean) / sd; math.Abs(math.Abs(f.Data[i])-want) > 1e-10 {
				t.Fatalf("%s function at row %d is %v, not ±%v", side, i, f.Data[i], want)
			}
		}
	}
}

// The covariance of four rows is known, two distant groups are the sets, and a centred covariance explains all but the
// mean.
func TestOperatorSets(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	x := matrix.New(40, 2)
	for i := range x.Rows {
		x.Data[2*i] = float64(i%2) * 10
		x.Data[2*i+1] = float64(i % 5)
	}
	if err := writeTable(folder+"/x.npy", rows.Numbered("x", 2), x); err != nil {
		t.Fatal(err)
	}
	r := operatorFit(t, folder+"/x.npy --kind covariance --center --kernel linear() --rank 2 --clusters 2 --clusters-output "+folder+"/c.csv --plot "+folder+"/p.svg -o "+folder+"/m.npz")
	for i, want := range []float64{25, 2} { // the variances of the columns
		if math.Abs(r.Values[i]-want) > 1e-9 || math.Abs(r.Explained[i]-want/27) > 1e-12 {
			t.Errorf("value %d is %v and explains %v", i, r.Values[i], r.Explained[i])
		}
	}
	labels := table(t, folder+"/c.csv", "cluster")
	for i := range labels.Rows {
		if labels.Data[i] != labels.Data[i%2] || labels.Data[0] == labels.Data[1] {
			t.Fatalf("sets %v", labels.Data)
		}
	}
	if r.Clusters != 2 || r.ClusterSizes[0] != 20 || labels.Rows != 40 {
		t.Errorf("%+v", r)
	}
	drawn, err := os.ReadFile(folder + "/p.svg")
	if err != nil || !strings.Contains(string(drawn), "right0, value 25") || !strings.Contains(string(drawn), ">set 1<") {
		t.Errorf("the picture: %v", err)
	}
}
