package paper3

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// TestSlowMethodsAgreeWithoutLabels holds package ism against W found by ascent, and Y
// by dense eigenvectors: the same J and the same clusters.
func TestSlowMethodsAgreeWithoutLabels(t *testing.T) {
	x, classes := blobs(90, 5)
	k := kernelNamed("gaussian")
	s := ism.Solver{Dim: 2, Engine: ism.EngineExact, Paradigm: ism.Unsupervised, Clusters: 3, Seed: 1}
	fit, err := s.Fit(background, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix("blobs", x)}, k.parsed())
	if err != nil {
		t.Fatal(err)
	}
	kernel, ok := denseTerm(fit.Kernel)
	if !ok {
		t.Fatalf("%v has no dense form", fit.Kernel)
	}
	for _, method := range slowMethods {
		r, err := alternate(background, method, x, kernel, 3, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		if off := r.value/fit.Objective - 1; math.Abs(off) > 0.01 {
			t.Errorf("%s: J is %g, package ism has %g", method, r.value, fit.Objective)
		}
		labels, err := clustersOf(background, r.y, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		nmi, err := metrics.NMI(fit.Labels, labels)
		if err != nil || nmi < 0.95 {
			t.Errorf("%s: NMI with the clusters of package ism is %g (%v); with the classes that has %v", method, nmi, err, classes[:3])
		}
	}
}

// TestGeneratedRowsHaveTheirSubspace finds the subspace of the means of the classes.
func TestGeneratedRowsHaveTheirSubspace(t *testing.T) {
	u, err := truth(3)
	if err != nil {
		t.Fatal(err)
	}
	x, labels := generatedRows(20_000, u, 3)
	means, count := stream.NewMatrix(generatedColumns, len(corners)), make([]float64, len(corners))
	for i, l := range labels {
		count[l]++
		for j, v := range dense.Row(x, i) {
			means.Data[j*means.Stride+l] += v
		}
	}
	for j := range means.Rows {
		for l, n := range count {
			means.Data[j*means.Stride+l] /= n
		}
	}
	means.Cols = generatedDim // of four corners that add up to nothing
	basis, err := orthonormalBeside(stream.NewMatrix(generatedColumns, 0), means)
	if err != nil {
		t.Fatal(err)
	}
	if angle, err := largestAngle(basis, u); err != nil || angle > 0.15 {
		t.Errorf("the means of the classes are %g from the subspace (%v)", angle, err)
	}
}
