package solvers_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// unloaded is a source in memory that states are kept of, as those of a file are.
type unloaded struct{ stream.Gatherer }

func (u unloaded) Info() stream.Info {
	info := u.Gatherer.Info()
	info.InMemory = false
	return info
}

// program is a fit from raw rows to a saved model, and what it says of its work.
type program struct {
	raw    [2]stream.Source
	labels []int
	nulls  stream.Nulls
	scale  stream.Scaling
	seed   uint64
	kernel kernelgen.Kernel
	fit    func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error)
}

type saver interface {
	Save() (*model.Archive, error)
}

func (p *program) run(ctx context.Context, e stream.Engine) ([]byte, error) {
	var src [2]stream.Source
	for i, raw := range p.raw {
		prepared, err := stream.Prepare(ctx, e, raw, p.nulls, p.scale)
		if err != nil {
			return nil, err
		}
		src[i] = prepared
	}
	m, report, err := p.fit(ctx, e, p, src[0], src[1])
	if err != nil {
		return nil, err
	}
	a, err := m.Save()
	if err != nil {
		return nil, err
	}
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
	return fmt.Appendf(out, "%d entries, %d passes, notes %q", report.KernelEntries, report.SourcePasses, report.Notes), nil
}

// overRows returns the fit of a method of the low-rank family to the rows of one source.
func overRows(method func(p *program) lowrank.Method) func(context.Context, stream.Engine, *program, stream.Source, stream.Source) (saver, *model.Report, error) {
	return func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		f, err := method(p).Fit(ctx, e, model.Sources{Left: x}, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	}
}

// overPairs returns the fit of a method of the low-rank family to the rows of two sources.
func overPairs(method func(p *program) lowrank.Method) func(context.Context, stream.Engine, *program, stream.Source, stream.Source) (saver, *model.Report, error) {
	return func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error) {
		f, err := method(p).Fit(ctx, e, model.Sources{Left: x, Right: y}, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	}
}

// asymmetric returns a fit of a method of package ksvd.
func asymmetric(method func(p *program) ksvd.Method) func(context.Context, stream.Engine, *program, stream.Source, stream.Source) (saver, *model.Report, error) {
	return func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error) {
		d, err := ksvd.Between(x, y)
		if err != nil {
			return nil, nil, err
		}
		f, err := method(p).Fit(ctx, e, d, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	}
}

// shared are the fits whose folds are over rows that are not in memory.
var shared = map[string]func(context.Context, stream.Engine, *program, stream.Source, stream.Source) (saver, *model.Report, error){
	"s3spsd":       overRows(func(p *program) lowrank.Method { return lowrank.S3SPSD{Rank: 4, Seed: p.seed} }),
	"landmark":     overRows(func(p *program) lowrank.Method { return lowrank.Landmark{Rank: 4, Seed: p.seed} }),
	"landmark two": overPairs(func(p *program) lowrank.Method { return lowrank.Landmark{Rank: 4, Seed: p.seed} }),
	"ssrsvd":       overRows(func(p *program) lowrank.Method { return lowrank.SSRSVD{Rank: 4, Seed: p.seed} }),
	"ssrsvd two":   overPairs(func(p *program) lowrank.Method { return lowrank.SSRSVD{Rank: 4, Seed: p.seed} }),
	"matrix": func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error) {
		exp, err := kernelgen.ParseMap("exp")
		if err != nil {
			return nil, nil, err
		}
		return overRows(func(p *program) lowrank.Method { return lowrank.SSRSVDMatrix{Rank: 2, Map: exp, Seed: p.seed} })(ctx, e, p, x, y)
	},
	"nystrom":     overRows(func(p *program) lowrank.Method { return lowrank.Nystrom{Rank: 6, Seed: p.seed} }),
	"rpcholesky":  overRows(func(p *program) lowrank.Method { return lowrank.RPCholesky{Rank: 6, Seed: p.seed} }),
	"rff":         overRows(func(p *program) lowrank.Method { return lowrank.RFF{Rank: 8, Seed: p.seed} }),
	"adaptive":    overRows(func(p *program) lowrank.Method { return lowrank.Adaptive{ErrorTol: 0.2, Seed: p.seed} }),
	"ksvd ssrsvd": asymmetric(func(p *program) ksvd.Method { return ksvd.SSRSVD{Rank: 4, Seed: p.seed} }),
	"ksvd nystrom": asymmetric(func(p *program) ksvd.Method {
		return ksvd.Nystrom{Rank: 4, Sums: ksvd.SumsSampled, Scaling: ksvd.ScaleUnit, Seed: p.seed}
	}),
	"ksvd exact sums": asymmetric(func(p *program) ksvd.Method {
		return ksvd.Nystrom{Rank: 4, Sums: ksvd.SumsExact, Scaling: ksvd.ScaleUnit, Center: true, Seed: p.seed}
	}),
	"ism": func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		known, err := ism.Classes(p.labels[:x.Info().Rows], 2)
		if err != nil {
			return nil, nil, err
		}
		f, err := ism.Solver{Dim: 2, Engine: ism.EngineLinear, Iterations: 4, Seed: p.seed}.Fit(ctx, e, &ism.Data{Rows: x, Known: known}, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	},
	"ism clusters": func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		f, err := ism.Solver{Dim: 2, Engine: ism.EngineLinear, Paradigm: ism.Unsupervised, Clusters: 2, Iterations: 2, Rounds: 2, Seed: p.seed}.
			Fit(ctx, e, &ism.Data{Rows: x}, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	},
	"rkhs lagged": func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		d, err := rkhs.Lagged(x, 2)
		if err != nil {
			return nil, nil, err
		}
		f, err := rkhs.Solver{Operator: rkhs.Koopman{Ridge: 1e-3}, Rank: 3, Engine: rkhs.EngineLandmark, Landmarks: 12, Seed: p.seed}.Fit(ctx, e, d, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	},
	"rkhs": func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error) {
		d, err := rkhs.Pairs(x, y)
		if err != nil {
			return nil, nil, err
		}
		f, err := rkhs.Solver{Operator: rkhs.CrossCovariance{}, Rank: 3, Engine: rkhs.EngineLandmark, Landmarks: 12, Seed: p.seed}.Fit(ctx, e, d, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	},
	"askls": func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		return classified(ctx, e, p, x, askls.MergeAverage)
	},
	"transport": transported(func(p *program) transport.Method { return transport.Exact{Sinkhorn: threeRounds} }),
	"transport lowrank": transported(func(p *program) transport.Method {
		return transport.LowRank{Sinkhorn: transport.Sinkhorn{Epsilon: 20, Iterations: 2, Seed: p.seed}, Rank: 10}
	}),
	"askls stacked": func(ctx context.Context, e stream.Engine, p *program, x, _ stream.Source) (saver, *model.Report, error) {
		return classified(ctx, e, p, x, askls.MergeStack)
	},
}

// transported returns the fit of a method of package transport.
func transported(method func(p *program) transport.Method) func(context.Context, stream.Engine, *program, stream.Source, stream.Source) (saver, *model.Report, error) {
	return func(ctx context.Context, e stream.Engine, p *program, x, y stream.Source) (saver, *model.Report, error) {
		f, err := method(p).Fit(ctx, e, &transport.Data{Sources: model.Sources{Left: x, Right: y}}, p.kernel)
		if err != nil {
			return nil, nil, err
		}
		return f, &f.Report, nil
	}
}

func classified(ctx context.Context, e stream.Engine, p *program, x stream.Source, merge askls.Merge) (saver, *model.Report, error) {
	d, err := askls.Samples(x, p.labels[:x.Info().Rows], 2)
	if err != nil {
		return nil, nil, err
	}
	f, err := askls.Solver{C: 1, Engine: askls.EngineLowRank, Merge: merge, Folds: 3, Rank: 4, Landmarks: 30, Sums: ksvd.SumsSampled, Seed: p.seed}.Fit(ctx, e, d, p.kernel)
	if err != nil {
		return nil, nil, err
	}
	return f, &f.Report, nil
}

// drawProgram draws data and settings of a fit, and returns what it gives in one run.
func drawProgram(t *rapid.T) (p *program, e stream.Engine, want []byte) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(shared))).Draw(t, "fit")
	p = &program{fit: shared[name], seed: rapid.Uint64Range(0, 99).Draw(t, "seed"),
		nulls: rapid.SampledFrom([]stream.Nulls{stream.NullsDrop, stream.NullsZero}).Draw(t, "nulls"),
		scale: rapid.SampledFrom([]stream.Scaling{stream.ScaleNone, stream.ScaleStandard}).Draw(t, "scale")}
	var err error
	if p.kernel, err = kernelgen.Parse("gaussian(sigma=1.5)"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 0))
	rows := rapid.IntRange(300, 600).Draw(t, "rows")
	for i := range p.raw {
		x := stream.NewMatrix(rows, 3)
		for k := range x.Data {
			x.Data[k] = r.NormFloat64()
			if name != "rkhs" && r.IntN(200) == 0 { // pairs must stay pairs
				x.Data[k] = math.NaN()
			}
		}
		p.raw[i] = unloaded{stream.FromMatrix(fmt.Sprint("rows ", i), x)}
	}
	for i := range rows {
		p.labels = append(p.labels, i%7%2)
	}
	e = stream.Engine{Threads: rapid.IntRange(1, 3).Draw(t, "threads"), BlockRows: rapid.SampledFrom([]int{8, 16, 64}).Draw(t, "rows of a block")}
	if want, err = p.run(context.Background(), e); err != nil {
		t.Fatalf("in one run: %v", err)
	}
	return p, e, want
}

// with returns the engine with a run.
func with(t *rapid.T, e stream.Engine, store stream.StateStore, o stream.RunOptions) stream.Engine {
	run, err := stream.NewRun(store, "test", o)
	if err != nil {
		t.Fatal(err)
	}
	e.Run = run
	return e
}

// TestSharedFits cuts fits into parts that are made in any order, and puts them together.
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
					break // no fold is left
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

// TestResumedFits interrupts fits at random places, several times over.
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

// TestFolderOfStates makes a fit in parts in a folder, as several machines would.
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
