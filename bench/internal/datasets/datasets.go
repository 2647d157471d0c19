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
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Dir returns the folder with the data sets.
func Dir() string {
	if dir := os.Getenv("NYSTREAM_DATA"); dir != "" {
		return dir
	}
	return filepath.Join(root(), "..", "shared", "data")
}

// module is the first line of the repository's go.mod; nested modules have others.
const module = "module github.com/nystream/nystream\n"

// root returns the folder of the repository, or "." outside it.
func root() string {
	dir, err := os.Getwd()
	for err == nil {
		if text, _ := os.ReadFile(filepath.Join(dir, "go.mod")); strings.HasPrefix(string(text), module) {
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

// dataset is a data set of a paper: its file in Dir, and how it is read.
type dataset struct {
	name, file string
	options    blockstore.Options
	rows       int64 // the first of them, 0 for all
	unit       bool  // rows are divided by their Euclidean norm
}

var known = []dataset{
	{name: "satimage", file: "satimage.scale", options: blockstore.Options{Format: "libsvm"}},
	{name: "abalone", file: "abalone.data"},
	{name: "cpusmall", file: "cpusmall", options: blockstore.Options{Format: "libsvm"}},
	{name: "mushrooms", file: "mushrooms", options: blockstore.Options{Format: "libsvm"}},
	{name: "usps", file: "usps", options: blockstore.Options{Format: "libsvm"}, unit: true},
	{name: "letter", file: "letter.scale", options: blockstore.Options{Format: "csv", NoHeader: true, Columns: []string{"1:17"}}, rows: 15000}, // the first column is the letter
	{name: "a9a", file: "a9a", options: blockstore.Options{Format: "libsvm"}},
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

// Load reads a data set into memory: one of the papers' by its name (letter is its
// first 15,000 rows, those of usps have norm 1), or any file that nystream reads.
func Load(ctx context.Context, name string) (blas64.General, error) {
	for _, d := range known {
		if d.name == name {
			return d.load(ctx)
		}
	}
	return readFile(ctx, name, blockstore.Options{}, 0)
}

func (d dataset) load(ctx context.Context) (blas64.General, error) {
	path := filepath.Join(Dir(), d.file)
	if d.name == "abalone" {
		return abalone(path)
	}
	x, err := readFile(ctx, path, d.options, d.rows)
	if err == nil && d.unit {
		normaliseRows(x)
	}
	return x, err
}

// normaliseRows divides rows by their Euclidean norm, unless that is 0.
func normaliseRows(x blas64.General) {
	for i := range x.Rows {
		row := blas64.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride:]}
		if norm := blas64.Nrm2(row); norm > 0 {
			blas64.Scal(1/norm, row)
		}
	}
}

// readFile reads the first rows of a file, or all of them if rows is 0. A number
// that is not finite is an error that names its place.
func readFile(ctx context.Context, path string, o blockstore.Options, rows int64) (blas64.General, error) {
	file, err := blockstore.Open(ctx, []string{path}, o)
	if err != nil {
		return blas64.General{}, err
	}
	var src stream.Source
	if src, err = stream.Prepare(ctx, stream.Engine{}, file, stream.NullsError, stream.ScaleNone); err != nil {
		return blas64.General{}, err
	}
	if src.Info().Rows < 0 {
		if src, err = stream.Load(ctx, src, 0); err != nil {
			return blas64.General{}, err
		}
	}
	n := src.Info().Rows
	if rows > 0 {
		n = min(n, rows)
	}
	return stream.GatherRows(ctx, src, stream.Numbers(int(n)))
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

// Uniform returns n rows drawn uniformly from [0,1]^d.
func Uniform(n, d int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, d)
	FillUniform(m, 0, seed)
	return m
}

// FillUniform fills m with the rows of Uniform from the given number on.
func FillUniform(m blas64.General, start int64, seed uint64) {
	random := sketch.NewRandom(seed, "uniform data")
	for i := range m.Rows {
		draws := random.At(uint64(start) + uint64(i))
		for j := range m.Cols {
			m.Data[i*m.Stride+j] = draws.Float64()
		}
	}
}
