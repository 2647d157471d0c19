package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream/sparse"
)

// saved is a file with an array of each kind, and parts.
type saved struct {
	Rank    int            `json:"rank" min:"1"`
	Total   int64          `json:"total"`
	Names   []string       `json:"names"`
	Centred bool           `json:"centred,omitempty"`
	Values  []float64      `json:"-" array:"values,rank,descending"`
	Rows    []int64        `json:"-" array:"rows,p,below=total"`
	U       blas64.General `json:"-" array:"u,p,names"`
	Means   []float64      `json:"-" array:"means,p,if=centred"`
	Plain   []float64      `json:"-" array:"plain,twice,if=!centred"`
	More    blas64.General `json:"-" array:"more,q,2,optional"`
	Beside  []float64      `json:"-" array:"beside,q,if=q"`
	Left    *side          `json:"left" min:"1" array:"left_,own=rank"`
	Right   *side          `json:"right,omitempty" array:"right_,own=total"`
	Model   *Archive       `json:"model,omitempty" array:"model_"`
}

func (s saved) Sizes(a *Archive) map[string]int64 {
	if s.Total > 1e6 {
		a.Fail("header: total %d", s.Total)
	}
	return map[string]int64{"twice": 2 * int64(s.Rank)}
}

// side is a part of a file.
type side struct {
	Kind  string      `json:"kind"`
	P     []float64   `json:"-" array:"p,n"`
	Sum   []float64   `json:"-" array:"sum,own"`
	Edges *sparse.CSR `json:"-" array:"edges,n,names"`
}

// example returns a file and its archive.
func example(t *testing.T) (saved, *Archive) {
	t.Helper()
	within, err := NewArchive(struct {
		Rank int       `json:"rank"`
		V    []float64 `json:"-" array:"values,rank"`
	}{1, []float64{7}})
	if err != nil {
		t.Fatal(err)
	}
	edges := &sparse.CSR{Rows: 2, Cols: 1, Start: []int64{0, 0, 1}, Index: []int32{0}, Value: []float64{5}}
	s := saved{Rank: 2, Total: 6, Names: []string{"a"}, Values: []float64{2, 1}, Rows: []int64{3, 4, 5},
		U: blas64.General{Rows: 3, Cols: 1, Stride: 3, Data: []float64{1, 9, 9, 2, 9, 9, 3}}, Plain: []float64{1, 2, 3, 4},
		More: blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{8, 9}}, Beside: []float64{6},
		Left: &side{Kind: "x", P: []float64{1, 2}, Sum: []float64{3, 4}, Edges: edges}, Model: within}
	a, err := NewArchive(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// TestArchive: reading returns what was written, without the padding of a matrix; names of parts have their prefixes.
func TestArchive(t *testing.T) {
	s, a := example(t)
	const names = "values rows u plain more beside left_p left_sum left_edges_start left_edges_index left_edges_value model_values"
	const header = `{"rank":2,"total":6,"names":["a"],"left":{"kind":"x"},"model":{"rank":1}}`
	if got := strings.Join(a.Names(), " "); got != names || string(a.Header) != header {
		t.Errorf("%s\n%s", got, a.Header)
	}
	var got saved
	if !a.Read(&got) {
		t.Fatal(a.Err())
	}
	var within struct {
		Rank   int       `json:"rank"`
		Values []float64 `json:"-" array:"values,rank"`
	}
	if !got.Model.Read(&within) || within.Values[0] != 7 {
		t.Errorf("the model within is %v, %v", within, got.Model.Err())
	}
	s.U = blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, 2, 3}}
	s.Model, got.Model = nil, nil
	if diff := cmp.Diff(s, got); diff != "" {
		t.Error(diff)
	}
	s.More, s.Beside, s.Centred, s.Means = blas64.General{}, nil, true, []float64{1, 2, 3}
	a, err := NewArchive(&s)
	if err != nil {
		t.Fatal(err)
	}
	var again saved
	if got := strings.Join(a.Names(), " "); !strings.HasPrefix(got, "values rows u means left_p") || !a.Read(&again) {
		t.Errorf("%s, %v", got, a.Err())
	}
	if a.Kernel("rbf(gamma=2)").String() != "rbf(gamma=2)" || a.Err() != nil {
		t.Error(a.Err())
	}
	if _, err := NewArchive(map[string]float64{"shift": math.NaN()}); err == nil {
		t.Error("a header with NaN was made")
	}
}

// TestArchiveErrors: an archive reports its first error.
func TestArchiveErrors(t *testing.T) {
	number := func(a *Archive, name string) []float64 { v, _ := a.find(name); return v.Floats }
	whole := func(a *Archive, name string) []int64 { v, _ := a.find(name); return v.Ints }
	header := func(old, with string) func(*Archive) {
		return func(a *Archive) { a.Header = []byte(strings.Replace(string(a.Header), old, with, 1)) }
	}
	for says, damage := range map[string]func(a *Archive){
		"left_sum is missing":              func(a *Archive) { a.Arrays[7].Name = "x" },
		"values is 2 numbers, expected":    header(`"rank":2`, `"rank":3`),
		"u is 2×1 with 3 numbers":          func(a *Archive) { a.Arrays[2].Shape = []int{2, 1} },
		"u is 3×1 with 3 numbers, exp":     header(`["a"]`, `["a","b"]`),
		"rows is 3 numbers":                func(a *Archive) { a.Arrays[1] = array.Array{Name: "rows", Shape: []int{3}, Floats: make([]float64, 3)} },
		"number 1 of array u":              func(a *Archive) { number(a, "u")[1] = math.Inf(-1) },
		"values does not descend":          func(a *Archive) { number(a, "values")[1] = 3 },
		"from 0 to below 5":                header(`"total":6`, `"total":5`),
		"number 2 is 1":                    func(a *Archive) { whole(a, "rows")[2] = 1 },
		"number 0 is -1":                   func(a *Archive) { whole(a, "rows")[0] = -1 },
		"has a word for a number":          func(a *Archive) { a.Kernel("rbf(gamma=median)") },
		"nonsense":                         func(a *Archive) { a.Kernel("nonsense(gamma=1)") },
		"unmarshal string":                 header(`"rank":2`, `"rank":"2"`),
		"rank is 0, expected at least 1":   header(`"rank":2`, `"rank":0`),
		"total is -1, expected at least 0": header(`"total":6`, `"total":-1`),
		"total 2000000":                    header(`"total":6`, `"total":2000000`),
		"left is missing":                  header(`"left":{"kind":"x"}`, `"left":null`),
		"means is missing":                 header(`["a"]`, `["a"],"centred":true`),
		"beside is missing":                func(a *Archive) { a.Arrays[5].Name = "x" },
		"edges_start does not ascend":      func(a *Archive) { whole(a, "left_edges_start")[1] = 2 },
		"do not ascend strictly below 1":   func(a *Archive) { whole(a, "left_edges_index")[0] = 1 },
		"edges_value is 2": func(a *Archive) {
			a.Arrays[10] = array.Array{Name: "left_edges_value", Shape: []int{2}, Floats: make([]float64, 2)}
		},
	} {
		_, a := example(t)
		damage(a)
		if a.Err() == nil {
			a.Read(&saved{})
		}
		first := a.Err()
		a.Fail("later")
		if first == nil || !strings.Contains(first.Error(), says) || a.Err() != first {
			t.Errorf("%q: %v, then %v", says, first, a.Err())
		}
	}
}

// TestArchiveShares: an archive shares the memory of a contiguous matrix and copies a padded one.
func TestArchiveShares(t *testing.T) {
	whole := matrix.Of(slices.Repeat([]float64{1}, 12), 4, 3)
	a, err := NewArchive(struct {
		Whole  blas64.General `json:"-" array:"whole,n,d"`
		Padded blas64.General `json:"-" array:"padded,n,c"`
	}{whole, matrix.Columns(whole, 0, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if &a.Arrays[0].Floats[0] != &whole.Data[0] || len(a.Arrays[0].Floats) != 12 {
		t.Error("a matrix without padding is copied")
	}
	if &a.Arrays[1].Floats[0] == &whole.Data[0] || len(a.Arrays[1].Floats) != 8 {
		t.Error("a matrix with padding is not copied")
	}
}
