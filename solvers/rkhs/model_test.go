package rkhs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestSaveAndLoad: a loaded model equals the saved one, and Load detects damage.
func TestSaveAndLoad(t *testing.T) {
	_, _, d := dependent(t, 150, 2, 2)
	turning := normal(150, 2, "turning")
	next := matrix.New(150, 2)
	for i := range 150 {
		a, b := turning.Data[2*i], turning.Data[2*i+1]
		next.Data[2*i], next.Data[2*i+1] = 0.6*a-0.6*b, 0.6*a+0.6*b
	}
	rows := normal(7, 2, "new")
	for _, c := range []struct {
		s Solver
		d *Data
		k kernelgen.Kernel
	}{
		{Solver{Operator: CCA{1e-3}, Rank: 3, Center: true}, d, kernelgen.RBF(0.5)},
		{Solver{Operator: Koopman{1e-4}, Task: Eigen, Rank: 4}, pairs(t, turning, next), kernelgen.RBF(0.3)},
		{Solver{Operator: Koopman{1e-4}, Task: Eigen, Rank: 4, Center: true}, pairs(t, turning, next), kernelgen.RBF(0.3)},
		{Solver{Operator: PerronFrobenius{1e-3, true}, Rank: 4}, pairs(t, turning, next), kernelgen.RBF(0.3)},
	} {
		f := mustFit(t, c.s, c.d, c.k)
		if complex := f.Imag != nil; complex != (f.Task == Eigen && f.Operator.String() == "koopman") {
			t.Errorf("operator %s: complex %v", f.Operator, complex)
		}
		a := saved(t, f.Model)
		m, err := Load(copied(a))
		if err != nil {
			t.Fatal(err)
		}
		if again := saved(t, m); string(again.Header) != string(a.Header) || fmt.Sprint(again.Arrays) != fmt.Sprint(a.Arrays) {
			t.Errorf("operator %s: another model came back", f.Operator)
		}
		for _, pair := range [][2]*Functions{{m.Left, f.Left}, {m.Right, f.Right}, {m.CanonicalRight, f.CanonicalRight}} {
			if pair[0] != nil && distance(t, pair[0], pair[1], rows) != 0 {
				t.Errorf("operator %s: functions changed", f.Operator)
			}
		}
		checkDamage(t, a)
		checkTransform(t, m, rows)
	}
}

// saved returns the archive of a model.
func saved(t *testing.T, m *Model) *model.Archive {
	t.Helper()
	a, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// copied returns an independent copy of an archive, as read from a file.
func copied(a *model.Archive) *model.Archive {
	return &model.Archive{Header: slices.Clone(a.Header), Arrays: slices.Clone(a.Arrays)}
}

// checkDamage requires an error for each altered word of the header.
func checkDamage(t *testing.T, whole *model.Archive) {
	t.Helper()
	for word, other := range map[string]string{`"method":"operator"`: `"method":"ksvd"`, `"kind":"`: `"kind":"no`, `"engine":"`: `"engine":"no`, `"rank":`: `"rank":1`} {
		bad := copied(whole)
		if bad.Header = bytes.Replace(bad.Header, []byte(word), []byte(other), 1); bytes.Equal(bad.Header, whole.Header) {
			t.Fatalf("%s is not in the header", word)
		}
		if _, err := Load(bad); err == nil {
			t.Errorf("no error with %s in the header", other)
		}
	}
}

// checkTransform compares outputs with the values of the functions of both sides, and counts their names.
func checkTransform(t *testing.T, m *Model, rows blas64.General) {
	t.Helper()
	src := stream.FromMatrix("rows", rows)
	for side, f := range map[model.Side]*Functions{model.Left: m.Left, model.Right: m.Right} {
		want, err := f.At(t.Context(), stream.Engine{}, rows)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		err = m.Transform(t.Context(), stream.Engine{}, src, model.Request{Side: side}, func(_ *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				got = append(got, matrix.Row(out, i)...)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want.Data) {
			t.Errorf("operator %s, %s: other values: %v", m.Operator, side, err)
		}
		names, err := m.Outputs(side, model.Coordinates)
		last := fmt.Sprint(side.String(), m.Rank()-1)
		if m.Imag != nil {
			last += "_im"
		}
		if err != nil || len(names) != want.Cols || names[len(names)-1] != last {
			t.Errorf("operator %s, %s: outputs %q, %v", m.Operator, side, names, err)
		}
		if p := m.TransformPlan(stream.Engine{Threads: 2}, src, model.Request{Side: side}); p.Memory.Total() < model.RuntimeBytes || p.SourcePasses != 1 {
			t.Errorf("operator %s, %s: plan %v", m.Operator, side, p)
		}
		if m.Dimension(side) != rows.Cols {
			t.Errorf("operator %s, %s: %d columns", m.Operator, side, m.Dimension(side))
		}
	}
	if d := m.Describe(); d.Method != Name || d.Rank != m.Rank() || d.Kernel == "" || !strings.Contains(d.Subject, m.Operator.String()) {
		t.Errorf("%+v", d)
	}
}

// TestFormat: the header and the order of arrays are part of the format.
func TestFormat(t *testing.T) {
	_, _, d := dependent(t, 40, 2, 2)
	f := mustFit(t, Solver{Operator: CCA{1e-3}, Rank: 2, Center: true, Seed: 4}, d, kernelgen.RBF(0.5))
	const space = `{"method":"nystrom","kernel":"rbf(gamma=0.5)","seed":4,"rows":40,"columns":40,"rank":40,"shift":0,"left":{}}`
	header := `{"method":"operator","task":"svd","kind":"cca","ridge":0.001,"engine":"exact","formulation":"qr","centred":true,"seed":4,"pairs":40,"rank":2,"left":` + space + `,"right":` + space + `}`
	const arrays = "values left_features_values left_features_u_landmarks left_features_u_landmark_rows left_features_u_projection " +
		"right_features_values right_features_u_landmarks right_features_u_landmark_rows right_features_u_projection " +
		"left left_offsets right right_offsets canonical_left canonical_left_offsets canonical_right canonical_right_offsets"
	a := saved(t, f.Model)
	if got := strings.Join(a.Names(), " "); string(a.Header) != header || got != arrays {
		t.Errorf("%s\n%s", a.Header, got)
	}
}
