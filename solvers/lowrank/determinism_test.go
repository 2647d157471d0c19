package lowrank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// saved returns a model as something that can be compared bit by bit.
func saved(m *Model) string {
	file, err := m.Save()
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	out.Write(file.Header)
	for _, a := range file.Arrays {
		fmt.Fprintln(&out, a.Name, a.Shape, a.Ints)
		for _, v := range a.Floats {
			out.WriteString(strconv.FormatUint(math.Float64bits(v), 16) + " ")
		}
	}
	return out.String()
}

// reload saves a model and loads it again, and returns its archive as well.
func reload(t *testing.T, m *Model) (*Model, *model.Archive) {
	t.Helper()
	file, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(&model.Archive{Header: file.Header, Arrays: file.Arrays})
	if err != nil {
		t.Fatal(err)
	}
	return again, file
}

// checkDamagedArrays: a model is refused without one of its arrays, and with a number
// that is not finite.
func checkDamagedArrays(t *testing.T, name string, file *model.Archive) {
	t.Helper()
	for i, array := range file.Arrays {
		missing := &model.Archive{Header: file.Header, Arrays: slices.Concat(file.Arrays[:i], file.Arrays[i+1:])}
		if _, err := Load(missing); err == nil && array.Name != "refinement" { // the others have it in the header
			t.Errorf("%s: a model without %s was loaded", name, array.Name)
		}
		if len(array.Floats) == 0 {
			continue
		}
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			bad := &model.Archive{Header: file.Header, Arrays: slices.Clone(file.Arrays)}
			bad.Arrays[i].Floats = slices.Clone(array.Floats)
			bad.Arrays[i].Floats[len(array.Floats)/2] = v
			if _, err := Load(bad); err == nil || !strings.Contains(err.Error(), array.Name) {
				t.Errorf("%s: a model with %v in %s gives %v", name, v, array.Name, err)
			}
		}
	}
}

// withHeader returns an archive with another header.
func withHeader(t *testing.T, file *model.Archive, header any) *model.Archive {
	t.Helper()
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Archive{Header: text, Arrays: file.Arrays}
}

// choppy reads in batches of odd sizes.
type choppy struct {
	stream.Gatherer
	sizes []int
}

func (c choppy) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := c.Gatherer.Open(ctx, first)
	return &choppyReader{r, c.sizes, 0}, err
}

type choppyReader struct {
	stream.Reader
	sizes []int
	calls int
}

func (r *choppyReader) Read(dst *stream.Batch) (int, error) {
	n := min(dst.X.Rows, r.sizes[r.calls%len(r.sizes)])
	r.calls++
	k, err := r.Reader.Read(&stream.Batch{X: stream.RowSlice(dst.X, 0, n)})
	if err == io.EOF && k < n {
		return k, io.EOF
	}
	return k, err
}

// TestSameBits: the same model, and the same refinement, for any number of
// threads and any read size.
func TestSameBits(t *testing.T) {
	t.Parallel()
	x := clusters(650, 5, 11)
	k := kernelgen.RBF(3)
	run := func(threads int, sizes []int) map[string]string {
		out := map[string]string{}
		ctx, e := context.Background(), stream.Engine{Threads: threads, BlockRows: 128}
		src := stream.Source(choppy{stream.FromMatrix("x", x), sizes})
		for name, fit := range map[string]func() (*Fit, error){
			"s3spsd":   func() (*Fit, error) { return S3SPSD{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k) },
			"ssrsvd":   func() (*Fit, error) { return SSRSVD{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k) },
			"landmark": func() (*Fit, error) { return Landmark{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k) },
			"auto": func() (*Fit, error) {
				return Landmark{Rank: 12, Rule: RuleAuto, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k)
			},
			"uniform": func() (*Fit, error) { return Nystrom{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k) },
			"pivoted": func() (*Fit, error) {
				return Nystrom{Rank: 12, Rule: RulePivoted, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, k)
			},
			"unshifted": func() (*Fit, error) { return unshiftedLandmark(12, 1).Fit(ctx, e, model.Sources{Left: src}, k) },
			"rect": func() (*Fit, error) {
				return Landmark{Rank: 12, Seed: 1}.Fit(ctx, e, model.Sources{Left: src, Right: src}, k)
			},
		} {
			f, err := fit()
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
				t.Fatal(err)
			}
			out[name] = saved(f.Model) + fmt.Sprint(f.EstimateIn(NormFrobenius), f.EstimateIn(NormSpectral), f.TraceResidual)
		}
		return out
	}
	want := run(1, []int{1 << 20})
	for _, threads := range []int{3} {
		if diff := cmp.Diff(want, run(threads, []int{1, 7, 300, 513})); diff != "" {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
}

// TestPasses: one pass over each source, and one more to refine.
func TestPasses(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := clusters(200, 3, 3), clusters(150, 3, 4)
	k := kernelgen.RBF(1)
	for name, fit := range methodsUnderTest(8) {
		src := stream.NewCounted(stream.FromMatrix("x", x))
		f, err := fit(src, k)
		if err != nil {
			t.Fatal(err)
		}
		if src.Passes() != 1 {
			t.Errorf("%s: %d passes", name, src.Passes())
		}
		if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
			t.Fatal(err)
		}
		if src.Passes() != 2 {
			t.Errorf("%s: %d passes with Refine", name, src.Passes())
		}
	}
	left, right := stream.NewCounted(stream.FromMatrix("x", x)), stream.NewCounted(stream.FromMatrix("y", y))
	if _, err := (SSRSVD{Rank: 8, Seed: 1}).Fit(ctx, e, model.Sources{Left: left, Right: right}, k); err != nil {
		t.Fatal(err)
	}
	if _, err := (Landmark{Rank: 8, Seed: 1}).Fit(ctx, e, model.Sources{Left: left, Right: right}, k); err != nil {
		t.Fatal(err)
	}
	if left.Passes() != 2 || right.Passes() != 2 {
		t.Errorf("two methods took %d and %d passes", left.Passes(), right.Passes())
	}
}

// TestSaveLoad: a model comes back as it was, bit by bit, and works.
func TestSaveLoad(t *testing.T) {
	t.Parallel()
	x := clusters(200, 3, 3)
	src := stream.FromMatrix("x", x)
	for name, fit := range methodsUnderTest(8) {
		f, err := fit(src, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Refine(context.Background(), stream.Engine{}, model.Sources{Left: src}); err != nil {
			t.Fatal(err)
		}
		m, file := reload(t, f.Model)
		if saved(m) != saved(f.Model) {
			t.Errorf("%s: the model changed on its way", name)
		}
		if !slices.Equal(factors(t, f.Model, f.Left, x).Data, factors(t, m, m.Left, x).Data) {
			t.Errorf("%s: the embedding changed", name)
		}
		checkDamagedArrays(t, name, file)
	}
}

// TestLoadRefusesSinglePrecision: models of older versions, whose entries were in float32.
func TestLoadRefusesSinglePrecision(t *testing.T) {
	f, err := Landmark{Rank: 3}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", clusters(60, 3, 1))}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Save()
	if err != nil {
		t.Fatal(err)
	}
	a.Header = bytes.Replace(a.Header, []byte(`"rank":`), []byte(`"precision":"float32","rank":`), 1)
	if _, err := Load(a); err == nil || !strings.Contains(err.Error(), "fit the model again") {
		t.Errorf("the model loads with error %v", err)
	}
}
