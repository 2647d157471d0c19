package modelfile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/stream"
)

// Save a model in a file and load it.
func Example() {
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{0, 1, 2, 3}}
	data := model.Sources{Left: stream.FromMatrix("x", x)}
	fit, err := lowrank.Nystrom{Rank: 2}.Fit(context.Background(), stream.Engine{}, data, kernelgen.RBF(1))
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "m.npz")
	if err := modelfile.Save(path, fit); err != nil {
		log.Fatal(err)
	}
	a, err := modelfile.ReadArchive(path)
	if err != nil {
		log.Fatal(err)
	}
	m, err := lowrank.Load(a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Method, m.Kernel, m.Rank())
	// Output: nystrom rbf(gamma=1) 2
}
