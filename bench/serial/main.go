// Serial measures what more cores cannot make faster: the CPU time of the longest chain
// of steps that follow one another, beside the CPU time of all, for some methods and file
// formats, and the speed-up that this leaves (Amdahl). It needs no machine with many
// cores: it looks at profiles of runs with two workers, and at which goroutine each
// sample was taken on.
//
//	go run ./bench/serial -rows 1000000
//
// Before passes had several readers and workers merged, 32 cores allowed, for a million
// rows of 20 columns: s3spsd 3.8 from Parquet, 13 from NPY, 1.1 from CSV; landmark
// 9.9, 14 and 1.6; ism 2.9, 12.5 and 1.1. A libsvm file was read the first time by one
// goroutine, which left 2.0.
//
// What is left outside passes is .04–.07 s, whatever the rows, but for fetching landmarks
// from Parquet. Of the .045 s of s3spsd two thirds are its estimate of the error (two
// norms of a matrix between 1000 sampled rows .02 s, its entries .007 s), a fifth the
// small decompositions and a tenth the rows that are fetched. Its passes over a million
// rows take .6 s, so 20 times would need .013 s; over five million rows 20 is reached. The
// products in it are too small for more threads: from 8 million multiply-adds on two are
// 1.5 times as fast as one, and below 4 million not faster.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

func main() { program.Main("serial", parse, run) }

type options struct {
	rows, columns, cores int
	repeats              int
	out                  string
	formats, methods     []string
}

// fits are the methods, by name.
var fits = map[string]func(context.Context, stream.Engine, stream.Source) error{
	"s3spsd": func(ctx context.Context, e stream.Engine, src stream.Source) error {
		_, err := lowrank.S3SPSD{Rank: 50}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.Gaussian(3))
		return err
	},
	"landmark": func(ctx context.Context, e stream.Engine, src stream.Source) error {
		_, err := lowrank.Landmark{Rank: 50}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.Gaussian(3))
		return err
	},
	"ism": func(ctx context.Context, e stream.Engine, src stream.Source) error {
		labels := make([]int, src.Info().Rows)
		for i := range labels {
			labels[i] = i % 3
		}
		known, err := ism.Classes(labels, 3)
		if err != nil {
			return err
		}
		_, err = ism.Solver{Dim: 3, Engine: ism.EngineLinear, Iterations: 4}.Fit(ctx, e, &ism.Data{Rows: src, Known: known}, kernelgen.Gaussian(3))
		return err
	},
}

func parse(args []string) (o options, err error) {
	var formats, methods string
	f := program.Flags("serial", &o.out)
	f.IntVar(&o.rows, "rows", 1_000_000, "rows of the data")
	f.IntVar(&o.columns, "columns", 20, "their columns")
	f.IntVar(&o.repeats, "repeats", 10, "fits of each kind that are measured; a profile of one sees a few samples of what is short")
	f.IntVar(&o.cores, "cores", 32, "cores of the machine to be told of")
	f.StringVar(&formats, "formats", "parquet,npy,csv", "formats of the data")
	f.StringVar(&methods, "methods", "s3spsd,landmark,ism", "methods")
	if err = program.Parse(f, args); err != nil {
		return o, err
	}
	o.formats, o.methods = program.List(formats), program.List(methods)
	return o, program.Known(o.methods, []string{"s3spsd", "landmark", "ism"})
}

func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	fmt.Printf("%d rows of %d columns; CPU seconds in all, outside passes, of one reader, of the collector; speed-up allowed on %d cores\n", o.rows, o.columns, o.cores)
	fmt.Printf("%-10s %-8s %8s %8s %8s %8s %9s\n", "method", "format", "all", "outside", "reader", "collect", "speed-up")
	for _, format := range o.formats {
		path := filepath.Join(o.out, fmt.Sprintf("%dx%d.%s", o.rows, o.columns, format))
		if err := write(path, o); err != nil {
			return err
		}
		for _, method := range o.methods {
			s, err := measure(ctx, path, filepath.Join(o.out, method+"."+format+".pprof"), o.repeats, fits[method])
			if err != nil {
				return err
			}
			fmt.Printf("%-10s %-8s %8.2f %8.2f %8.2f %8.2f %9.1f\n", method, format, s.all, s.outside, s.reader, s.collector, s.allowed(float64(o.cores)))
		}
	}
	return nil
}

// write writes normal numbers to a file, unless it is there.
func write(path string, o options) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(o.columns), Rows: int64(o.rows)})
	if err != nil {
		return err
	}
	draws := sketch.NewRandom(1, "rows")
	b := &stream.Batch{X: stream.NewMatrix(1000, o.columns)}
	for first := 0; first < o.rows; first += b.X.Rows {
		for i := range b.X.Rows {
			at := draws.At(uint64(first + i))
			for j := range o.columns {
				b.X.Data[i*o.columns+j] = at.Normal()
			}
		}
		if err := w.Write(b, min(b.X.Rows, o.rows-first)); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Commit()
}

// measure makes a fit several times, opening the file included, and divides the CPU time
// of one up.
func measure(ctx context.Context, path, profile string, repeats int, fit func(context.Context, stream.Engine, stream.Source) error) (shares, error) {
	f, err := os.Create(profile)
	if err != nil {
		return shares{}, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return shares{}, err
	}
	for range repeats {
		var src stream.Source
		if src, err = blockstore.Open(ctx, []string{path}, blockstore.Options{}); err == nil {
			err = fit(ctx, stream.Engine{Threads: 2}, src)
		}
		if err != nil {
			break
		}
	}
	pprof.StopCPUProfile()
	if err != nil {
		return shares{}, err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", profile)
	cmd.WaitDelay = time.Second
	text, err := cmd.Output()
	if err != nil {
		return shares{}, fmt.Errorf("go tool pprof: %w", err)
	}
	s, err := divide(string(text))
	return s.over(float64(repeats)), err
}
