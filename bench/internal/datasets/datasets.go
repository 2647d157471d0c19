// Package datasets reads the data sets of the papers, as the papers used them, from the folder named by NYSTREAM_DATA
// (default: ../shared/data beside the repository). We may not publish the data, so it is not in the repository.
package datasets

import (
	"context"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Dir returns the folder with the data sets.
func Dir() string {
	if dir := os.Getenv("NYSTREAM_DATA"); dir != "" {
		return dir
	}
	return filepath.Join(root(), "..", "shared", "data")
}

// root returns the folder of the repository, or "." outside it.
func root() string {
	dir, _ := os.Getwd()
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "bench", "internal", "datasets")); err == nil {
			return dir
		}
	}
	return "."
}

// dataset is a data set of paper 1, with its file in Dir and its format.
type dataset struct {
	name, file string
	options    blockstore.Options
	rows       int64 // number of first rows to read, 0 for all
}

var known = []dataset{
	{name: "satimage", file: "satimage.scale", options: blockstore.Options{Format: "libsvm"}},
	{name: "abalone", file: "abalone.data"},
	{name: "letter", file: "letter.scale", rows: 15000, // the first column is the letter
		options: blockstore.Options{Format: "csv", Layout: blockstore.Layout{NoHeader: true}, Columns: []string{"1:17"}}},
	{name: "a9a", file: "a9a", options: blockstore.Options{Format: "libsvm"}},
}

// Names returns the names of all data sets of paper 1.
func Names() (names []string) {
	for _, d := range known {
		names = append(names, d.name)
	}
	return names
}

// Present returns the names of the data sets whose files are in Dir.
func Present() []string {
	var names []string
	for _, d := range known {
		if _, err := os.Stat(filepath.Join(Dir(), d.file)); err == nil {
			names = append(names, d.name)
		}
	}
	return names
}

// Load reads a data set into memory: one of paper 1 by its name, or any file that nystream can read. letter has its
// first 15,000 rows. In abalone the sex M, F or I is 1, 0 or 0.5, and the rings are dropped.
func Load(ctx context.Context, name string) (blas64.General, error) {
	if name == "abalone" {
		x, _, err := ClassedFile{Name: "abalone.data"}.Rows(0, map[string]float64{"M": 1, "F": 0, "I": 0.5})
		return x, err
	}
	for _, d := range known {
		if d.name == name {
			return readFile(ctx, filepath.Join(Dir(), d.file), d.options, d.rows)
		}
	}
	return readFile(ctx, name, blockstore.Options{}, 0)
}

// readFile reads the first rows of a file, or all if rows is 0. It fails, naming the position, if a number is not
// finite.
func readFile(ctx context.Context, path string, o blockstore.Options, rows int64) (blas64.General, error) {
	file, err := blockstore.Open(ctx, []string{path}, o)
	if err != nil {
		return blas64.General{}, err
	}
	var src stream.Source
	if src, err = prepare.New(ctx, stream.Engine{}, file, prepare.Treatment{}); err != nil {
		return blas64.General{}, err
	}
	if src.Info().Rows < 0 {
		if src, err = stream.InMemory(ctx, src, 0); err != nil {
			return blas64.General{}, err
		}
	}
	n := src.Info().Rows
	if rows > 0 {
		n = min(n, rows)
	}
	return stream.GatherRows(ctx, src, matrix.Numbers(int(n)))
}

// Uniform returns n rows drawn uniformly from [0,1]^d.
func Uniform(n, d int, seed uint64) blas64.General {
	m := matrix.New(n, d)
	FillUniform(m, 0, seed)
	return m
}

// FillUniform fills m with the rows of Uniform from number start on.
func FillUniform(m blas64.General, start int64, seed uint64) {
	random := sketch.NewRandom(seed, "uniform data")
	for i := range m.Rows {
		draws := random.At(uint64(start) + uint64(i))
		for j := range m.Cols {
			m.Data[i*m.Stride+j] = draws.Float64()
		}
	}
}
