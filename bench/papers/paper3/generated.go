package paper3

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// The generated rows: four classes around the corners of a tetrahedron in a
// 3-dimensional subspace of 50 columns, which are independent of the class
// otherwise. All columns together have covariance 1, so that no direction shows by its
// spread.
const (
	generatedColumns = 50
	generatedDim     = 3
	corner           = 0.7 // of a coordinate, whose deviation in all is 1
)

var corners = [4][generatedDim]float64{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}

// generatedKernels have the paper's width, at which the kernel is nearly a polynomial
// of few features, and one of the size of the classes, which takes more.
var generatedKernels = []string{"gaussian(sigma=median)", "gaussian(sigma=2)"}

// truth returns the informative subspace: orthonormal columns, d×3.
func truth(seed uint64) (blas64.General, error) {
	return orthonormalBeside(stream.NewMatrix(generatedColumns, 0), randomColumns(generatedColumns, generatedDim, seed))
}

// generate writes n rows, and their class as the last column, to a .nys store.
func generate(path string, n int64, u blas64.General, seed uint64) error {
	columns := append(stream.NumberedColumns(generatedColumns), "class")
	w, err := blockstore.Create(path, blockstore.Schema{Columns: columns, Rows: n})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	random := sketch.NewRandom(seed, "rows with a subspace")
	b := stream.NewMatrix(stream.PanelRows, len(columns))
	for first := int64(0); first < n; first += int64(b.Rows) {
		m := int(min(int64(b.Rows), n-first))
		for i := range m {
			draws := random.At(uint64(first) + uint64(i))
			fillGenerated(dense.Row(b, i), u, &draws)
		}
		if err := w.Write(&stream.Batch{X: stream.RowSlice(b, 0, m)}, m); err != nil {
			return err
		}
	}
	return w.Commit()
}

// fillGenerated draws a row: noise of deviation 1, and in the subspace a corner with
// noise that makes up the rest of the deviation.
func fillGenerated(x []float64, u blas64.General, draws *sketch.Draws) {
	d := u.Rows
	class := draws.Uint64n(uint64(len(corners)))
	for j := range d {
		x[j] = draws.Normal()
	}
	rest := math.Sqrt(1 - corner*corner)
	var add [generatedDim]float64
	for k := range add {
		along := 0.0
		for j := range d {
			along += x[j] * dense.Row(u, j)[k]
		}
		add[k] = corner*corners[class][k] + (rest-1)*along
	}
	for j := range d {
		for k, v := range add {
			x[j] += v * dense.Row(u, j)[k]
		}
	}
	x[d] = float64(class)
}

// generated fits rows of each size with the program nystream, and compares W with the
// truth.
func generated(ctx context.Context, o *options) error {
	folder, err := os.MkdirTemp("", "nystream-generated-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "nystream")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/nystream/nystream/cmd/nystream").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	u, err := truth(o.seed)
	if err != nil {
		return err
	}
	t := &report.Table{File: "generated", Title: fmt.Sprintf("Rows with a known %d-dimensional subspace of %d columns", generatedDim, generatedColumns),
		Head: []string{"kernel", "rows", "largest principal angle", "seconds", "CPU seconds", "times the rows before", "CPU, times", "peak memory, MB", "W tried", "passes", "scans before", "features"},
		Notes: []string{fmt.Sprintf("nystream fit ism rows.nys --label class --dim %d --engine linear: a process of its own, its time and peak resident memory. "+
			"The largest angle is between W, in the columns as they are, and the subspace that the classes lie in.", generatedDim)}}
	last := make(map[string]*fitReport)
	for _, n := range o.rows {
		data, model := filepath.Join(folder, "rows.nys"), filepath.Join(folder, "m.npz")
		if err := generate(data, int64(n), u, o.seed); err != nil {
			return err
		}
		for _, kernel := range generatedKernels {
			r, err := runNystream(ctx, program, "fit", "ism", data, "--label", "class", "--kernel", kernel, "--dim", fmt.Sprint(generatedDim), "--engine", "linear", "--format", "json", "-o", model)
			if err != nil {
				return err
			}
			w, err := rawSubspace(model)
			if err != nil {
				return err
			}
			angle, err := largestAngle(w, u)
			if err != nil {
				return err
			}
			before, ok := last[kernel]
			if !ok {
				before = &fitReport{Seconds: math.NaN(), cpu: math.NaN()}
			}
			t.Add(kernel, n, angle, r.Seconds, r.cpu, r.Seconds/before.Seconds, r.cpu/before.cpu, float64(r.PeakRSSBytes)/1e6, r.Iterations, r.Passes["data"], r.Scans["data"], r.Features)
			last[kernel] = r
		}
	}
	return t.Write(o.out)
}

// fitReport is what of the report of fit ism is looked at.
type fitReport struct {
	Iterations, Features int
	Seconds              float64
	PeakRSSBytes         int64 `json:"peak_rss_bytes"`
	Passes, Scans        map[string]int

	cpu float64 // seconds of all threads
}

func runNystream(ctx context.Context, program string, args ...string) (*fitReport, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("nystream: %w: %s", err, complaint.String())
	}
	r := &fitReport{cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	return r, json.Unmarshal(out, r)
}

// rawSubspace returns an orthonormal basis of W over the columns before they were scaled.
func rawSubspace(model string) (blas64.General, error) {
	file, err := archive.Read(model)
	if err != nil {
		return blas64.General{}, err
	}
	w, err := file.Matrix("w")
	if err != nil {
		return w, err
	}
	factor, err := file.Vector("column_factor")
	if err != nil {
		return w, err
	}
	w = dense.Clone(w)
	for i, f := range factor {
		for j := range w.Cols {
			w.Data[i*w.Stride+j] *= f
		}
	}
	return orthonormalBeside(stream.NewMatrix(w.Rows, 0), w)
}

// largestAngle returns the largest principal angle between the spans of orthonormal
// columns: its sine is the norm of what of a is beside b.
func largestAngle(a, b blas64.General) (float64, error) {
	rest := dense.Clone(a)
	removeSpan(rest, b)
	s := dense.Mul(blas.Trans, rest, blas.NoTrans, rest)
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(s.Rows, s.Data), false) {
		return 0, fmt.Errorf("the singular values of a %d×%d matrix did not converge", s.Rows, s.Cols)
	}
	values := e.Values(nil)
	return math.Asin(min(1, math.Sqrt(max(0, values[len(values)-1])))), nil
}
