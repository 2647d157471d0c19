package ksvd_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// citations returns a graph of n papers in two fields. Each cites five earlier ones of its field.
func citations(n int) (*sparse.CSR, error) {
	random := sketch.NewRandom(1, "citations")
	return sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for i := 20; i < n; i++ {
			draws := random.At(uint64(i))
			for range 5 {
				j := int(draws.Uint64n(uint64(i/2)))*2 + i%2
				if j < i && !yield(sparse.Entry{Row: int32(i), Col: int32(j), Value: 1}) {
					return
				}
			}
		}
	})
}

// Embed the nodes of a directed graph by the papers they cite and those that cite them, and then a new paper.
func Example() {
	ctx, engine := context.Background(), stream.Engine{}
	a, err := citations(2000)
	if err != nil {
		log.Fatal(err)
	}
	data, err := ksvd.Graph("citations", a.AddIdentity())
	if err != nil {
		log.Fatal(err)
	}
	method := ksvd.Nystrom{Rank: 2, Rows: 400, Center: true, Scaling: ksvd.ScaleOrthonormal, Seed: 1}
	fit, err := method.Fit(ctx, engine, data, kernelgen.SNE(3))
	if err != nil {
		log.Fatal(err)
	}
	worker, nodes, err := fit.Fitted(model.Left)
	if err != nil {
		log.Fatal(err)
	}
	u, err := stream.MapRows(ctx, engine, "factors", nodes, fit.Rank(), worker)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("U:", u.Rows, "×", u.Cols)

	paper, err := sparse.NewCSR(1, 2000, func(yield func(sparse.Entry) bool) {
		_ = yield(sparse.Entry{Col: 10, Value: 1}) && yield(sparse.Entry{Col: 24, Value: 1})
	})
	if err != nil {
		log.Fatal(err)
	}
	err = fit.Transform(ctx, engine, sparse.NewRows("new papers", paper, nil), model.Request{}, func(b *stream.Block, u blas64.General) error {
		fmt.Println("new papers:", u.Rows, "×", u.Cols)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// U: 2000 × 2
	// new papers: 1 × 2
}
