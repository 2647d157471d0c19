package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/stream"
)

// ismFiles writes rows x.npy and classes y.npy, which depend on two of five columns.
func ismFiles(t *testing.T) (folder string, x blas64.General) {
	t.Helper()
	folder = t.TempDir()
	random := rand.New(rand.NewPCG(1, 9))
	x, y := randomMatrix(random, 120, 5), matrix.New(120, 1)
	for i := range x.Rows {
		class := i % 3
		x.Data[i*5+1] += 2 * float64(class)
		x.Data[i*5+3] += 2 * float64(class%2)
		y.Data[i] = float64(class)
	}
	for name, m := range map[string]blas64.General{"x.npy": x, "y.npy": y} {
		if err := writeTable(folder+"/"+name, rows.Numbered("x", m.Cols), m); err != nil {
			t.Fatal(err)
		}
	}
	return folder, x
}

// transform writes the scaled rows times the W of the model, and W finds the two columns of the classes.
func TestISMTransform(t *testing.T) {
	t.Parallel()
	folder, x := ismFiles(t)
	command(t, fmt.Sprintf("fit ism %s/x.npy --label %s/y.npy --dim 2 -o %s/m.npz", folder, folder, folder))
	command(t, fmt.Sprintf("transform %s/m.npz %s/x.npy -o %s/xw.csv", folder, folder, folder))
	file, err := archive.Read(folder + "/m.npz")
	if err != nil {
		t.Fatal(err)
	}
	arrays := make(map[string][]float64)
	for _, a := range file.Arrays {
		arrays[a.Name] = a.Floats
	}
	w, shift, factor := arrays["w"], arrays["column_shift"], arrays["column_factor"]
	got := table(t, folder+"/xw.csv", "x")
	if got.Rows != x.Rows || got.Cols != 2 {
		t.Fatalf("XW is %d × %d", got.Rows, got.Cols)
	}
	for i := range x.Rows {
		for k := range 2 {
			want := 0.0
			for j := range x.Cols {
				want += (x.Data[i*x.Stride+j] - shift[j]) * factor[j] * w[2*j+k]
			}
			if v := got.Data[i*got.Stride+k]; math.Abs(v-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("row %d, column %d: %v, not %v", i, k, v, want)
			}
		}
	}
	for _, j := range []int{0, 2, 4} {
		if row := w[2*j:]; math.Hypot(row[0], row[1]) > 0.3 {
			t.Errorf("column %d, which says nothing, weighs %v", j, row[:2])
		}
	}
}

// A library that applies the preparation of a model embeds rows like the command. One that ignores it gets no model.
func TestPreparationInLibrary(t *testing.T) {
	folder, x := ismFiles(t)
	command(t, fmt.Sprintf("fit landmark %s/x.npy --kernel rbf(gamma=0.1) --rank 2 --scale standard -o %s/m.npz", folder, folder))
	command(t, fmt.Sprintf("transform %s/m.npz %s/x.npy -o %s/u.csv --coordinates orthonormal", folder, folder, folder))
	a, err := modelfile.ReadArchive(folder + "/m.npz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lowrank.Load(a); err == nil || !strings.Contains(err.Error(), "set Archive.Prepared") {
		t.Fatal(err)
	}
	m, err := modelfile.Open(folder + "/m.npz")
	if err != nil {
		t.Fatal(err)
	}
	rows := stream.FromMatrix("x", x)
	want, row := table(t, folder+"/u.csv", "u"), 0
	err = m.Transform(t.Context(), stream.Engine{}, rows, model.Request{}, func(_ *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			if !slices.Equal(u.Data[i*u.Stride:][:2], want.Data[row*want.Stride:][:2]) {
				return fmt.Errorf("row %d is %v, not %v", row, u.Data[i*u.Stride:][:2], want.Data[row*want.Stride:][:2])
			}
			row++
		}
		return nil
	})
	if err != nil || row != x.Rows {
		t.Errorf("%d rows, %v", row, err)
	}
}

// Models with contradictory contents and a valid digest are refused, and so are flipped bytes.
func TestISMDamagedModels(t *testing.T) {
	t.Parallel()
	folder, _ := ismFiles(t)
	command(t, fmt.Sprintf("fit ism %s/x.npy --label %s/y.npy --dim 2 -o %s/m.npz", folder, folder, folder))
	file, err := archive.Read(folder + "/m.npz")
	if err != nil {
		t.Fatal(err)
	}
	bad := folder + "/bad.npz"
	refused := func(what string) {
		t.Helper()
		refuses(t, what, bad, folder+"/x.npy")
	}
	for i, a := range file.Arrays {
		short := *file
		short.Arrays = append([]array.Array{}, file.Arrays...)
		short.Arrays[i] = shortened(a)
		if err := archive.Write(bad, &short); err != nil {
			t.Fatal(err)
		}
		refused("a shorter " + a.Name)
	}
	for _, edit := range [][2]string{{`"version": 1`, `"version": 2`}, {`"dim": 2`, `"dim": 3`}, {`"kernel": "gaussian`, `"kernel": "gausian`},
		{`"paradigm": "`, `"paradigm": "x`}, {`"engine": "`, `"engine": "x`}, {`"nulls": "error"`, `"nulls": "x"`}} {
		meta := strings.Replace(string(file.Meta), edit[0], edit[1], 1)
		if meta == string(file.Meta) {
			t.Fatalf("meta.json has no %s: %s", edit[0], meta)
		}
		if err := archive.Write(bad, &archive.Archive{Meta: []byte(meta), Arrays: file.Arrays}); err != nil {
			t.Fatal(err)
		}
		refused(edit[1])
	}
	whole, err := os.ReadFile(folder + "/m.npz")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/40 {
		damaged := append([]byte{}, whole...)
		damaged[at] ^= 4
		if err := os.WriteFile(bad, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("byte %d flipped", at))
	}
}

// The objective of accepted steps never decreases. A plan has at least the passes, and about the kernel entries, of a
// fit with as many W.
func TestISMReport(t *testing.T) {
	t.Parallel()
	folder, _ := ismFiles(t)
	for _, flags := range []string{"--engine exact", "--engine linear", "--engine linear --kernel polynomial(degree=2,c=1)", "--engine exact --paradigm unsupervised --clusters 3", "--engine linear --paradigm unsupervised --clusters 3"} {
		label := "--label " + folder + "/y.npy"
		line := fmt.Sprintf("%s/x.npy %s %s --dim 2 --format json", folder, label, flags)
		var plan, fit struct {
			Passes        map[string]int `json:"passes"`
			Scans         map[string]int `json:"scans"`
			KernelEntries int64          `json:"kernel_entries"`
			Objective     []float64      `json:"objective"`
			Eigenvalues   []float64      `json:"values"`
			Iterations    int            `json:"iterations"`
		}
		mustDecode(t, command(t, "fit ism "+line+" -o "+folder+"/m.npz"), &fit)
		mustDecode(t, command(t, fmt.Sprintf("plan fit ism %s --iterations %d", line, fit.Iterations)), &plan)
		if plan.Scans["data"] != fit.Scans["data"] || len(fit.Eigenvalues) != 2 || len(fit.Objective) == 0 {
			t.Errorf("%s: planned %+v, took %+v", flags, plan, fit)
		}
		if strings.Contains(flags, "unsupervised") {
			continue // its Γ changes, and so do its passes
		}
		if plan.Passes["data"] < fit.Passes["data"] || 1.05*float64(plan.KernelEntries) < float64(fit.KernelEntries) {
			t.Errorf("%s: planned %v passes and %d entries, took %v and %d", flags, plan.Passes, plan.KernelEntries, fit.Passes, fit.KernelEntries)
		}
		for i := 1; i < len(fit.Objective); i++ {
			if fit.Objective[i] < fit.Objective[i-1]*(1-1e-9) && strings.Contains(flags, "exact") {
				t.Errorf("%s: the objective falls: %v", flags, fit.Objective)
			}
		}
	}
}
