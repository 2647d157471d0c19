package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(strings.Fields("-only tolerance -data abalone -tol 0.1,0.01 -seeds 2"))
	if err != nil || o.data[0] != "abalone" || o.tolerances[1] != 0.01 || o.seeds != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"-only speed":                     "tolerance, calibration",
		"-only matrix -data abalone":      "-data, for -only matrix",
		"-only calibration -data mnist":   "-data, for -only calibration",
		"-tol small":                      "-tol",
		"-only tolerance -data uniform x": "flags only",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestFitsWithin: ranks and errors of fits to a tolerance, beside the eigenvalues.
func TestFitsWithin(t *testing.T) {
	x, k := datasets.Uniform(300, 2, 7), kernelgen.RBF(1)
	f, err := fitsWithin(context.Background(), x, k, 0.01, 2)
	if err != nil {
		t.Fatal(err)
	}
	values, err := eigenvalues(k, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, rank := range f.ranks {
		if f.spectral[i] > 0.01 || rank >= 60 || f.frobenius[i] < f.spectral[i]/10 {
			t.Errorf("rank %d, errors %g and %g", rank, f.spectral[i], f.frobenius[i])
		}
		if best := values[len(values)-1-rank] / values[len(values)-1]; f.spectral[i] < best/2 {
			t.Errorf("error %g of rank %d, and the next eigenvalue is %g", f.spectral[i], rank, best)
		}
	}
	if f.verdict != "2 of 2" {
		t.Errorf("verdict %q", f.verdict)
	}
}

// TestCalibration: estimates of a few cases are near the truth.
func TestCalibration(t *testing.T) {
	table, err := calibration(context.Background(), options{cases: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Head) || row[len(row)-1] != "3 of 3" {
			t.Errorf("%v under %v", row, table.Head)
		}
	}
	if got := strings.Join(spread([]float64{3, 1, 0.5, 1.2, 1.1}), " "); got != "0.50 0.50 1.10 1.20 3.00 4 of 5" {
		t.Errorf("spread %s", got)
	}
}

// TestMatrix: one pass is near the best of the rank, and a refinement at it.
func TestMatrix(t *testing.T) {
	value := func(j float64) float64 { return math.Pow(j, -2) }
	a, err := withValues(80, 40, value)
	if err != nil {
		t.Fatal(err)
	}
	e, err := measureMatrix(context.Background(), a, 5, 2)
	if err != nil {
		t.Fatal(err)
	}
	var all, tail float64
	for j := 1.0; j <= 40; j++ {
		all += value(j) * value(j)
		if j > 5 {
			tail += value(j) * value(j)
		}
	}
	if best := math.Sqrt(tail / all); math.Abs(e.best-best) > 1e-12 {
		t.Errorf("best %g, of the singular values %g", e.best, best)
	}
	if e.one < e.best || e.one > 3*e.best || e.refined < e.best || e.refined > 1.1*e.best || e.estimate > 2*e.one {
		t.Errorf("%+v", e)
	}
}

func TestLandmarkFits(t *testing.T) {
	m := lowrank.Landmark{Rank: 8, Landmarks: 16, Rule: lowrank.RulePivoted}
	f, err := landmarkFits(context.Background(), datasets.Uniform(600, 2, 7), kernelgen.RBF(1), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if f.choice > f.all || f.spectral <= 0 || f.spectral > 0.1 || f.frobenius < f.spectral/10 {
		t.Errorf("%+v", f)
	}
}
