package modelfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
	"github.com/nystream/nystream/stream/sparse"
)

// writeTable writes a CSV file of flats.
func writeTable(path string, header string, line func(i int) string) error {
	text := header + "\n"
	for i := range 60 {
		text += line(i) + "\n"
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

var towns = []string{"Bath", "Leeds", "York"}

// Fit a table with words and nulls, save the model, and open it to predict raw rows: with columns in
// another order, and one at a time.
func ExampleOpen() {
	ctx, e := context.Background(), stream.Engine{}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	train, fresh, path := filepath.Join(dir, "train.csv"), filepath.Join(dir, "new.csv"), filepath.Join(dir, "m.npz")
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(writeTable(train, "size,town,age,price", func(i int) string {
		return fmt.Sprintf("%d,%s,%d,%d", 40+i, towns[i%3], i%7, 100+i+50*(i%3))
	}))
	must(os.WriteFile(fresh, []byte("name,age,town,size\nA,3,York,50\nB,3,Oxford,50\n"), 0o666))

	raw, err := blockstore.Open(ctx, []string{train}, blockstore.Options{Categories: true, Keep: []string{"price"}})
	must(err)
	rows, err := prepare.New(ctx, e, raw, prepare.Treatment{Scale: prepare.ScaleStandard,
		Categories: prepare.EncodeOneHot})
	must(err)
	data := &ridge.Data{Rows: rows, Targets: []string{"price"}}
	fit, err := ridge.Solver{Landmarks: 60}.Fit(ctx, e, data, kernelgen.RBF(0.1))
	must(err)
	must(modelfile.SavePrepared(path, fit.Model, rows))

	m, err := modelfile.Open(path)
	must(err)
	more, err := blockstore.Open(ctx, []string{fresh}, blockstore.Options{Categories: true})
	must(err)
	request := model.Request{Outputs: []model.Output{model.Value}}
	must(m.Transform(ctx, e, more, request, func(_ *stream.Block, out blas64.General) error {
		fmt.Printf("%.0f\n", out.Data)
		return nil
	}))
	one, err := m.Rows(model.Left)
	must(err)
	x := make([]float64, one.Width())
	must(one.Prepare(x, []float64{50, 3}, "York"))
	fmt.Println(m.Preparation(model.Left).Columns, x[2:])
	// Output:
	// [210 160]
	// [size age] [0 0 1]
}

// rowsFile writes a table and returns it as a source with its categories.
func rowsFile(t *testing.T, header string, line func(i int) string) stream.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := writeTable(path, header, line); err != nil {
		t.Fatal(err)
	}
	src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Categories: true})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// preparedModel fits and saves a model of rows with a category and nulls. It returns the path and the outputs.
func preparedModel(t *testing.T, how prepare.Treatment) (path string, want blas64.General) {
	t.Helper()
	raw := rowsFile(t, "a,word,b", func(i int) string {
		b := fmt.Sprint(i * i % 13)
		if i%9 == 4 {
			b = ""
		}
		return fmt.Sprintf("%d,%s,%s", i, towns[i%3], b)
	})
	rows, err := prepare.New(t.Context(), stream.Engine{}, raw, how)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := lowrank.Landmark{Rank: 4, Seed: 1}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: rows},
		kernelgen.RBF(0.3))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "m.npz")
	if err := modelfile.SavePrepared(path, fit.Model, rows); err != nil {
		t.Fatal(err)
	}
	x, err := stream.ReadAll(t.Context(), rows)
	if err == nil {
		want, err = model.TransformMatrix(t.Context(), stream.Engine{}, fit.Model, x, model.Request{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, want
}

// TestOpenPrepares: an opened model maps raw rows to the outputs of the prepared rows, for all treatments. The archive
// refuses a caller that does not prepare rows, and stays usable.
func TestOpenPrepares(t *testing.T) {
	for _, nulls := range []prepare.Nulls{prepare.NullsZero, prepare.NullsMean, prepare.NullsIndicator} {
		for _, scale := range []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax,
			prepare.ScaleQuantile} {
			for _, how := range []prepare.Encoding{prepare.EncodeOneHot, prepare.EncodeOrdinal} {
				path, want := preparedModel(t, prepare.Treatment{Nulls: nulls, Scale: scale, Categories: how})
				m, err := modelfile.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				// Columns in another order, among others.
				raw := rowsFile(t, "b,c,word,a", func(i int) string {
					b := fmt.Sprint(i * i % 13)
					if i%9 == 4 {
						b = ""
					}
					return fmt.Sprintf("%s,7,%s,%d", b, towns[i%3], i)
				})
				row := 0
				err = m.Transform(t.Context(), stream.Engine{}, raw, model.Request{},
					func(_ *stream.Block, u blas64.General) error {
						for i := range u.Rows {
							for j := range u.Cols {
								if u.Data[i*u.Stride+j] != want.Data[row*want.Stride+j] {
									return fmt.Errorf("row %d differs", row)
								}
							}
							row++
						}
						return nil
					})
				if err != nil || row != 60 {
					t.Fatalf("%v, %v, %v: %d rows, %v", nulls, scale, how, row, err)
				}
				// As a Transformer.
				row = 0
				err = model.Transform(t.Context(), stream.Engine{}, m, raw, model.Request{}, func(_ *stream.Block, u blas64.General) error {
					for i := range u.Rows {
						if !slices.Equal(u.Data[i*u.Stride:i*u.Stride+u.Cols], want.Data[row*want.Stride:row*want.Stride+want.Cols]) {
							return fmt.Errorf("row %d differs", row)
						}
						row++
					}
					return nil
				})
				if err != nil || row != 60 {
					t.Fatalf("as a Transformer: %v, %v, %v: %d rows, %v", nulls, scale, how, row, err)
				}
				if p := m.TransformPlan(stream.Engine{}, raw, model.Request{}); p.Memory.Total() <= 0 || p.SourcePasses != 1 {
					t.Errorf("%+v", p)
				}
			}
		}
	}
}

// TestOpenRefuses: Open refuses other models than the requested one, and rows unlike those of the fit.
func TestOpenRefuses(t *testing.T) {
	path, _ := preparedModel(t, prepare.Treatment{Nulls: prepare.NullsMean, Categories: prepare.EncodeOneHot})
	a, err := modelfile.ReadArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := lowrank.Load(a); err == nil || !strings.Contains(err.Error(), "modelfile.Open") {
			t.Errorf("raw rows: %v", err)
		}
	}
	a.TakesPrepared = true
	for range 2 {
		if _, err := askls.Load(a); err == nil || !strings.Contains(err.Error(),
			"this is a model of landmark: load it by lowrank.Load") {
			t.Errorf("another family: %v", err)
		}
		if _, err := lowrank.Load(a); err != nil {
			t.Errorf("asked again: %v", err)
		}
	}
	m, err := modelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"a,other,b": `no column of text called "word"`,
		"word,a,b":  `column "word" holds numbers, and text in the rows of the fit`,
		"a,word,z":  `no column of numbers called b`,
	} {
		raw := rowsFile(t, header, func(i int) string {
			if header == "word,a,b" {
				return fmt.Sprintf("%d,%d,3", i, i)
			}
			return fmt.Sprintf("%d,%s,3", i, towns[i%3])
		})
		if _, err := m.Prepare(t.Context(), stream.Engine{}, model.Left, raw); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", header, err, want)
		}
	}
	one, err := m.Rows(model.Left)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Prepare(make([]float64, 5), []float64{1}, "York"); err == nil {
		t.Error("a short row is prepared")
	}
}

// TestOpenElsewhere: a model in memory or in a file system equals that of the file. A damaged or missing one is an
// error.
func TestOpenElsewhere(t *testing.T) {
	path, _ := preparedModel(t, prepare.Treatment{Scale: prepare.ScaleMinMax, Nulls: prepare.NullsZero, Categories: prepare.EncodeOneHot})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	embed := func(m *modelfile.Model, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.Embedder(model.Request{})
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, e.Width())
		if err := e.Embed(u, []float64{3, 4}, "York"); err != nil {
			t.Fatal(err)
		}
		return u
	}
	files := fstest.MapFS{"models/m.npz": {Data: data}, "bad.npz": {Data: data[:len(data)-9]}}
	want := embed(modelfile.Open(path))
	if got := embed(modelfile.Read(bytes.NewReader(data), int64(len(data)))); !slices.Equal(got, want) {
		t.Errorf("in memory: %v, not %v", got, want)
	}
	if got := embed(modelfile.OpenFS(files, "models/m.npz")); !slices.Equal(got, want) {
		t.Errorf("in a file system: %v, not %v", got, want)
	}
	if _, err := modelfile.OpenFS(files, "none.npz"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var bad *stream.DataError
	if _, err := modelfile.OpenFS(files, "bad.npz"); !errors.As(err, &bad) || bad.Kind != stream.Damaged || bad.Path != "bad.npz" {
		t.Error(err)
	}
	if _, err := modelfile.Read(bytes.NewReader(nil), 0); !errors.As(err, &bad) {
		t.Error(err)
	}
}

// TestOpenDamaged: Open validates the preparation in meta.json and in the arrays.
func TestOpenDamaged(t *testing.T) {
	path, _ := preparedModel(t, prepare.Treatment{Nulls: prepare.NullsIndicator, Scale: prepare.ScaleQuantile,
		Categories: prepare.EncodeOrdinal})
	for name, damage := range map[string]func(a *model.Archive){
		"encoding":    func(a *model.Archive) { a.Data = []byte(strings.Replace(string(a.Data), "ordinal", "hashed", 1)) },
		"no encoding": func(a *model.Archive) { a.Data = []byte(strings.Replace(string(a.Data), "ordinal", "none", 1)) },
		"order":       func(a *model.Archive) { a.Data = []byte(strings.Replace(string(a.Data), "Leeds", "York", 1)) },
		"nulls": func(a *model.Archive) {
			a.Data = []byte(strings.Replace(string(a.Data), "indicator",
				"ignore", 1))
		},
		"names":         func(a *model.Archive) { a.Data = []byte(strings.Replace(string(a.Data), `"a","b"`, `"a"`, 1)) },
		"no categories": func(a *model.Archive) { a.Data = []byte(`{"columns":["a","b"],"nulls":"indicator"}`) },
		"knots":         func(a *model.Archive) { edit(a, "column_knots").Floats[0] = 1e9 },
		"few knots":     func(a *model.Archive) { v := edit(a, "column_knots"); v.Shape[1], v.Floats = 1, v.Floats[:3] },
		"no fill":       func(a *model.Archive) { edit(a, "column_fill").Name = "x" },
		"indicator":     func(a *model.Archive) { edit(a, "column_missing").Ints[0] = 2 },
		"indicator -1":  func(a *model.Archive) { edit(a, "column_missing").Ints[0] = -1 },
	} {
		a, err := modelfile.ReadArchive(path)
		if err != nil {
			t.Fatal(err)
		}
		damage(a)
		damaged := filepath.Join(t.TempDir(), "damaged.npz")
		if err := modelfile.Write(damaged, a); err != nil {
			t.Fatal(err)
		}
		if _, err := modelfile.Open(damaged); err == nil || !strings.Contains(err.Error(), "damaged.npz") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// edit returns the array with the given name, for editing.
func edit(a *model.Archive, name string) *array.Array {
	for i := range a.Arrays {
		if a.Arrays[i].Name == name {
			return &a.Arrays[i]
		}
	}
	return &array.Array{}
}

// FuzzRowsData: for any description of rows in meta.json, the preparation is refused or prepares rows.
func FuzzRowsData(f *testing.F) {
	f.Add([]byte(`{"columns":["a","b"],"nulls":"indicator","categories":{"encoding":"ordinal","columns":[{"column":"w","levels":["x","y"]}]}}`), 5)
	f.Add([]byte(`{"nulls":"mean","categories":{"encoding":"onehot","columns":[{"column":"w","levels":["x"]},{"column":"v"}]}}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, columns int) {
		two := func(name string) array.Array {
			return array.Array{Name: name, Shape: []int{2}, Floats: []float64{1, 2}}
		}
		a := &model.Archive{Data: data, Arrays: []array.Array{two("column_fill"), two("column_shift"), two("column_factor"),
			{Name: "column_missing", Shape: []int{1}, Ints: []int64{1}}}}
		columns = min(columns, 100)
		p := a.Preparation(model.Left, columns)
		if a.Err() != nil || columns < 0 {
			return
		}
		one, err := p.Rows(columns - p.Width())
		if err != nil {
			t.Fatalf("%s: accepted, and %v", data, err)
		}
		if one.Width() != columns {
			t.Fatalf("%s: %d columns, not %d", data, one.Width(), columns)
		}
		row := make([]float64, columns-p.Width())
		if err := one.Prepare(make([]float64, columns), row, make([]string, len(p.Categories))...); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOpenedIsTransformer: an opened model is a Transformer for code that does not prepare rows. It fills nulls or
// refuses them by row and column. Rows of a graph are used unchanged.
func TestOpenedIsTransformer(t *testing.T) {
	x := someRows(60)
	for _, nulls := range []prepare.Nulls{prepare.NullsRefuse, prepare.NullsDrop, prepare.NullsMean} {
		rows, err := prepare.New(t.Context(), stream.Engine{}, stream.FromMatrix("x", x, "a", "b", "c"), prepare.Treatment{Nulls: nulls, Scale: prepare.ScaleStandard})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := lowrank.Landmark{Rank: 4}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: rows}, kernelgen.RBF(0.3))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.npz")
		if err := modelfile.SavePrepared(path, fit.Model, rows); err != nil {
			t.Fatal(err)
		}
		m, err := modelfile.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		e, err := model.NewEmbedder(m, model.Request{})
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, e.Width())
		if err := e.Embed(u, []float64{1, 2, 3}); err != nil {
			t.Error(err)
		}
		if err := e.Embed(u, []float64{1, math.NaN(), 3}); (err == nil) != (nulls == prepare.NullsMean) {
			t.Errorf("%v: a row with a null: %v", nulls, err)
		}
		own, err := m.Embedder(model.Request{})
		if err != nil {
			t.Fatal(err)
		}
		batch := make([]float64, 2*own.Width())
		if err := own.Clone().EmbedBatch(batch, []float64{1, 2, 3, 1, 2, 3}); err != nil {
			t.Error(err)
		}
		if err := own.Embed(u, []float64{1, 2, 3}); err != nil {
			t.Error(err)
		}
		for j, v := range batch {
			if d := math.Abs(v - u[j%len(u)]); !(d <= 1e-12) {
				t.Errorf("output %d of a batch is %v, and %v alone", j, v, u[j%len(u)])
			}
		}
		if err := own.EmbedBatch(batch, []float64{1, 2, 3, 1, math.Inf(1), 3}); (err == nil) != (nulls == prepare.NullsMean) ||
			err != nil && !strings.Contains(err.Error(), "row 1 ") {
			t.Errorf("%v: a row with a null: %v", nulls, err)
		}
	}
	const nodesOfRing = 20
	graph, err := sparse.NewCSR(nodesOfRing, nodesOfRing, func(yield func(sparse.Entry) bool) {
		for i := range int32(nodesOfRing) {
			if !yield(sparse.Entry{Row: i, Col: (i + 1) % nodesOfRing, Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := ksvd.Graph("ring", graph)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := ksvd.Nystrom{Rank: 2}.Fit(t.Context(), stream.Engine{}, data, kernelgen.StudentT())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph.npz")
	if err := modelfile.Save(path, fit.Model); err != nil {
		t.Fatal(err)
	}
	m, err := modelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	nodes := sparse.NewRows("ring", graph, nil)
	err = m.Transform(t.Context(), stream.Engine{}, nodes, model.Request{}, func(*stream.Block, blas64.General) error { return nil })
	if err != nil {
		t.Error(err)
	}
}
