package lowrank

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// saved is a model as something that can be compared bit by bit.
func saved(m *Model) string {
	h, arrays := m.Save()
	header, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	out.Write(header)
	for _, a := range arrays {
		fmt.Fprintln(&out, a.Name, a.Rows, a.Cols, a.Ints)
		for _, v := range a.Floats {
			out.WriteString(strconv.FormatUint(math.Float64bits(v), 16) + " ")
		}
	}
	return out.String()
}

// choppy reads in batches of odd sizes.
type choppy struct {
	stream.Gatherer
	sizes []int
}

func (c choppy) Open(ctx context.Context) (stream.Reader, error) {
	r, err := c.Gatherer.Open(ctx)
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
	x := clusters(3000, 5, 11)
	k := kernelgen.RBF(3)
	run := func(threads int, sizes []int) map[string]string {
		out := map[string]string{}
		ctx, e := context.Background(), stream.Engine{Threads: threads, BlockRows: 512}
		src := stream.Source(choppy{stream.FromMatrix("x", x), sizes})
		for name, fit := range map[string]func() (*Fit, error){
			"s3spsd":   func() (*Fit, error) { return S3SPSD{Rank: 12, Seed: 1}.Fit(ctx, e, src, k) },
			"ssrsvd":   func() (*Fit, error) { return SSRSVD{Rank: 12, Seed: 1}.Fit(ctx, e, src, nil, k) },
			"landmark": func() (*Fit, error) { return Landmark{Rank: 12, Seed: 1}.Fit(ctx, e, src, k) },
			"auto":     func() (*Fit, error) { return Landmark{Rank: 12, Choice: ChoiceAuto, Seed: 1}.Fit(ctx, e, src, k) },
			"uniform":  func() (*Fit, error) { return Nystrom{Rank: 12, Seed: 1}.Fit(ctx, e, src, k) },
			"leverage": func() (*Fit, error) { return Nystrom{Rank: 12, Choice: ChoiceLeverage, Seed: 1}.Fit(ctx, e, src, k) },
			"pivoted":  func() (*Fit, error) { return Nystrom{Rank: 12, Choice: ChoicePivoted, Seed: 1}.Fit(ctx, e, src, k) },
			"fastspsd": func() (*Fit, error) { return FastSPSD{Rank: 12, Seed: 1}.Fit(ctx, e, src, k) },
			"rect":     func() (*Fit, error) { return Landmark{Rank: 12, Seed: 1}.FitRect(ctx, e, src, src, k) },
		} {
			f, err := fit()
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Refine(ctx, e, src, nil); err != nil {
				t.Fatal(err)
			}
			out[name] = saved(f.Model) + fmt.Sprint(f.ErrorEstimate, f.SpectralEstimate, f.TraceResidual)
		}
		return out
	}
	want := run(1, []int{1 << 20})
	for _, threads := range []int{1, 2, 8} {
		if diff := cmp.Diff(want, run(threads, []int{1, 7, 300, 513})); diff != "" {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
}

// TestPasses: one pass over each source, and one more to refine.
func TestPasses(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := clusters(400, 3, 3), clusters(300, 3, 4)
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
		if err := f.Refine(ctx, e, src, nil); err != nil {
			t.Fatal(err)
		}
		if src.Passes() != 2 {
			t.Errorf("%s: %d passes with Refine", name, src.Passes())
		}
	}
	left, right := stream.NewCounted(stream.FromMatrix("x", x)), stream.NewCounted(stream.FromMatrix("y", y))
	if _, err := (SSRSVD{Rank: 8, Seed: 1}).Fit(ctx, e, left, right, k); err != nil {
		t.Fatal(err)
	}
	if _, err := (Landmark{Rank: 8, Seed: 1}).FitRect(ctx, e, left, right, k); err != nil {
		t.Fatal(err)
	}
	if left.Passes() != 2 || right.Passes() != 2 {
		t.Errorf("two methods took %d and %d passes", left.Passes(), right.Passes())
	}
}

// TestSaveLoad: a model comes back as it was, bit by bit, and works.
func TestSaveLoad(t *testing.T) {
	t.Parallel()
	x := clusters(400, 3, 3)
	src := stream.FromMatrix("x", x)
	for name, fit := range methodsUnderTest(8) {
		f, err := fit(src, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Refine(context.Background(), stream.Engine{}, src, nil); err != nil {
			t.Fatal(err)
		}
		h, arrays := f.Save()
		m, err := Load(h, arrays)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if saved(m) != saved(f.Model) {
			t.Errorf("%s: the model changed on its way", name)
		}
		if diff := cmp.Diff(factors(t, f.Model, f.Left, x), factors(t, m, m.Left, x)); diff != "" {
			t.Errorf("%s: the embedding changed", name)
		}
		for i := range arrays {
			if _, err := Load(h, append(arrays[:i:i], arrays[i+1:]...)); err == nil {
				t.Errorf("%s: a model without %s was loaded", name, arrays[i].Name)
			}
		}
	}
}
