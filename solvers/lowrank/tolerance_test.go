package lowrank

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestAdaptive compares fits to a tolerance with the dense error, and their rank with the smallest sufficient one.
func TestAdaptive(t *testing.T) {
	t.Parallel()
	k := kernelgen.RBF(3)
	x := clusters(300, 3, 1)
	a := kernelMatrix(k, x, x)
	values := denseEigen(t, a).Values
	for _, tolerance := range []float64{1e-1, 1e-2, 1e-4} {
		floor := 0
		for floor < len(values) && values[floor] > tolerance*values[0] {
			floor++
		}
		for seed := uint64(1); seed <= uint64(fewer(2, 1)); seed++ {
			f, err := Adaptive{Seed: seed, ErrorTol: tolerance}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
			if err != nil {
				t.Fatal(err)
			}
			e := denseError(t, f.Model, x, a, values[0])
			t.Logf("tolerance %g: error %.3g, rank %d, the best matrix needs %d; %d passes", tolerance, e, f.Left.Rank(), floor, f.SourcePasses)
			if f.NotConverged || e > tolerance || f.Left.Rank() > floor+floor/2+1 {
				t.Errorf("tolerance %g: error %g, rank %d, the best matrix needs %d, reached %t", tolerance, e, f.Left.Rank(), floor, !f.NotConverged)
			}
		}
	}
}

// TestAdaptiveNorm: the error is within the tolerance in the requested norm, and would not be with a much lower rank.
func TestAdaptiveNorm(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const tolerance = 0.05
	k, d := kernelgen.RBF(3), model.Sources{Left: stream.FromMatrix("x", clusters(500, 3, 1))}
	for _, shift := range []ShiftRule{ShiftFitted, ShiftMidpoint, ShiftNone} {
		for norm := NormSpectral; norm <= NormFrobenius; norm++ {
			f, err := Adaptive{Seed: 1, ErrorTol: tolerance, Norm: norm, Shift: shift}.Fit(context.Background(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			v, err := f.Verify(context.Background(), stream.Engine{}, d, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			e := []float64{v.SpectralError, v.FrobeniusError}[norm]
			t.Logf("shift %s, %s: rank %d, errors %.3g and %.3g, %d passes", shift, norm, len(f.Values), v.SpectralError, v.FrobeniusError, f.SourcePasses)
			if f.NotConverged || e > tolerance || e < tolerance/3 {
				t.Errorf("shift %s, %s: error %g, reached %t", shift, norm, e, !f.NotConverged)
			}
		}
	}
}

// TestAdaptiveLimits: the fit reports the limit that ended its growth.
func TestAdaptiveLimits(t *testing.T) {
	t.Parallel()
	src := stream.FromMatrix("x", clusters(500, 5, 1))
	k := kernelgen.Laplace(8)
	fit := func(m Adaptive) *Fit {
		f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := fit(Adaptive{Rank: 20, Seed: 1, ErrorTol: 1e-4})
	if !f.NotConverged || f.Left.Rank() > 20 || !strings.Contains(strings.Join(f.Warnings, "\n"), "limited to 20") {
		t.Errorf("rank %d, reached %t, warnings %q", f.Left.Rank(), !f.NotConverged, f.Warnings)
	}
	f = fit(Adaptive{Seed: 1, ErrorTol: 1e-4, Memory: model.RuntimeBytes + 16<<20})
	if !f.NotConverged || !strings.Contains(strings.Join(f.Warnings, "\n"), "`Memory`") || math.IsNaN(f.EstimateIn(NormSpectral)) {
		t.Errorf("reached %t, warnings %q", !f.NotConverged, f.Warnings)
	}
	for _, bad := range []float64{0, 1, -1, math.NaN(), math.Inf(1)} {
		if _, err := (Adaptive{ErrorTol: bad}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k); err == nil {
			t.Errorf("tolerance %g was taken", bad)
		}
	}
	if _, err := (Adaptive{ErrorTol: 0.1, Memory: 1 << 20}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k); err == nil || !strings.Contains(err.Error(), "`Memory`") {
		t.Errorf("1 MiB: error %v", err)
	}
}

// TestAdaptiveOfNothing: a zero matrix has rank 0 and no error, and one of equal rows rank 1.
func TestAdaptiveOfNothing(t *testing.T) {
	t.Parallel()
	for rank := range 2 {
		rows := filled(300, 2, func(_, _ int) float64 { return float64(rank) })
		for _, norm := range []Norm{NormSpectral, NormFrobenius} {
			f, err := Adaptive{ErrorTol: 0.01, Norm: norm, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", rows)}, kernelgen.Linear())
			if err != nil {
				t.Fatal(err)
			}
			if f.Left.Rank() != rank || f.NotConverged || !(f.EstimateIn(norm) < 1e-12) {
				t.Errorf("%v: rank %d, want %d; estimate %g", norm, f.Left.Rank(), rank, f.EstimateIn(norm))
			}
			u, err := model.TransformMatrix(context.Background(), stream.Engine{}, f.Model, rows, model.Request{})
			if err != nil || u.Rows != 300 || u.Cols != rank {
				t.Errorf("%v: transformed to %d × %d, %v", norm, u.Rows, u.Cols, err)
			}
		}
	}
}

// parsed parses and resolves a kernel.
func parsed(t *testing.T, text string, x blas64.General) kernelgen.Kernel {
	t.Helper()
	k, err := parseKernel(t, text).Resolve(x)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestAdaptiveIndefinite: matrices with negative eigenvalues meet the tolerance, or the fit warns.
func TestAdaptiveIndefinite(t *testing.T) {
	t.Parallel()
	x := matrix.New(600, 3)
	sketch.NewRandom(1, "indefinite").Normals(x)
	d := model.Sources{Left: stream.FromMatrix("x", x)}
	for _, text := range []string{"multiquadratic()", "relu()"} {
		f, err := Adaptive{ErrorTol: 0.05, Seed: 1}.Fit(context.Background(), stream.Engine{}, d, parsed(t, text, x))
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Verify(context.Background(), stream.Engine{}, d, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: rank %d of %d landmarks, error %.3g, estimate %.3g, unsettled %v", text, f.Left.Rank(), f.Left.Landmarks.Rows, v.SpectralError, f.EstimateIn(NormSpectral), f.NotConverged)
		if f.NotConverged || v.SpectralError > 0.05 {
			t.Errorf("%s: error %.3g, estimate %.3g, unsettled %v", text, v.SpectralError, f.EstimateIn(NormSpectral), f.NotConverged)
		}
	}
}
