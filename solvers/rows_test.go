package solvers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// choppy is a source that reads batches of odd sizes.
type choppy struct{ stream.Gatherer }

// Open returns a reader of such batches.
func (c choppy) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := c.Gatherer.Open(ctx, first)
	return &choppyReader{r, 0}, err
}

type choppyReader struct {
	stream.Reader
	calls int
}

// Read returns at most 1, 7, 300 and 513 rows in turn.
func (r *choppyReader) Read(dst *stream.Batch) (int, error) {
	n := min(dst.X.Rows, []int{1, 7, 300, 513}[r.calls%4])
	r.calls++
	k, err := r.Reader.Read(&stream.Batch{X: matrix.Rows(dst.X, 0, n)})
	if err == io.EOF && k < n {
		return k, io.EOF
	}
	return k, err
}

// TestSameBits: the model, its report and its outputs have the same bits for any number of threads and any read size,
// after loading, and for single rows.
func TestSameBits(t *testing.T) {
	kernel := kernelgen.RBF(0.7)
	eachRow(t, func(t *testing.T, f family, r row) {
		const rows = 330 // several blocks, and no multiple of the sides of tiles
		x, y := stream.FromMatrix("x", normal(1, 11, rows, 2)), stream.FromMatrix("y", normal(2, 11, rows, 2))
		var first []byte
		for _, threads := range []int{1, 3} {
			left, right := stream.Source(x), stream.Source(y)
			if threads > 1 {
				left, right = choppy{x}, choppy{y}
			}
			e := stream.Engine{Threads: threads, BlockRows: 64}
			fit := f.mustFit(t, e, r, kernel, left, right)
			refine(t, e, fit, must(f.dataOf(t, r, left, right))(t))
			m := modelOf(fit)
			got := bits(t, m, e)
			if all := fmt.Append(got, figures(fit)...); first == nil {
				first = all
			} else if !bytes.Equal(all, first) {
				t.Errorf("%d threads and other reads give other bits", threads)
			}
			if threads == 1 {
				continue
			}
			most := 0
			if f.name == "ksvd" || f.name == "askls" || !r.kernelOr(t, kernel).Symmetric() {
				most = 5 // row sums of the kernel matrix
			}
			checkEmbedder(t, m, most)
			again := must(f.loaded(must(m.Save())(t)))(t)
			if e.Threads = 2; !bytes.Equal(bits(t, again, e), got) {
				t.Error("a loaded model has other bits")
			}
		}
	})
}

// figures returns the report of a fit and its numbers besides the model.
func figures(fit any) []any {
	all := []any{reportOf(fit)}
	v := reflect.ValueOf(fit).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() {
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.String, reflect.Slice:
			all = append(all, v.Type().Field(i).Name, field)
		case reflect.Struct:
			if x, is := field.Interface().(blas64.General); is {
				all = append(all, x)
			}
		}
	}
	return all
}

// bits returns the archive of a model and its outputs for new rows.
func bits(t *testing.T, m model.Transformer, e stream.Engine) []byte {
	a := must(m.Save())(t)
	out := bytes.NewBuffer(bytes.Clone(a.Header))
	writeArrays(out, a)
	writeOutputs(t, out, e, m)
	return out.Bytes()
}

// optional lists the suffixes of arrays that some models lack.
var optional = []string{"_value", "canonical_left", "canonical_right", "refinement", "_corrections"}

// TestDamagedArrays: Load refuses a model with an array that is missing, too short or not finite.
func TestDamagedArrays(t *testing.T) {
	x, y := stream.FromMatrix("x", normalRows(1, 39)), stream.FromMatrix("y", normalRows(2, 39))
	eachRow(t, func(t *testing.T, f family, r row) {
		fit := f.mustFit(t, stream.Engine{}, r, kernelgen.RBF(0.7), x, y)
		refine(t, stream.Engine{}, fit, must(f.dataOf(t, r, x, y))(t))
		a := must(modelOf(fit).Save())(t)
		for i, whole := range a.Arrays {
			refuses := func(what string, edit func(a *model.Archive)) {
				damaged := &model.Archive{Header: a.Header, Arrays: slices.Clone(a.Arrays)}
				edit(damaged)
				if _, err := f.loaded(damaged); err == nil {
					t.Errorf("a model with %s %s is loaded", what, whole.Name)
				}
			}
			if !slices.ContainsFunc(optional, func(end string) bool { return strings.HasSuffix(whole.Name, end) }) {
				refuses("no", func(a *model.Archive) { a.Arrays = slices.Delete(a.Arrays, i, i+1) })
			}
			refuses("an empty", func(a *model.Archive) { a.Arrays[i].Floats, a.Arrays[i].Ints = nil, nil })
			refuses("a shorter", func(a *model.Archive) {
				if v := &a.Arrays[i]; len(v.Ints) > 0 {
					v.Ints = v.Ints[1:]
				} else {
					v.Floats = v.Floats[1:]
				}
			})
			for _, at := range []int{0, len(whole.Floats) / 2} {
				for _, bad := range []float64{math.NaN(), math.Inf(1)} {
					if at < len(whole.Floats) {
						refuses(fmt.Sprint("a ", bad, " in"), func(a *model.Archive) {
							a.Arrays[i].Floats = slices.Clone(whole.Floats)
							a.Arrays[i].Floats[at] = bad
						})
					}
				}
			}
		}
	})
}

// TestNotFinite: every fit names the row of a number that is not finite. If a fit does not read every row, its model
// names it.
func TestNotFinite(t *testing.T) {
	eachRow(t, func(t *testing.T, f family, r row) {
		if r.data != nil {
			t.Skip("of a graph or a table")
		}
		for i, bad := range []float64{math.NaN(), math.Inf(1), math.NaN()} {
			x, y := normalRows(1, 39), normalRows(2, 39)
			if i < 2 {
				x.Data[77*x.Stride+1] = bad
			} else if y.Data[77*y.Stride+1] = bad; !r.has(two) || r.has(samples) {
				continue
			}
			d := must(f.dataOf(t, r, stream.FromMatrix("x", x), stream.FromMatrix("y", y)))(t)
			fit, err := fitOf(t.Context(), stream.Engine{}, r.method, d, r.kernelOr(t, kernelgen.RBF(1)))
			if err == nil && r.has(samples) {
				_, err = model.TransformMatrix(t.Context(), stream.Engine{}, modelOf(fit), x, model.Request{})
				if err == nil && math.IsInf(bad, 0) { // its distance is infinite, and the kernel 0
					continue
				}
			}
			var place *stream.DataError
			if !errors.As(err, &place) || place.Row != 77 || place.Path != []string{"x", "x", "y"}[i] && !r.has(samples) {
				t.Errorf("%v: the error %v does not name row 77", bad, err)
			}
		}
	})
}
