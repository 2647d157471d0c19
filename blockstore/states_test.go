package blockstore

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// TestFolderBecomesUnwritable takes the folder of states away during a pass. A fit that
// keeps its states for itself goes on without; one that makes a part fails.
func TestFolderBecomesUnwritable(t *testing.T) {
	const rows, lost = 1000, 100 // rows, and the block at which the folder goes
	x, totals := matrix.New(rows, 2), make([]float64, 2)
	for i := range x.Data {
		x.Data[i] = float64(i % 7)
		totals[i%2] += x.Data[i]
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	w, err := Create(path, Schema{Columns: stream.NumberedColumns(2), Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(&stream.Batch{X: x}, rows), w.Commit()); err != nil {
		t.Fatal(err)
	}
	sums := func(states string, o stream.RunOptions) ([]float64, error) {
		src, err := Open(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		run, err := stream.NewRun(States(states), "sums", o)
		if err != nil {
			t.Fatal(err)
		}
		e := stream.Engine{Threads: 1, BlockRows: 8, Run: run}
		all, err := stream.Fold(t.Context(), e, "sums", src, func() *sketch.ColumnSums { return sketch.NewColumnSums(2) },
			func() func(*sketch.ColumnSums, *stream.Block) error {
				return func(s *sketch.ColumnSums, b *stream.Block) error {
					if b.Index == lost {
						takeAway(states)
					}
					return s.Add(b.X)
				}
			})
		if err != nil {
			return nil, err
		}
		return all.Totals(), nil
	}
	var why []error
	got, err := sums(filepath.Join(t.TempDir(), "states"), stream.RunOptions{WriteFailed: func(err error) { why = append(why, err) }, Every: 1})
	if err != nil || len(why) != 1 {
		t.Errorf("a fit for itself: error %v, and why there are no more states: %v", err, why)
	}
	if !slices.Equal(got, totals) {
		t.Errorf("sums %v, not %v", got, totals)
	}
	if _, err := sums(filepath.Join(t.TempDir(), "states"), stream.RunOptions{Part: 2, Parts: 2, Every: 1}); err == nil || errors.As(err, new(*stream.StoppedError)) {
		t.Errorf("a part of a fit: %v", err)
	}
}

// takeAway puts a file in the place of a folder in which others write.
func takeAway(folder string) {
	for os.WriteFile(folder, nil, 0o666) != nil {
		os.RemoveAll(folder)
	}
}

// TestStatesStayInTheirFolder refuses names that lead elsewhere, as a worker might send them.
func TestStatesStayInTheirFolder(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(folder, "outside")
	if err := os.WriteFile(outside, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := States(filepath.Join(folder, "states"))
	for _, name := range []string{"../outside", outside, "", ".", "..", "a/../../outside"} {
		if s.Write(name, nil) == nil || s.Remove(name) == nil {
			t.Errorf("%q was written or removed", name)
		}
		if r, err := s.Open(name); err == nil {
			r.Close()
			t.Errorf("%q was opened", name)
		}
	}
	if data, err := os.ReadFile(outside); string(data) != "kept" || err != nil {
		t.Errorf("%q, error %v", data, err)
	}
}

// TestVersions tells files apart that differ in a row which no sample looks at.
func TestVersions(t *testing.T) {
	for _, extension := range []string{".parquet", ".nys"} {
		var versions []map[string]string
		for _, value := range []float64{1, 1, 2} {
			path := filepath.Join(t.TempDir(), "x"+extension)
			x := matrix.New(1000, 2)
			x.Data[1001] = value
			w, err := Create(path, Schema{Columns: stream.NumberedColumns(2), Rows: 1000})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Write(&stream.Batch{X: x}, 1000), w.Commit()); err != nil {
				t.Fatal(err)
			}
			src, err := Open(t.Context(), []string{path}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, src.Info().Versions)
		}
		if len(versions[0]) != 1 || !maps.Equal(versions[0], versions[1]) || maps.Equal(versions[0], versions[2]) {
			t.Errorf("%s: versions %v", extension, versions)
		}
	}
}
