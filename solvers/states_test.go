package solvers_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// unloaded is a source in memory whose passes keep states, as those of a file do.
type unloaded struct{ stream.Gatherer }

// Info describes the source as one that is not in memory.
func (u unloaded) Info() stream.Info {
	info := u.Gatherer.Info()
	info.InMemory = false
	return info
}

// program is a fit from raw rows to a saved model, with its report.
type program struct {
	raw    [2]stream.Source
	nulls  prepare.Nulls
	scale  prepare.Scaling
	family family
	row    row
	kernel kernelgen.Kernel
}

// run prepares the rows, fits, and returns the saved model.
func (p *program) run(ctx context.Context, e stream.Engine) ([]byte, error) {
	var src [2]stream.Source
	for i, raw := range p.raw {
		prepared, err := prepare.New(ctx, e, raw, prepare.Treatment{Nulls: p.nulls, Scale: p.scale})
		if err != nil {
			return nil, err
		}
		src[i] = prepared
	}
	d, err := p.family.dataOf(nil, p.row, src[0], src[1])
	if err != nil {
		return nil, err
	}
	fit, err := fitOf(ctx, e, p.row.method, d, p.kernel)
	if err != nil {
		return nil, err
	}
	return savedBytes(fit)
}

// savedBytes returns the saved model of a fit, and its report.
func savedBytes(fit any) ([]byte, error) {
	a, err := modelOf(fit).Save()
	if err != nil {
		return nil, err
	}
	report := reportOf(fit)
	out := append([]byte{}, a.Header...)
	for _, array := range a.Arrays {
		out = fmt.Appendf(out, "%s %d", array.Name, array.Shape)
		for _, v := range array.Floats {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		for _, v := range array.Ints {
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		}
	}
	return fmt.Appendf(out, "%d entries, %d passes, notes %q, warnings %q", report.KernelEntries, report.SourcePasses, report.Notes, report.Warnings), nil
}

// drawProgram draws the data and the settings of a fit, and returns the result of an uninterrupted run.
func drawProgram(t *rapid.T) (p *program, e stream.Engine, want []byte) {
	p = &program{
		nulls: rapid.SampledFrom([]prepare.Nulls{prepare.NullsDrop, prepare.NullsZero}).Draw(t, "nulls"),
		scale: rapid.SampledFrom([]prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard}).Draw(t, "scale"),
	}
	var names []string
	rows := make(map[string]family) // one method each
	for _, f := range families {
		for _, r := range f.rows {
			if !r.has(variant) && r.data == nil {
				names = append(names, r.name)
				f.rows = []row{r}
				rows[r.name] = f
			}
		}
	}
	p.family = rows[rapid.SampledFrom(names).Draw(t, "fit")]
	p.row = p.family.rows[0]
	p.row.method = seeded(p.row.method, rapid.Uint64Range(0, 99).Draw(t, "seed"))
	var err error
	if p.kernel, err = kernelgen.Parse(cmp.Or(p.row.kernel, "gaussian(sigma=1.5)")); err != nil {
		t.Fatal(err)
	}
	pairs := p.family.name == "rkhs" && p.row.has(two)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 0))
	n := rapid.IntRange(300, 600).Draw(t, "rows")
	for i := range p.raw {
		x := matrix.New(n, 3)
		for k := range x.Data {
			x.Data[k] = r.NormFloat64()
			if !pairs && r.IntN(200) == 0 { // dropping rows would break pairs
				x.Data[k] = math.NaN()
			}
		}
		p.raw[i] = unloaded{stream.FromMatrix(fmt.Sprint("rows ", i), x)}
	}
	e = stream.Engine{Threads: rapid.IntRange(1, 3).Draw(t, "threads"), BlockRows: rapid.SampledFrom([]int{8, 16, 64}).Draw(t, "rows of a block")}
	if want, err = p.run(context.Background(), e); err != nil {
		t.Fatalf("in one run: %v", err)
	}
	return p, e, want
}

// seeded returns the method with another seed.
func seeded(method any, seed uint64) any {
	v := reflect.New(reflect.TypeOf(method)).Elem()
	v.Set(reflect.ValueOf(method))
	if field := v.FieldByName("Seed"); field.IsValid() {
		field.SetUint(seed)
	}
	return v.Interface()
}

// with returns the engine with a run of the given options.
func with(t *rapid.T, e stream.Engine, store stream.StateStore, o stream.RunOptions) stream.Engine {
	run, err := stream.NewRun(store, "test", o)
	if err != nil {
		t.Fatal(err)
	}
	e.Run = run
	return e
}

// TestSharedFits: a fit computed in parts, in any order, and combined has the bits of one run.
func TestSharedFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, e, want := drawProgram(t)
		parts := rapid.SampledFrom([]int{1, 2, 3, 5, 13}).Draw(t, "parts")
		order := make([]int, parts)
		for i := range order {
			order[i] = i + 1
		}
		order = rapid.Permutation(order).Draw(t, "order")
		store := newShelf()
		for round := true; round; {
			round = false
			for _, part := range order {
				_, err := p.run(context.Background(), with(t, e, store, stream.RunOptions{Part: part, Parts: parts}))
				var stopped *stream.StoppedError
				if !errors.As(err, &stopped) {
					if err != nil {
						t.Fatalf("part %d: %v", part, err)
					}
					break // no fold remains
				}
				round = true
			}
		}
		got, err := p.run(context.Background(), with(t, e, store, stream.RunOptions{Finish: true}))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%d parts give another model", parts)
		}
	})
}

// TestResumedFits: a fit interrupted several times at random places has the bits of one run.
func TestResumedFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, e, want := drawProgram(t)
		store := newShelf()
		for _, left := range append(rapid.SliceOfN(rapid.IntRange(1, 100), 0, 4).Draw(t, "blocks until stops"), math.MaxInt) {
			ctx, cancel := context.WithCancel(context.Background())
			e.Progress = func(stream.Event) {
				if left--; left == 0 {
					cancel()
				}
			}
			got, err := p.run(ctx, with(t, e, store, stream.RunOptions{}))
			stopped := ctx.Err()
			cancel()
			if err == nil && !bytes.Equal(got, want) {
				t.Fatal("another model")
			}
			if err != nil && (stopped == nil || !errors.Is(err, context.Canceled)) {
				t.Fatal(err)
			}
		}
	})
}

// TestFolderOfStates: several machines compute the parts of a fit with states in a folder.
func TestFolderOfStates(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p, e, want := drawProgram(t)
		store := blockstore.States(fmt.Sprintf("%s/%d", dir, rand.Uint64()))
		var got []byte
		var err error
		for {
			for part := range 2 {
				_, err = p.run(context.Background(), with(t, e, store, stream.RunOptions{Part: part + 1, Parts: 2}))
				var stopped *stream.StoppedError
				if err != nil && !errors.As(err, &stopped) {
					t.Fatal(err)
				}
			}
			last := with(t, e, store, stream.RunOptions{Finish: true})
			var missing *stream.MissingError
			if got, err = p.run(context.Background(), last); !errors.As(err, &missing) {
				err = cmp.Or(err, last.Run.Done())
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("another model")
		}
		if names, err := store.Names(); len(names) > 0 || err != nil {
			t.Fatalf("states %q are left, error %v", names, err)
		}
	})
}

// shelf is a store of states in memory.
type shelf map[string][]byte

// newShelf returns an empty store.
func newShelf() shelf { return shelf{} }

func (s shelf) Names() (names []string, err error) {
	for name := range s {
		names = append(names, name)
	}
	return names, nil
}

func (s shelf) Open(name string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s[name])), nil
}

func (s shelf) Write(name string, data []byte) error {
	s[name] = bytes.Clone(data)
	return nil
}

func (s shelf) Remove(name string) error {
	delete(s, name)
	return nil
}
