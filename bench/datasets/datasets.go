// Package datasets reads the data sets of the papers, as the papers used them,
// from the folder named by NYSTREAM_DATA (default: ../shared/data beside the
// repository). The data is not ours to publish and never enters the repository.
package datasets

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Dir is the folder with the data sets.
func Dir() string {
	if dir := os.Getenv("NYSTREAM_DATA"); dir != "" {
		return dir
	}
	return filepath.Join(root(), "..", "shared", "data")
}

// root is the folder of the repository: the nearest one with a go.mod.
func root() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "."
}

// Load reads a data set into memory: satimage, abalone, letter (its first
// 15,000 rows), or any file that nystream reads.
func Load(ctx context.Context, name string) (blas64.General, error) {
	switch name {
	case "abalone":
		return abalone(filepath.Join(Dir(), "abalone.data"))
	case "satimage":
		return readFile(ctx, filepath.Join(Dir(), "satimage.scale"), blockstore.Options{Format: "libsvm"}, 0)
	case "letter":
		o := blockstore.Options{Format: "csv", NoHeader: true, Columns: []string{"1:17"}} // the first is the letter
		return readFile(ctx, filepath.Join(Dir(), "letter.scale"), o, 15000)
	default:
		return readFile(ctx, name, blockstore.Options{}, 0)
	}
}

// readFile reads the first rows of a file, or all of them if rows is 0.
func readFile(ctx context.Context, path string, o blockstore.Options, rows int64) (blas64.General, error) {
	src, err := blockstore.Open(ctx, []string{path}, o)
	if err != nil {
		return blas64.General{}, err
	}
	n := src.Info().Rows
	if rows > 0 {
		n = min(n, rows)
	}
	number := make([]int64, n)
	for i := range number {
		number[i] = int64(i)
	}
	return stream.GatherRows(ctx, src, number)
}

// abalone codes the sex M/F/I as 1/0/0.5 and drops the rings.
func abalone(path string) (blas64.General, error) {
	f, err := os.Open(path)
	if err != nil {
		return blas64.General{}, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return blas64.General{}, fmt.Errorf("%s: %w", path, err)
	}
	code := map[string]float64{"M": 1, "F": 0, "I": 0.5}
	m := stream.NewMatrix(len(records), 8)
	for i, rec := range records {
		sex, ok := code[rec[0]]
		if !ok {
			return m, fmt.Errorf("%s: row %d: sex %q", path, i, rec[0])
		}
		m.Data[i*8] = sex
		for j := 1; j < 8; j++ {
			if m.Data[i*8+j], err = strconv.ParseFloat(rec[j], 64); err != nil {
				return m, fmt.Errorf("%s: row %d: %w", path, i, err)
			}
		}
	}
	return m, nil
}

// Uniform is n rows drawn uniformly from [0,1]^d.
func Uniform(n, d int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, d)
	FillUniform(m, 0, seed)
	return m
}

// FillUniform fills m with the rows of Uniform from the given number on.
func FillUniform(m blas64.General, start int64, seed uint64) {
	random := sketch.NewStream(seed, "uniform data")
	for i := range m.Rows {
		draws := random.At(uint64(start) + uint64(i))
		for j := range m.Cols {
			m.Data[i*m.Stride+j] = draws.Float64()
		}
	}
}
