package blockstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore"
)

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
