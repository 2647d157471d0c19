package nystream_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// spiral returns n points of a spiral, a row each.
func spiral(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		t := float64(i) / float64(n)
		x.SetRow(i, []float64{t * math.Cos(9*t), t * math.Sin(9*t)})
	}
	return x
}

// Fit a kernel matrix of 3000 rows, and compare the factors with its entries.
func Example() {
	ctx := context.Background()
	x := spiral(3000)
	src := nystream.FromDense(x)
	kernel := kernelgen.RBF(1)

	fit, err := nystream.Fit(ctx, src, kernel, lowrank.Landmark{Rank: 20})
	if err != nil {
		log.Fatal(err)
	}
	u, _, err := fit.Factors(ctx, stream.Engine{}, model.Sources{Left: src})
	if err != nil {
		log.Fatal(err)
	}
	var scaled, approx mat.Dense
	scaled.Mul(nystream.Dense(u), mat.NewDiagDense(fit.Rank(), fit.Values))
	approx.Mul(scaled.Slice(0, 10, 0, fit.Rank()), nystream.Dense(u).Slice(2990, 3000, 0, fit.Rank()).T())
	square := math.Pow(x.At(0, 0)-x.At(2990, 0), 2) + math.Pow(x.At(0, 1)-x.At(2990, 1), 2)
	fmt.Printf("rank %d, passes %d\n", fit.Rank(), fit.SourcePasses)
	fmt.Printf("entry (0, 2990): %.4f, approximated %.4f\n", math.Exp(-square), approx.At(0, 0))
	// Output:
	// rank 20, passes 1
	// entry (0, 2990): 0.3703, approximated 0.3703
}

// What a fit will take is known before a row is read: memory, passes, entries of the kernel matrix.
func Example_budget() {
	rows := model.Size{Rows: 100_000_000, Columns: 20}
	plan, err := lowrank.Landmark{Rank: 50}.Plan(stream.Engine{Threads: 2}, rows, kernelgen.RBF(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pass, %.1g kernel entries\n", plan.SourcePasses, float64(plan.KernelEntries))
	fmt.Println("within 1 GiB:", plan.Memory.Check(1<<30) == nil)
	fmt.Println("within 16 MiB:", plan.Memory.Check(16<<20) == nil)
	// Output:
	// 1 pass, 2e+10 kernel entries
	// within 1 GiB: true
	// within 16 MiB: false
}

// Rows that arrive on a channel, once, are embedded a block at a time. BlockRows is the size of a batch, so that each is
// answered when it has come. The sequence ends with its context, should the channel fall silent.
func Example_channel() {
	ctx := context.Background()
	fit, err := nystream.Fit(ctx, nystream.FromDense(spiral(3000)), kernelgen.RBF(1), lowrank.Landmark{Rank: 20})
	if err != nil {
		log.Fatal(err)
	}
	arriving := make(chan blas64.General)
	go func() {
		defer close(arriving)
		for range 3 {
			arriving <- spiral(500).RawMatrix()
		}
	}()
	info := stream.Info{Name: "channel", Columns: []string{"x", "y"}, Rows: -1, OnePass: true}
	rows := stream.FromSeq(info, func(ctx context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			for {
				select {
				case m, ok := <-arriving:
					if !ok || !yield(stream.Batch{X: m}, nil) {
						return
					}
				case <-ctx.Done():
					return
				}
			}
		}
	})
	err = model.Transform(ctx, stream.Engine{BlockRows: 500}, fit.Model, rows, model.Request{},
		func(b *stream.Block, u blas64.General) error {
			fmt.Println("from row", b.Start, "on:", u.Rows)
			return nil
		})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// from row 0 on: 500
	// from row 500 on: 500
	// from row 1000 on: 500
}

// Records of Arrow, as a consumer of a queue gets them, are scored in flight: the answers to a record are there before
// the next one is.
func Example_records() {
	ctx := context.Background()
	fit, err := nystream.Fit(ctx, nystream.FromDense(spiral(3000)), kernelgen.RBF(1), lowrank.Landmark{Rank: 20})
	if err != nil {
		log.Fatal(err)
	}
	fields := []arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "y", Type: arrow.PrimitiveTypes.Float64}}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	answered := make(chan bool, 1)
	queue := func(yield func(arrow.Record, error) bool) {
		for k := range 3 {
			if k > 0 {
				<-answered
			}
			builder.Field(0).(*array.StringBuilder).AppendValues([]string{fmt.Sprint("a", k), fmt.Sprint("b", k)}, nil)
			builder.Field(1).(*array.Float64Builder).AppendValues([]float64{0, 0.5}, nil)
			builder.Field(2).(*array.Float64Builder).AppendValues([]float64{float64(k), 0.5}, nil)
			record := builder.NewRecord()
			more := yield(record, nil)
			record.Release() // nobody keeps it
			if !more {
				return
			}
		}
	}
	rows, err := blockstore.FromRecords(ctx, "queue", schema, queue, blockstore.Options{Keep: []string{"id"}})
	if err != nil {
		log.Fatal(err)
	}
	err = model.Transform(ctx, stream.Engine{}, fit.Model, rows, model.Request{Kept: true},
		func(b *stream.Block, u blas64.General) error {
			fmt.Println(b.Kept[0].Strings, u.Rows, u.Cols)
			answered <- true
			return nil
		})
	fmt.Println(err)
	// Output:
	// [a0 b0] 2 20
	// [a1 b1] 2 20
	// [a2 b2] 2 20
	// <nil>
}

// A family with data of its own: singular vectors of an asymmetric kernel matrix.
func ExampleFitData() {
	ctx := context.Background()
	x := nystream.FromDense(spiral(300))
	data, err := ksvd.Between(x, x)
	if err != nil {
		log.Fatal(err)
	}
	fit, err := nystream.FitData(ctx, data, kernelgen.SNE(1), ksvd.Exact{Rank: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", fit.Values)
	// Output: [1.014 0.291 0.236]
}

// A source, here of generated rows, as a matrix of gonum.
func ExampleToDense() {
	m, err := nystream.ToDense(context.Background(), nystream.FromDense(spiral(4).T()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Dims())
	// Output: 2 4
}
