package sparse_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// randomEntries returns entries in random order, many of them at the same position.
func randomEntries(seed uint64, rows, cols, n int, ones bool) []sparse.Entry {
	r := rand.New(rand.NewPCG(seed, 0))
	entries := make([]sparse.Entry, n)
	for k := range entries {
		entries[k] = sparse.Entry{Row: int32(r.IntN(rows)), Col: int32(r.IntN(cols)), Value: 1}
		if !ones {
			entries[k].Value = math.Trunc(100 * r.Float64()) // integers, so that sums are exact; zeros too
		}
	}
	return entries
}

// dense returns the matrix of the entries, summed one by one.
func dense(rows, cols int, entries []sparse.Entry) blas64.General {
	m := matrix.New(rows, cols)
	for _, e := range entries {
		m.Data[int(e.Row)*cols+int(e.Col)] += e.Value
	}
	return m
}

// denseOf returns the dense form of a sparse matrix. It fails the test if the matrix is malformed.
func denseOf(t testing.TB, c *sparse.CSR) blas64.General {
	t.Helper()
	m := matrix.New(c.Rows, c.Cols)
	if len(c.Start) != c.Rows+1 || c.Start[0] != 0 || c.Start[c.Rows] != int64(len(c.Index)) || c.NNZ() != int64(len(c.Index)) {
		t.Fatalf("%d rows, %d starts %v, %d entries", c.Rows, len(c.Start), c.Start, len(c.Index))
	}
	if c.Value != nil && len(c.Value) != len(c.Index) {
		t.Fatalf("%d values of %d entries", len(c.Value), len(c.Index))
	}
	for i := range c.Rows {
		index, value := c.Row(i)
		for p, j := range index {
			if p > 0 && index[p-1] >= j {
				t.Fatalf("row %d: columns %v do not ascend", i, index)
			}
			m.Data[i*m.Stride+int(j)] = 1
			if value != nil {
				m.Data[i*m.Stride+int(j)] = value[p]
			}
		}
	}
	return m
}

// mustCSR returns a matrix of entries, and fails the test on an error.
func mustCSR(t testing.TB, rows, cols int, entries []sparse.Entry) *sparse.CSR {
	t.Helper()
	c, err := sparse.NewCSR(rows, cols, slices.Values(entries))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sameDense(t testing.TB, what string, want, got blas64.General, o ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(o, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Construction, transpose and AddIdentity equal those of dense matrices, for all shapes.
func TestCSRAgainstDense(t *testing.T) {
	shapes := []struct{ rows, cols, n int }{{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {1, 1, 0}, {1, 1, 5}, {1, 9, 4}, {9, 1, 20}, {7, 5, 12}, {20, 20, 300}, {50, 50, 60}}
	for k, s := range shapes {
		for _, ones := range []bool{false, true} {
			entries := randomEntries(uint64(k), max(1, s.rows), max(1, s.cols), s.n, ones)
			want := dense(s.rows, s.cols, entries)
			c := mustCSR(t, s.rows, s.cols, entries)
			sameDense(t, "matrix", want, denseOf(t, c))
			sameDense(t, "from its own entries", want, denseOf(t, mustCSR(t, s.rows, s.cols, slices.Collect(c.Entries()))))
			transposed := matrix.New(s.cols, s.rows)
			for i := range s.rows {
				for j := range s.cols {
					transposed.Data[j*s.rows+i] = want.Data[i*s.cols+j]
				}
			}
			sameDense(t, "transpose", transposed, denseOf(t, c.Transpose()))
			if diff := cmp.Diff(c, c.Transpose().Transpose(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("twice transposed: %s", diff)
			}
			if s.rows == s.cols {
				for i := range s.rows {
					want.Data[i*s.cols+i]++
				}
				sameDense(t, "plus identity", want, denseOf(t, c.AddIdentity()))
			}
		}
	}
}

// A matrix whose entries are all 1 stores no values.
func TestCSRValuesOnlyWhereNeeded(t *testing.T) {
	a, b := sparse.Entry{Row: 0, Col: 1, Value: 1}, sparse.Entry{Row: 1, Col: 0, Value: 1}
	if c := mustCSR(t, 2, 2, []sparse.Entry{a, b}); c.Value != nil || c.AddIdentity().Value != nil || c.Transpose().Value != nil {
		t.Error("values are kept though all are 1")
	}
	c := mustCSR(t, 2, 2, []sparse.Entry{a, b, a})
	if diff := cmp.Diff(&sparse.CSR{Rows: 2, Cols: 2, Start: []int64{0, 1, 2}, Index: []int32{1, 0}, Value: []float64{2, 1}}, c); diff != "" {
		t.Error(diff)
	}
	zero := mustCSR(t, 1, 1, []sparse.Entry{{Value: 0}})
	if zero.NNZ() != 1 || zero.Value[0] != 0 {
		t.Error("a zero is dropped")
	}
}

// Entries whose sum depends on the order of the terms.
func TestCSRSumsInOrder(t *testing.T) {
	c := mustCSR(t, 1, 2, []sparse.Entry{{Value: 1}, {Value: 1e16}, {Col: 1, Value: 3}, {Value: -1e16}})
	if diff := cmp.Diff([]float64{0, 3}, c.Value); diff != "" {
		t.Error(diff)
	}
}

func TestCSRRefuses(t *testing.T) {
	tests := []struct {
		name  string
		entry []sparse.Entry
		words string
	}{
		{"row", []sparse.Entry{{Row: 2}}, "row 2, column 0"},
		{"negative row", []sparse.Entry{{Row: -1}}, "row -1"},
		{"column", []sparse.Entry{{Col: 3}}, "column 3"},
		{"negative column", []sparse.Entry{{Col: -1}}, "column -1"},
		{"NaN", []sparse.Entry{{Row: 1, Col: 1, Value: math.NaN()}}, "row 1, column 1 is NaN"},
		{"infinite", []sparse.Entry{{Value: math.Inf(-1)}}, "-Inf"},
		{"sum", []sparse.Entry{{Value: 1e308}, {Row: 1}, {Value: 1e308}}, "row 0, column 0 add up to +Inf"},
	}
	for _, test := range tests {
		_, err := sparse.NewCSR(2, 3, slices.Values(test.entry))
		checkError(t, err, test.words)
	}
	mustPanicCSR(t, "negative shape", func() { sparse.NewCSR(-1, 0, slices.Values([]sparse.Entry(nil))) })
	mustPanicCSR(t, "identity", func() { mustCSR(t, 1, 2, nil).AddIdentity() })
	mustPanicCSR(t, "names", func() { mustCSR(t, 1, 2, nil).Source("a", []string{"b"}) })
	calls := 0
	mustPanicCSR(t, "changing entries", func() {
		sparse.NewCSR(1, 1, func(yield func(sparse.Entry) bool) {
			calls++
			for range calls {
				yield(sparse.Entry{Value: 1})
			}
		})
	})
}

// mustPanicCSR fails unless f panics.
func mustPanicCSR(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}

func TestCSRScaledByDegrees(t *testing.T) {
	entries := randomEntries(1, 12, 9, 60, false)
	entries = slices.DeleteFunc(entries, func(e sparse.Entry) bool { return e.Row == 3 || e.Col == 4 })
	entries = append(entries, sparse.Entry{Row: 3, Col: 4}) // a row and a column with only an explicit zero
	for _, scale := range []float64{1, 1e-310, 1e303} {
		scaled := slices.Clone(entries)
		for k := range scaled {
			scaled[k].Value *= scale
		}
		a, c := dense(12, 9, scaled), mustCSR(t, 12, 9, scaled)
		for _, s := range []sparse.DegreeScaling{sparse.NoDegreeScaling, sparse.RowStochastic, sparse.SymmetricByDegrees, sparse.ColumnStochastic} {
			got, err := c.ScaledByDegrees(s)
			if err != nil {
				t.Fatal(err)
			}
			sameDense(t, "scaled", denseScaled(a, s), denseOf(t, got), cmpopts.EquateApprox(1e-9, 0)) // denormals have few digits
			sameDense(t, "original", a, denseOf(t, c), cmpopts.EquateApprox(1e-9, 0))
		}
	}
	ones, err := mustCSR(t, 1, 3, []sparse.Entry{{Col: 0, Value: 1}, {Col: 2, Value: 1}}).ScaledByDegrees(sparse.RowStochastic)
	if err != nil || !cmp.Equal(ones.Value, []float64{0.5, 0.5}) {
		t.Errorf("%v, %v", ones, err)
	}
}

// denseScaled implements the definition entry by entry.
func denseScaled(a blas64.General, s sparse.DegreeScaling) blas64.General {
	out, in := make([]float64, a.Rows), make([]float64, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			out[i] += a.Data[i*a.Stride+j]
			in[j] += a.Data[i*a.Stride+j]
		}
	}
	b := matrix.New(a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			v := a.Data[i*a.Stride+j]
			switch {
			case v == 0:
			case s == sparse.RowStochastic:
				v /= out[i]
			case s == sparse.ColumnStochastic:
				v /= in[j]
			case s == sparse.SymmetricByDegrees:
				v = v / math.Sqrt(out[i]) / math.Sqrt(in[j])
			}
			b.Data[i*b.Stride+j] = v
		}
	}
	return b
}

func TestCSRScalingRefuses(t *testing.T) {
	tests := []struct {
		entries []sparse.Entry
		words   string
		scaling sparse.DegreeScaling
	}{
		{[]sparse.Entry{{Row: 1, Col: 0, Value: -1}, {Value: 2}}, "row 1, column 0 is -1", sparse.RowStochastic},
		{[]sparse.Entry{{Col: 1, Value: 1e308}, {Value: 1e308}}, "sum of row 0 overflows", sparse.RowStochastic},
		{[]sparse.Entry{{Row: 1, Value: 1e308}, {Value: 1e308}}, "sum of column 0 overflows", sparse.SymmetricByDegrees},
		{[]sparse.Entry{{Row: 1, Value: 1e308}, {Value: 1e308}}, "sum of column 0 overflows", sparse.ColumnStochastic},
	}
	for _, test := range tests {
		c := mustCSR(t, 2, 2, test.entries)
		_, err := c.ScaledByDegrees(test.scaling)
		checkError(t, err, test.words)
		if same, err := c.ScaledByDegrees(sparse.NoDegreeScaling); err != nil || same != c {
			t.Error("without a scaling the matrix is another")
		}
	}
	mustPanicCSR(t, "unknown scaling", func() { mustCSR(t, 0, 0, nil).ScaledByDegrees(9) })
}

// Rows of the source are the dense rows, in batches of any size.
func TestCSRSource(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 4}, {5, 0}, {1, 1}, {300, 7}} {
		rows, cols := shape[0], shape[1]
		var entries []sparse.Entry
		if rows*cols > 0 {
			entries = randomEntries(3, rows, cols, rows, rows == 1)
		}
		want := dense(rows, cols, entries)
		src := mustCSR(t, rows, cols, entries).Source("graph", nil)
		if info := src.Info(); info.Name != "graph" || info.Rows != int64(rows) || len(info.Columns) != cols || cols > 0 && info.Columns[cols-1] != "c"+string(rune('0'+cols-1)) {
			t.Errorf("%+v", info)
		}
		for _, batch := range []int{1, 7, 1000} {
			sameDense(t, "read", want, readAllCSR(t, src, batch))
		}
		var wanted []int64
		for i := 0; i < rows; i += 3 {
			wanted = append(wanted, int64(i))
		}
		got, err := stream.GatherRows(context.Background(), src, wanted)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range wanted {
			if !slices.Equal(got.Data[i*cols:(i+1)*cols], want.Data[int(r)*cols:(int(r)+1)*cols]) {
				t.Errorf("row %d differs", r)
			}
		}
	}
	named := mustCSR(t, 1, 2, nil).Source("g", []string{"ann", "bob"})
	if diff := cmp.Diff([]string{"ann", "bob"}, named.Info().Columns); diff != "" {
		t.Error(diff)
	}
}

// readAllCSR reads a source in batches that hold old values and are wider than its rows.
func readAllCSR(t *testing.T, src stream.Source, batch int) blas64.General {
	t.Helper()
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d := len(src.Info().Columns)
	got := blas64.General{Cols: d, Stride: max(1, d)}
	x := matrix.New(batch, d+2)
	for i := range x.Data {
		x.Data[i] = math.NaN()
	}
	x.Cols = d
	for {
		n, err := r.Read(&stream.Batch{X: x})
		for i := range n {
			got.Data = append(got.Data, x.Data[i*x.Stride:][:d]...)
		}
		got.Rows += n
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCSRSourceIsCancelled(t *testing.T) {
	src := mustCSR(t, 3, 3, nil).Source("g", nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	r, err := src.Open(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	cancel(why)
	batch := &stream.Batch{X: matrix.New(1, 3)}
	if _, err := r.Read(batch); err != why {
		t.Errorf("read: %v", err)
	}
	if err := src.Gather(ctx, []int64{1}, batch); err != why {
		t.Errorf("gather: %v", err)
	}
}

// PickRows equals picking rows of the dense matrix, in any order and with repetitions.
func TestCSRPickRows(t *testing.T) {
	for _, ones := range []bool{true, false} {
		c, err := sparse.NewCSR(9, 7, slices.Values(randomEntries(3, 9, 7, 30, ones)))
		if err != nil {
			t.Fatal(err)
		}
		rows := []int64{8, 0, 3, 3}
		got, all := denseOf(t, c.PickRows(rows)), denseOf(t, c)
		for i, r := range rows {
			if diff := cmp.Diff(all.Data[7*r:7*r+7], got.Data[7*i:7*i+7]); diff != "" {
				t.Errorf("row %d: %s", r, diff)
			}
		}
		if empty := c.PickRows(nil); empty.Rows != 0 || empty.Cols != 7 || empty.NNZ() != 0 {
			t.Errorf("no rows: %v", empty)
		}
	}
}

// Induced equals the submatrix of the dense matrix.
func TestCSRInduced(t *testing.T) {
	for _, ones := range []bool{true, false} {
		c, err := sparse.NewCSR(9, 9, slices.Values(randomEntries(4, 9, 9, 40, ones)))
		if err != nil {
			t.Fatal(err)
		}
		nodes := []int64{1, 2, 5, 8}
		got, all := denseOf(t, c.Induced(nodes)), denseOf(t, c)
		for i, r := range nodes {
			for j, s := range nodes {
				if v, want := got.Data[4*i+j], all.Data[9*r+s]; v != want {
					t.Errorf("between nodes %d and %d: %v, want %v", r, s, v, want)
				}
			}
		}
	}
}

// ReadCSR inverts Source.
func TestReadCSR(t *testing.T) {
	m := sparseMatrix(t)
	got, err := sparse.ReadCSR(context.Background(), m.Source("m", nil))
	if diff := cmp.Diff(m, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	short := promising{stream.FromMatrix("short", matrix.New(10, 2)), 11}
	_, err = sparse.ReadCSR(context.Background(), short)
	checkError(t, err, "short: promised 11 rows and gave 10")
}

// promising is a source that promises another number of rows than it has.
type promising struct {
	stream.Source
	rows int64
}

func (p promising) Info() stream.Info {
	info := p.Source.Info()
	info.Rows = p.rows
	return info
}

// The source yields the same rows from any starting row.
func TestOpening(t *testing.T) {
	conformance.Opening(t, sparseMatrix(t).Source("csr", nil), 1)
}

// sparseMatrix returns a sparse matrix of 900 rows.
func sparseMatrix(t *testing.T) *sparse.CSR {
	random := rand.New(rand.NewPCG(8, 8))
	c := &sparse.CSR{Rows: 900, Cols: 40, Start: make([]int64, 901)}
	for i := range c.Rows {
		for j := range c.Cols {
			if random.IntN(10) == 0 {
				c.Index, c.Value = append(c.Index, int32(j)), append(c.Value, random.NormFloat64())
			}
		}
		c.Start[i+1] = int64(len(c.Index))
	}
	return c
}

// checkError fails unless the message of err contains part.
func checkError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one with %q", err, part)
	}
}
