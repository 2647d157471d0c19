package blockstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// Write rows with a kept column of text. The file appears under its name when Commit succeeds; Abort after it does
// nothing.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows.csv")
	w, err := blockstore.Create(path, blockstore.Schema{
		Columns: []string{"x", "y"}, Kept: []stream.Field{{Name: "town", Kind: stream.String}}, Rows: -1,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	for _, town := range []string{"Bath", "York"} {
		batch := &stream.Batch{X: blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 0.5}}, Kept: []stream.Column{{Kind: stream.String, Strings: []string{town}}}}
		if err := w.Write(batch, 1); err != nil {
			log.Fatal(err)
		}
	}
	_, err = os.Stat(path)
	fmt.Println("before Commit:", errors.Is(err, fs.ErrNotExist))
	if err := w.Commit(); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	fmt.Print(string(text), err)
	// Output:
	// before Commit: true
	// x,y,town
	// 1,0.5,Bath
	// 1,0.5,York
	// <nil>
}

// Read a pipe and a file in one session, whose copies take at most 1 MiB of the disk.
func ExampleSession() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(path, []byte("x,y\n1,2\n3,4\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	s := &blockstore.Session{SpoolDir: dir, Quota: blockstore.NewQuota(1 << 20)}
	defer s.Close()
	options := blockstore.Options{Reader: strings.NewReader("x,y\n5,6\n")}
	for _, name := range []string{path, "-"} {
		src, err := s.Open(context.Background(), []string{name}, options)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(src.Info().Rows, "rows of", src.Info().Columns)
	}
	fmt.Println(s.Quota.Most(), "bytes of copies")
	// Output:
	// 2 rows of [x y]
	// 1 rows of [x y]
	// 8 bytes of copies
}
