package solvers_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

func FuzzLoadLowrank(f *testing.F)   { fuzzLoad(f, "lowrank") }
func FuzzLoadKSVD(f *testing.F)      { fuzzLoad(f, "ksvd") }
func FuzzLoadISM(f *testing.F)       { fuzzLoad(f, "ism") }
func FuzzLoadASKLS(f *testing.F)     { fuzzLoad(f, "askls") }
func FuzzLoadRKHS(f *testing.F)      { fuzzLoad(f, "rkhs") }
func FuzzLoadRidge(f *testing.F)     { fuzzLoad(f, "ridge") }
func FuzzLoadTransport(f *testing.F) { fuzzLoad(f, "transport") }

// fuzzLoad loads edited archives by the Load of their family. Load returns an error, or a model that transforms rows.
// It never panics, and its memory is proportional to the archive.
func fuzzLoad(f *testing.F, name string) {
	at := families[slices.IndexFunc(families, func(f family) bool { return f.name == name })]
	const rows = 60
	left := stream.FromMatrix("left", matrix.Rows(normalRows(1, 39), 0, rows))
	right := stream.FromMatrix("right", matrix.Rows(normalRows(2, 39), 0, rows))
	var saved []*model.Archive
	for i, r := range at.rows {
		a := must(modelOf(at.mustFit(f, stream.Engine{}, r, kernelgen.RBF(0.7), left, right)).Save())(f)
		saved = append(saved, a)
		f.Add(byte(i), []byte(nil), []byte(nil))
		f.Add(byte(i), []byte(a.Header), []byte(nil))
		for kind := range byte(len(edits)) {
			f.Add(byte(i), []byte(nil), []byte{kind, kind * 3, kind * 5, kind * 7, 2, 1, kind, 3})
		}
	}
	f.Fuzz(func(t *testing.T, which byte, header, program []byte) {
		a := edited(saved[int(which)%len(saved)], header, program)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := at.loaded(a)
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, 1<<20+64*archiveBytes(a); took > most {
			t.Fatalf("a load of %d bytes takes %d: %s", archiveBytes(a), took, a.Header)
		}
		if err != nil {
			if text := err.Error(); len(text) < 8 || strings.Contains(text, "%!") {
				t.Fatalf("the error says %q", text)
			}
			return
		}
		useModel(t, m, at)
	})
}

// useModel describes a loaded model, saves and loads it again, and transforms rows.
func useModel(t *testing.T, m model.Transformer, of family) {
	m.Describe()
	a, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.loaded(a); err != nil {
		t.Fatalf("saved again it is not loaded: %v", err)
	}
	for _, side := range []model.Side{model.Left, model.Right, model.Both} {
		d := m.Dimension(min(side, model.Right))
		if _, err := m.Outputs(side, model.Coordinates); err != nil || d > 1000 {
			continue
		}
		x := matrix.New(3, d)
		for i := range x.Data {
			x.Data[i] = float64(i%5) / 4
		}
		csr, err := sparse.NewCSR(3, d, func(yield func(sparse.Entry) bool) {
			for i := range int32(min(3, d)) {
				if !yield(sparse.Entry{Row: i, Col: i, Value: 1}) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []stream.Source{stream.FromMatrix("new", x), sparse.NewRows("new", csr, nil)} {
			m.TransformPlan(stream.Engine{}, rows, model.Request{Side: side})
			// An error is allowed: the rows may be of another kind or too far away.
			_ = m.Transform(t.Context(), stream.Engine{Threads: 1}, rows, model.Request{Side: side}, func(*stream.Block, blas64.General) error { return nil })
		}
	}
}

// archiveBytes returns the approximate size of an archive in a file.
func archiveBytes(a *model.Archive) uint64 {
	n := uint64(len(a.Header))
	for _, v := range a.Arrays {
		n += 8 * uint64(len(v.Floats)+len(v.Ints))
	}
	return n
}

// edited returns an archive with a header, unless it is empty, changed by a program. An instruction has four bytes: the
// kind of edit, the array, and two numbers for the edit.
func edited(of *model.Archive, header, program []byte) *model.Archive {
	a := &model.Archive{Header: bytes.Clone(of.Header)}
	if len(header) > 0 {
		a.Header = header
	}
	for _, v := range of.Arrays {
		v.Shape, v.Floats, v.Ints = slices.Clone(v.Shape), slices.Clone(v.Floats), slices.Clone(v.Ints)
		a.Arrays = append(a.Arrays, v)
	}
	for ; len(program) >= 4 && len(a.Arrays) > 0; program = program[4:] {
		at := int(program[1]) % len(a.Arrays)
		edits[int(program[0])%len(edits)](a, at, int(program[2]), int(program[3]))
	}
	return a
}

// edits are the kinds of edits: each changes an array or the header to something that a file can hold.
var edits = []func(a *model.Archive, at, where, what int){
	func(a *model.Archive, at, _, _ int) { a.Arrays = slices.Delete(a.Arrays, at, at+1) },
	func(a *model.Archive, at, where, _ int) { a.Arrays[at].Name = a.Arrays[where%len(a.Arrays)].Name },
	func(a *model.Archive, at, where, _ int) {
		other := a.Arrays[where%len(a.Arrays)]
		other.Name = a.Arrays[at].Name
		a.Arrays[at] = other
	},
	func(a *model.Archive, at, _, _ int) { slices.Reverse(a.Arrays[at].Shape) },
	func(a *model.Archive, at, where, what int) { // n rows without columns, and similar shapes
		n := []int{0, 1, where, 1 << 20, 1 << 40}[what%5]
		a.Arrays[at] = array.Array{Name: a.Arrays[at].Name, Shape: [][]int{{0}, {n, 0}, {0, n}}[where%3]}
		if len(a.Arrays[at].Shape) == 1 {
			a.Arrays[at].Ints = []int64{}
		}
	},
	func(a *model.Archive, at, where, _ int) { // fewer numbers
		v := &a.Arrays[at]
		if len(v.Shape) == 1 && v.Shape[0] > 0 {
			v.Shape[0] = where % v.Shape[0]
			v.Floats, v.Ints = v.Floats[:min(v.Shape[0], len(v.Floats))], v.Ints[:min(v.Shape[0], len(v.Ints))]
		}
	},
	func(a *model.Archive, at, where, _ int) { // fewer rows
		if v := &a.Arrays[at]; len(v.Shape) == 2 && v.Shape[0] > 0 {
			v.Shape[0] = where % v.Shape[0]
			v.Floats = v.Floats[:v.Shape[0]*v.Shape[1]]
		}
	},
	func(a *model.Archive, at, where, what int) {
		if v := a.Arrays[at].Floats; len(v) > 0 {
			v[where%len(v)] = []float64{0, -1, math.NaN(), math.Inf(1), math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e200}[what%8]
		}
	},
	func(a *model.Archive, at, where, what int) {
		if v := a.Arrays[at].Ints; len(v) > 0 {
			v[where%len(v)] = []int64{0, -1, 1, math.MaxInt64, math.MinInt64, 1 << 31, 19, 20}[what%8]
		}
	},
	func(a *model.Archive, at, _, _ int) {
		clear(a.Arrays[at].Floats)
	},
	editHeader, editHeader, editHeader, editHeader,
}

// headerWords are the replacements for values of a header.
var headerWords = []string{"0", "-1", "1", "2", "3", "19", "21", "1e3", "2147483648", "4611686018427387904", "1e300", "0.5", "null", "true", "false",
	"{}", "[]", `""`, `"float32"`, `"eigen"`, `"exact"`, `"nearest"`, `"kernel"`, `"rbf(gamma=1)"`, `"linear()"`, `"t()"`, `"sne(gamma=1)"`,
	`"poly(degree=3)"`, `"stack"`, `"exp"`, `"x"`, `["a","b"]`}

// editHeader replaces a value of the header or of a nested object.
func editHeader(a *model.Archive, at, where, what int) {
	word := headerWords[what%len(headerWords)]
	var replace func(text json.RawMessage, where int) json.RawMessage
	replace = func(text json.RawMessage, where int) json.RawMessage {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil || len(object) == 0 {
			return json.RawMessage(word)
		}
		key := slices.Sorted(maps.Keys(object))[where%len(object)]
		object[key] = replace(object[key], where/len(object)+at)
		if at%8 == 7 {
			delete(object, key)
		}
		text, _ = json.Marshal(object)
		return text
	}
	a.Header = replace(a.Header, where)
}
