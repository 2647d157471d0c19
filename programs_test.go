package nystream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log"
	"math"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// check ends an example that fails.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A fit that needs more memory than the engine allows is refused before it reads a row.
func ExampleFitWith() {
	data := model.Sources{Left: nystream.FromDense(spiral(3000))}
	method, kernel := lowrank.Landmark{Rank: 20}, kernelgen.RBF(1)
	engine := stream.Engine{Threads: 2, Memory: 1 << 20}
	_, err := nystream.FitWith(context.Background(), engine, data, kernel, method)
	var over *stream.OverBudgetError
	if errors.As(err, &over) {
		fmt.Println("too little memory")
		engine.Memory = over.Need
	}
	engine.Progress = func(e stream.Event) {
		if e.Done == e.Total {
			fmt.Println(e.Pass, e.Done)
		}
	}
	fit, err := nystream.FitWith(context.Background(), engine, data, kernel, method)
	check(err)
	fmt.Println("rank", fit.Rank())
	// Output:
	// too little memory
	// fit 3000
	// rank 20
}

// flat is a row of a program.
type flat struct {
	Size  float64
	Town  string
	Price float64 `nystream:",keep"` // the target
}

// Structs are fitted, words included; the model file answers for a row with a word.
func Example_structs() {
	ctx, engine := context.Background(), stream.Engine{}
	var flats []flat
	for i := range 60 {
		flats = append(flats, flat{float64(40 + i), []string{"Bath", "Leeds", "York"}[i%3], float64(100 + i + 50*(i%3))})
	}
	raw, err := stream.FromStructs("flats", flats)
	check(err)
	rows, err := prepare.New(ctx, engine, raw, prepare.Treatment{Scale: prepare.ScaleStandard, Categories: prepare.EncodeOneHot})
	check(err)
	fit, err := nystream.FitData(ctx, &ridge.Data{Rows: rows, Targets: []string{"Price"}}, kernelgen.RBF(0.1), ridge.Solver{Landmarks: 60})
	check(err)
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	check(modelfile.SavePrepared(filepath.Join(dir, "m.npz"), fit.Model, rows))

	m, err := modelfile.OpenFS(os.DirFS(dir), "m.npz") // or an embed.FS
	check(err)
	e, err := m.Embedder(model.Request{Outputs: []model.Output{model.Value}})
	check(err)
	prices := make([]float64, 2)
	check(e.EmbedBatch(prices, []float64{50, 50}, "York", "Bath"))
	fmt.Printf("%.0f\n", prices)
	// Output: [210 110]
}

// Rows that come once, of unknown number, are copied to a temporary file and fitted.
func Example_unknownLength() {
	ctx := context.Background()
	info := stream.Info{Name: "queue", Columns: []string{"x", "y"}, Rows: -1, OnePass: true}
	queue := stream.FromSeq(info, func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			for x := spiral(3000).RawMatrix(); x.Rows > 0; x = stream.RowSlice(x, 100, x.Rows-100) {
				if !yield(stream.Batch{X: stream.RowSlice(x, 0, 100)}, nil) {
					return
				}
			}
		}
	})
	var session blockstore.Session
	defer session.Close() // removes the copy
	rows, err := session.Spool(ctx, queue)
	check(err)
	fit, err := nystream.Fit(ctx, rows, kernelgen.RBF(1), lowrank.Landmark{Rank: 20})
	check(err)
	fmt.Println(rows.Info().Rows, "rows, rank", fit.Rank())
	// Output: 3000 rows, rank 20
}

// store writes 20,000 rows to a file in dir and returns its path.
func store(dir string) string {
	path := filepath.Join(dir, "rows.npy")
	w, err := blockstore.Create(path, blockstore.Schema{Columns: []string{"x", "y"}, Rows: 20000})
	check(err)
	check(w.Write(&stream.Batch{X: spiral(20000).RawMatrix()}, 20000))
	check(w.Commit())
	return path
}

// Two shards fold half of the rows each, on any machine, and leave states in a folder; the last call makes the fit of
// them.
func Example_shards() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	path := store(dir)

	shard := func(o stream.RunOptions) (*lowrank.Fit, error) {
		src, err := blockstore.Open(ctx, []string{path}, blockstore.Options{})
		check(err)
		run, err := stream.NewRun(blockstore.States(filepath.Join(dir, "states")), "example", o)
		check(err)
		return nystream.FitWith(ctx, stream.Engine{Run: run}, model.Sources{Left: src}, kernelgen.RBF(1), lowrank.Landmark{Rank: 20})
	}
	for part := range 2 {
		_, err := shard(stream.RunOptions{Part: part + 1, Parts: 2})
		var stopped *stream.StoppedError
		fmt.Println("part", part+1, "done:", errors.As(err, &stopped))
	}
	fit, err := shard(stream.RunOptions{Finish: true})
	check(err)
	fmt.Println("rank", fit.Rank())
	// Output:
	// part 1 done: true
	// part 2 done: true
	// rank 20
}

// A fit that is stopped leaves a state, and the next one goes on from there. Every is the time between states besides, for
// programs that are killed. Done removes the states once the model is safe.
func Example_resume() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	src, err := blockstore.Open(context.Background(), []string{store(dir)}, blockstore.Options{})
	check(err)

	fit := func(ctx context.Context, progress func(stream.Event)) (*lowrank.Fit, error) {
		run, err := stream.NewRun(blockstore.States(filepath.Join(dir, "states")), "example", stream.RunOptions{
			Every:   time.Minute,
			Resumed: func(_ string, seen, rows int64) { fmt.Println("goes on from a state:", seen > 0 && seen < rows) },
		})
		check(err)
		engine := stream.Engine{Run: run, Threads: 1, BlockRows: 1024, Progress: progress}
		fit, err := nystream.FitWith(ctx, engine, model.Sources{Left: src}, kernelgen.RBF(1), lowrank.Landmark{Rank: 20})
		if err == nil {
			err = run.Done()
		}
		return fit, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = fit(ctx, func(stream.Event) { cancel() }) // as a signal would, after the first block
	fmt.Println("stopped:", errors.Is(err, context.Canceled))
	done, err := fit(context.Background(), nil)
	check(err)
	fmt.Println("rank", done.Rank())
	// Output:
	// stopped: true
	// goes on from a state: true
	// rank 20
}

// An error about data has the row, the column and the kind; the cause is found by errors.Is.
func Example_errors() {
	ctx, x, kernel, method := context.Background(), spiral(3000), kernelgen.RBF(1), lowrank.Landmark{Rank: 20}
	x.Set(1234, 1, math.NaN())
	_, err := nystream.Fit(ctx, nystream.FromDense(x), kernel, method)
	var bad *stream.DataError
	if errors.As(err, &bad) && bad.Kind == stream.BadValue {
		fmt.Println("row", bad.Row, "column", bad.Column)
	}
	_, err = blockstore.Open(ctx, []string{"missing.csv"}, blockstore.Options{})
	fmt.Println("missing:", errors.Is(err, fs.ErrNotExist))
	pipe := stream.FromSeq(stream.Info{Name: "pipe", Columns: []string{"x"}, Rows: -1, OnePass: true}, nil)
	_, err = nystream.Fit(ctx, pipe, kernel, method)
	fmt.Println("to be stored first:", errors.Is(err, stream.ErrReadOnce))
	// Output:
	// row 1234 column x1
	// missing: true
	// to be stored first: true
}

// A pass over a sequence that has fallen silent ends with its context.
func Example_cancel() {
	ctx, cancel := context.WithCancel(context.Background())
	info := stream.Info{Name: "silence", Columns: []string{"x", "y"}, Rows: -1, OnePass: true}
	rows := stream.FromSeq(info, func(ctx context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			if yield(stream.Batch{X: blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 2}}}, nil) {
				cancel() // as a signal would
				<-ctx.Done()
			}
		}
	})
	_, err := nystream.ToDense(ctx, rows)
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}
