package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// TestChangedDuringFits changes files at random moments of fits of several passes: each
// ends with the results of the old file or of the new one, or is refused with the name of
// the file. bench/stress changes does the same to all formats, at length.
func TestChangedDuringFits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	x := stream.NewMatrix(2000, 6)
	for i := range x.Data {
		x.Data[i] = random.Float64()
	}
	for _, extension := range []string{"csv", "libsvm", "npy"} {
		folder := t.TempDir()
		path := filepath.Join(folder, "x."+extension)
		old := rowsFile(t, path, x)
		for i, j := 0, len(x.Data)-1; i < j; i, j = i+1, j-1 {
			x.Data[i], x.Data[j] = x.Data[j], x.Data[i]
		}
		now := rowsFile(t, path, x)
		whole := map[string]bool{factored(t, folder, path): true}
		written := time.Now().Add(-time.Hour)
		restore := func() {
			if err := errors.Join(os.WriteFile(path, old, 0o666), os.Chtimes(path, written, written)); err != nil {
				t.Fatal(err)
			}
		}
		restore()
		began := time.Now()
		whole[factored(t, folder, path)] = true
		alone := time.Since(began)
		if whole[""] || len(whole) != 2 {
			t.Fatal("the fits of the two files fail, or are the same")
		}
		for _, change := range []func() error{
			func() error { return os.WriteFile(path, now, 0o666) },
			func() error {
				return errors.Join(os.WriteFile(path, now, 0o666), os.Chtimes(path, written, written))
			},
			func() error {
				other := filepath.Join(folder, "other")
				if err := os.WriteFile(other, now, 0o666); err != nil {
					return err
				}
				return os.Rename(other, path)
			},
		} {
			restore()
			changed := make(chan error)
			after := time.Duration(random.Float64() * float64(alone))
			go func() {
				time.Sleep(after)
				changed <- change()
			}()
			got := factored(t, folder, path)
			if err := <-changed; err != nil {
				t.Fatal(err)
			}
			if got != "" && !whole[got] {
				t.Errorf("%s, changed after %v: a mixture", extension, after)
			}
		}
	}
}

// rowsFile writes rows to a file and returns its bytes.
func rowsFile(t *testing.T, path string, x blas64.General) []byte {
	t.Helper()
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(x.Cols), Rows: int64(x.Rows)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(&stream.Batch{X: x}, x.Rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// factored returns the model and the factors of a file, "" if it is refused as bad data.
func factored(t *testing.T, folder, path string) string {
	t.Helper()
	var all, says bytes.Buffer
	args := []string{"fit", "landmark", path, "--kernel", "rbf(gamma=median)", "--rank", "10", "--scale", "standard", "--quiet",
		"-o", filepath.Join(folder, "m.npz"), "--factors", filepath.Join(folder, "u.npy")}
	switch code := run(context.Background(), args, nil, &says, &says); {
	case code == exitData && strings.Contains(says.String(), path):
		return ""
	case code != exitOK:
		t.Fatalf("it ends with %d: %s", code, &says)
	}
	for _, name := range []string{"m.npz", "u.npy"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
