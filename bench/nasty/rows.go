package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// kind is how rows are.
type kind struct {
	name       string
	rows, cols int
	entry      func(i, j int, u float64) float64 // u is uniform in [0, 1)
}

func kindsOfRows() []kind {
	times := func(scale float64) func(int, int, float64) float64 {
		return func(_, _ int, u float64) float64 { return u * scale }
	}
	return []kind{
		{"zeros", 300, 2, times(0)},
		{"equal", 300, 2, func(_, _ int, _ float64) float64 { return 1 }},
		{"one", 1, 2, times(1)},
		{"two", 2, 2, times(1)},
		{"three", 3, 2, times(1)},
		{"wide", 5, 400, times(1)},
		{"far", 600, 1, func(i, _ int, _ float64) float64 { return float64(i) * 1000 }},
		{"tiny", 200, 3, times(1e-300)},
		{"huge", 200, 3, times(1e300)},
		{"denormal", 200, 3, times(1e-310)},
		{"mixed", 100, 2, func(_, j int, u float64) float64 { return u * math.Pow(1e200, float64(2*j-1)) }},
		{"copies", 300, 3, func(i, j int, _ float64) float64 { return math.Mod(math.Pi*float64((i/60)*3+j+1), 1) }},
		{"shuffled copies", 1500, 3, func(i, j int, _ float64) float64 { return math.Mod(math.Pi*float64((i%7)*3+j+1), 1) }},
		{"negative", 200, 3, times(-1)},
		{"collinear", 200, 3, func(i, j int, _ float64) float64 { return float64((i*7919)%1000) / 1000 * float64(j+1) }},
		{"outlier", 201, 3, func(i, _ int, u float64) float64 {
			if i == 200 {
				return 1e8
			}
			return u
		}},
		{"half zeros", 100, 2, func(i, _ int, u float64) float64 {
			if i < 50 {
				return 0
			}
			return u
		}},
		{"a constant column", 100, 2, func(_, j int, u float64) float64 {
			if j == 0 {
				return 1
			}
			return u
		}},
	}
}

// write makes rows.npy, and rows.csv with labels besides.
func (k kind) write(folder string) error {
	random, x := rand.New(rand.NewPCG(1, 2)), stream.NewMatrix(k.rows, k.cols)
	for i := range k.rows {
		for j := range k.cols {
			x.Data[i*x.Stride+j] = k.entry(i, j, random.Float64())
		}
	}
	w, err := blockstore.Create(filepath.Join(folder, "rows.npy"), blockstore.Schema{Columns: stream.NumberedColumns(k.cols), Rows: int64(k.rows)})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(&stream.Batch{X: x}, x.Rows); err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	return writeText(filepath.Join(folder, "rows.csv"), x)
}

// writeText writes rows of numbers behind a label.
func writeText(path string, x blas64.General) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "label")
	for j := range x.Cols {
		fmt.Fprintf(w, ",c%d", j)
	}
	for i := range x.Rows {
		fmt.Fprintf(w, "\n%c", 'a'+i%2)
		for _, v := range x.Data[i*x.Stride:][:x.Cols] {
			fmt.Fprintf(w, ",%g", v)
		}
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
