package modelfile_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/stream"
)

// someRows returns n rows.
func someRows(n int) blas64.General {
	m, random := matrix.New(n, 3), sketch.NewRandom(1, "rows")
	for i := range m.Data {
		draws := random.At(uint64(i))
		m.Data[i] = draws.Float64()
	}
	return m
}

// TestFile: a loaded model has the outputs of the saved one, and saving it again gives the same bytes.
func TestFile(t *testing.T) {
	ctx, e := context.Background(), stream.Engine{}
	x := someRows(300)
	fit, err := lowrank.Landmark{Rank: 5, Seed: 1}.Fit(ctx, e, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(2))
	if err != nil {
		t.Fatal(err)
	}
	path, again := filepath.Join(t.TempDir(), "m.npz"), filepath.Join(t.TempDir(), "again.npz")
	if err := modelfile.Save(path, fit.Model); err != nil {
		t.Fatal(err)
	}
	a, err := modelfile.ReadArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := lowrank.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	want, err := model.TransformMatrix(ctx, e, fit.Model, x, model.Request{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.TransformMatrix(ctx, e, m, x, model.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Rows != 300 || want.Cols != 5 {
		t.Errorf("%d×%d", want.Rows, want.Cols)
	}
	for i, v := range want.Data {
		if got.Data[i] != v {
			t.Fatalf("number %d is %v, want %v", i, got.Data[i], v)
		}
	}
	if err := modelfile.Write(again, a); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the file has other bytes when it is written again")
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := modelfile.ReadArchive(filepath.Join(dir, "none.npz")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for meta, want := range map[string]string{
		`{"format":"other","version":1,"x":1,"data":{}}`:          `it calls itself "other" version 1`,
		`{"format":"nystream model","version":9,"x":1,"data":{}}`: "version 9",
		`{"format":"nystream model","version":1,"data":{},"x":1}`: "not its last",
		`{"version":1,"format":"nystream model","x":1,"data":{}}`: "not its first",
	} {
		path := filepath.Join(dir, "m.npz")
		if err := archive.Write(path, &archive.Archive{Meta: []byte(meta)}); err != nil {
			t.Fatal(err)
		}
		if _, err := modelfile.ReadArchive(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "m.npz") {
			t.Errorf("%s: %v, want %s", meta, err, want)
		}
	}
	for _, header := range []string{"", "{}", "[1]"} {
		if err := modelfile.Write(filepath.Join(dir, "n.npz"), &model.Archive{Header: []byte(header)}); err == nil {
			t.Errorf("header %q is written", header)
		}
	}
}
