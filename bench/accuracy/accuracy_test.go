package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream/sparse"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(strings.Fields("-only tolerance -data abalone -tol 0.1,0.01 -seeds 2"))
	if err != nil || o.data[0] != "abalone" || o.tolerances[1] != 0.01 || o.seeds != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"-only speed":                     "tolerance, calibration",
		"-only metric -data abalone":      "-data, for -only metric",
		"-only calibration -data mnist":   "-data, for -only calibration",
		"-tol small":                      "-tol",
		"-only tolerance -data uniform x": "flags only",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestFitsWithin compares ranks and errors of fits to a tolerance with the eigenvalues.
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

// TestCalibration: estimates of a few cases are close to the truth.
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

// TestTriplets: for a small graph, estimates equal the truth if every row is a landmark or held back, and the counts
// reveal a wrong estimate.
func TestTriplets(t *testing.T) {
	a, err := tripletGraph(context.Background(), "groups")
	if err != nil {
		t.Fatal(err)
	}
	var entries []sparse.Entry
	for e := range a.Entries() {
		if e.Row < 150 && e.Col < 150 {
			entries = append(entries, e)
		}
	}
	small, err := sparse.NewCSR(150, 150, slices.Values(entries))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range tripletKernels {
		table, counts := &report.Table{}, map[string]*agreement{}
		if err := tripletCases(context.Background(), table, counts, "small", small, text, []int{40, 0}); err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != 2 || len(counts) != 4 {
			t.Fatalf("%v, %v", table.Rows, counts)
		}
		for figure, c := range counts {
			if *c != (agreement{cases: 2, near: 2}) {
				t.Errorf("%s, %s: %+v in %v", text, figure, *c, table.Rows)
			}
		}
	}
	c := &agreement{}
	c.add(0.1, 0.4, true)
	c.add(0.1, 0.4, false)
	c.add(0.4, 0.1, false)
	c.add(1e-9, 1e-5, false)
	if *c != (agreement{cases: 4, near: 1, silent: 1}) {
		t.Errorf("%+v", *c)
	}
}
