package ism

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

var streamEngine = stream.Engine{}

// TestSaveLoad: a model comes back bit for bit, through JSON, and a damaged one is refused.
func TestSaveLoad(t *testing.T) {
	x, labels, _ := informative(200, 5, 4, 1)
	f := mustFit(t, Solver{Kernel: mustParse(t, "gaussian() + 0.1*inverse()"), Dim: 2, Seed: 7}, streamEngine, source(x), Task{Known: mustClasses(t, labels, 4)})
	h, arrays := f.Save()
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var back Header
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	m, err := Load(back, arrays, testProfiles...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{m.W, m.Values, m.Columns, m.Kernel.String(), m.Paradigm, m.Engine, m.Rows, m.Seed},
		[]any{f.W, f.Values, f.Columns, f.Kernel.String(), f.Paradigm, f.Engine, f.Rows, f.Seed}); diff != "" {
		t.Error(diff)
	}
	if _, err := Load(back, arrays); err == nil {
		t.Error("a kernel of one's own was read without its profile")
	}
	change := func(edit func(h *Header, a []lowrank.Array) []lowrank.Array) error {
		h := back
		h.Columns = append([]string(nil), back.Columns...)
		a := append([]lowrank.Array(nil), arrays...)
		for i := range a {
			a[i].Floats = append([]float64(nil), a[i].Floats...)
		}
		a = edit(&h, a)
		_, err := Load(h, a, testProfiles...)
		return err
	}
	for name, edit := range map[string]func(h *Header, a []lowrank.Array) []lowrank.Array{
		"method":         func(h *Header, a []lowrank.Array) []lowrank.Array { h.Method = "ksvd"; return a },
		"kernel":         func(h *Header, a []lowrank.Array) []lowrank.Array { h.Kernel = "?"; return a },
		"words":          func(h *Header, a []lowrank.Array) []lowrank.Array { h.Kernel = "gaussian()"; return a },
		"paradigm":       func(h *Header, a []lowrank.Array) []lowrank.Array { h.Paradigm = "no"; return a },
		"engine":         func(h *Header, a []lowrank.Array) []lowrank.Array { h.Engine = "auto"; return a },
		"dimension":      func(h *Header, a []lowrank.Array) []lowrank.Array { h.Dim = 6; return a },
		"negative":       func(h *Header, a []lowrank.Array) []lowrank.Array { h.Dim = -1; return a },
		"columns":        func(h *Header, a []lowrank.Array) []lowrank.Array { h.Columns = h.Columns[:4]; return a },
		"missing":        func(_ *Header, a []lowrank.Array) []lowrank.Array { return a[:1] },
		"NaN":            func(_ *Header, a []lowrank.Array) []lowrank.Array { a[0].Floats[3] = math.NaN(); return a },
		"shape":          func(_ *Header, a []lowrank.Array) []lowrank.Array { a[0].Rows = 4; return a },
		"not orthogonal": func(_ *Header, a []lowrank.Array) []lowrank.Array { a[0].Floats[0] += 0.1; return a },
	} {
		if err := change(edit); err == nil || !strings.HasPrefix(err.Error(), "model") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTransform: XW of new rows, and loadings by magnitude with names.
func TestTransform(t *testing.T) {
	x, labels, _ := informative(300, 5, 4, 1)
	f := mustFit(t, Solver{Kernel: Linear(), Dim: 2}, streamEngine, source(x), Task{Known: mustClasses(t, labels, 4)})
	fresh := normals(700, 5, 99)
	got := stream.NewMatrix(700, 2)
	err := f.Transform(ctx, stream.Engine{BlockRows: 128}, source(fresh), false, func(b *stream.Block, xw blas64.General) error {
		for i := range xw.Rows {
			copy(dense.Row(got, int(b.Start)+i), dense.Row(xw, i))
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
	if err := f.Transform(ctx, streamEngine, source(normals(3, 4, 1)), false, none); err == nil || !strings.Contains(err.Error(), "4 columns") {
		t.Errorf("rows of another length: %v", err)
	}
	fresh.Data[7] = math.Inf(1)
	if err := f.Transform(ctx, streamEngine, source(fresh), false, none); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("an infinite number: %v", err)
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

func TestConformance(t *testing.T) {
	t.Run("spread", func(t *testing.T) {
		newAcc := func() *spread { return newSpread(4) }
		conformance.Run(t, newAcc, func(block int64) *spread {
			s := newAcc()
			s.add(normals(20, 4, uint64(block)))
			return s
		}, 11)
	})
}
