package ism

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var streamEngine = stream.Engine{}

// TestSaveLoad: a loaded model equals the saved one bit for bit, and Load refuses a damaged one.
func TestSaveLoad(t *testing.T) {
	x, labels, _ := informative(200, 5, 4, 1)
	f := mustFit(t, Solver{Dim: 2, Seed: 7}, streamEngine, &Data{source(x), mustClasses(t, labels, 4)}, mustParse(t, "gaussian() + 0.1*inverse()"))
	saved, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(saved, testProfiles...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{m.W, m.Values, m.Columns, m.Kernel.String(), m.Paradigm, m.Algorithm, m.Rows, m.Seed},
		[]any{f.W, f.Values, f.Columns, f.Kernel.String(), f.Paradigm, f.Algorithm, f.Rows, f.Seed}); diff != "" {
		t.Error(diff)
	}
	if _, err := Load(saved); err == nil {
		t.Error("a kernel of one's own was read without its profile")
	}
	for name, edit := range map[string]func(h *header, a *model.Archive){
		"method":         func(h *header, _ *model.Archive) { h.Method = "ksvd" },
		"kernel":         func(h *header, _ *model.Archive) { h.Kernel = "?" },
		"words":          func(h *header, _ *model.Archive) { h.Kernel = "gaussian()" },
		"paradigm":       func(h *header, _ *model.Archive) { h.Paradigm = "no" },
		"engine":         func(h *header, _ *model.Archive) { h.Engine = "auto" },
		"dimension":      func(h *header, _ *model.Archive) { h.Dim = 6 },
		"negative":       func(h *header, _ *model.Archive) { h.Dim = -1 },
		"columns":        func(h *header, _ *model.Archive) { h.Columns = h.Columns[:4] },
		"shape":          func(_ *header, a *model.Archive) { a.Arrays[0].Shape = []int{4, a.Arrays[0].Shape[1]} },
		"not orthogonal": func(_ *header, a *model.Archive) { a.Arrays[0].Floats[0] += 0.1 },
	} {
		if err := edited(t, saved, edit); err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// edited returns the error of Load for an edited copy of an archive.
func edited(t *testing.T, saved *model.Archive, edit func(h *header, a *model.Archive)) error {
	t.Helper()
	var h header
	saved.Read(&h)
	a := &model.Archive{}
	for _, array := range saved.Arrays {
		array.Floats = append([]float64(nil), array.Floats...)
		a.Arrays = append(a.Arrays, array)
	}
	edit(&h, a)
	var err error
	if a.Header, err = json.Marshal(h); err != nil {
		t.Fatal(err)
	}
	_, err = Load(a, testProfiles...)
	return err
}

// TestOldKernels: Load reads models with kernels in the syntax of older versions, and the text of a kernel does not
// change.
func TestOldKernels(t *testing.T) {
	x, labels, _ := informative(60, 3, 3, 1)
	f := mustFit(t, Solver{Dim: 1}, streamEngine, &Data{source(x), mustClasses(t, labels, 3)}, kernelgen.Linear())
	saved, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"linear()":                    "linear()",
		"polynomial(degree=3, c=0.5)": "poly(degree=3, gamma=1, coef0=0.5)",
		"gaussian(sigma=2.5)":         "gaussian(sigma=2.5)",
		"relative(neighbour=7)":       "relative(neighbour=7)",
		"squared()":                   "squared()",
		"multiquadratic(c=2)":         "multiquadratic(c=2)",
		"inverse()":                   "inverse()",
		"0.001*gaussian(sigma=1e-05) + 2*squared()": "0.001*gaussian(sigma=1e-05) + 2*squared()",
	} {
		err := edited(t, saved, func(h *header, a *model.Archive) { h.Kernel = text })
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var h header
		saved.Read(&h)
		h.Kernel = text
		a, err := model.NewArchive(h)
		if err != nil {
			t.Fatal(err)
		}
		a.Arrays = saved.Arrays
		if m, err := Load(a, testProfiles...); err != nil || m.Kernel.String() != want {
			t.Errorf("%s is read as %v, %v; want %s", text, m.Kernel, err, want)
		}
	}
}

// TestTransform: XW of new rows, and the loadings by magnitude with names.
func TestTransform(t *testing.T) {
	x, labels, _ := informative(300, 5, 4, 1)
	f := mustFit(t, Solver{Dim: 2}, streamEngine, &Data{source(x), mustClasses(t, labels, 4)}, kernelgen.Linear())
	fresh := normals(700, 5, 99)
	got := matrix.New(700, 2)
	err := f.Transform(ctx, stream.Engine{BlockRows: 128}, source(fresh), model.Request{}, func(b *stream.Block, xw blas64.General) error {
		for i := range xw.Rows {
			copy(matrix.Row(got, int(b.Start)+i), matrix.Row(xw, i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range fresh.Rows {
		for j := range 2 {
			want := 0.0
			for k := range 5 {
				want += fresh.Data[5*i+k] * f.W.Data[2*k+j]
			}
			if math.Abs(want-got.Data[2*i+j]) > 1e-12 {
				t.Fatalf("row %d is %v, want %v", i, got.Data[2*i+j], want)
			}
		}
	}
	none := func(*stream.Block, blas64.General) error { return nil }
	var place *stream.DataError
	if err := f.Transform(ctx, streamEngine, source(normals(3, 4, 1)), model.Request{}, none); err == nil || !strings.Contains(err.Error(), "4 columns") {
		t.Errorf("rows of another length: %v", err)
	}
	fresh.Data[7] = math.Inf(1)
	if err := f.Transform(ctx, streamEngine, source(fresh), model.Request{}, none); !errors.As(err, &place) || place.Row != 1 {
		t.Errorf("an infinite number: %v", err)
	}
	if err := f.Transform(ctx, streamEngine, source(fresh), model.Request{Side: model.Right}, none); err == nil {
		t.Error("there is a right side")
	}
	if names, err := f.Outputs(model.Left, model.Coordinates); err != nil || !slices.Equal(names, []string{"xw0", "xw1"}) {
		t.Errorf("outputs %v, %v", names, err)
	}
	d := f.Describe()
	if d.Method != "ism" || d.Kernel != "linear()" || d.Rank != 2 || d.Columns != 5 || len(d.Facts) != 4 || d.Facts[2].Name != "xw0" {
		t.Errorf("it describes itself as %+v", d)
	}
	for j, loadings := range f.Loadings(3) {
		if len(loadings) != 3 {
			t.Fatalf("%d loadings", len(loadings))
		}
		for i, l := range loadings {
			if l.Weight != f.W.Data[2*l.Column+j] || l.Name != f.Columns[l.Column] || i > 0 && math.Abs(l.Weight) > math.Abs(loadings[i-1].Weight) {
				t.Errorf("loading %d of dimension %d is %+v", i, j, l)
			}
		}
		if loadings[0].Weight < 0 {
			t.Errorf("the largest loading of dimension %d is %v", j, loadings[0].Weight)
		}
	}
}
