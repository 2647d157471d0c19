package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/storetest"
	"github.com/nystream/nystream/stream"
)

// writeRandom writes n random rows of d numbers.
func writeRandom(t *testing.T, path string, n, d int) {
	t.Helper()
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(d), Rows: int64(n)})
	if err != nil {
		t.Fatal(err)
	}
	x := matrix.New(n, d)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	if err := w.Write(&stream.Batch{X: x}, n); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Opening, inspecting and fitting objects takes at most the given numbers of requests and bytes.
func TestRequestsOfObjects(t *testing.T) {
	s := storetest.New()
	defer s.Close()
	s.Setenv(t.Setenv)
	dir := t.TempDir()
	load := func(name string, n, d, copies int) (total int64) {
		path := filepath.Join(dir, name)
		writeRandom(t, path, n, d)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range copies {
			s.Put(fmt.Sprintf("%d/%d-%s", copies, i, name), content)
		}
		return int64(copies * len(content))
	}
	large := load("large.parquet", 30500, 20, 20)
	small := load("small.parquet", 600, 20, 19)
	rows := load("rows.csv", 10000, 20, 1)
	parquet := load("one.parquet", 30500, 20, 1)
	command := func(args ...string) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			var messages bytes.Buffer
			if code := run(ctx, args, nil, io.Discard, &messages); code != 0 {
				return fmt.Errorf("exit code %d: %s", code, &messages)
			}
			return nil
		}
	}
	fit := func(url string) func(ctx context.Context) error {
		return command("fit", "landmark", url, "--kernel", "rbf(gamma=0.1)", "--rank", "5", "-o", filepath.Join(dir, "model.npz"))
	}
	stores := app.NewStores(t.Context(), time.Minute)
	for _, c := range []struct {
		what         string
		do           func(ctx context.Context) error
		bytes        int64
		mostRequests int64
		mostBytes    float64 // relative to the size of the object
	}{
		{"open 20 of 5 MB", func(ctx context.Context) error {
			_, err := (&blockstore.Session{Stores: stores}).Open(ctx, []string{"s3://bucket/20/*.parquet"}, blockstore.Options{})
			return err
		}, large, 61, 0.01},
		{"inspect 19 small", command("inspect", "s3://bucket/19"), small, 25, 1.01},
		{"fit one CSV", fit("s3://bucket/1/0-rows.csv"), rows, 2, 1.01},
		{"fit one Parquet", fit("s3://bucket/1/0-one.parquet"), parquet, 5, 1.01},
	} {
		gets := 0
		s.Break(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet {
				gets++
			}
			return false
		})
		requests, before := s.Requests.Load(), s.Bytes.Load()
		if err := c.do(t.Context()); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		requests, fetched := s.Requests.Load()-requests, s.Bytes.Load()-before
		t.Logf("%s: %d requests, %d GETs, %.1f MB fetched of %.1f (%.3f)", c.what, requests, gets, float64(fetched)/1e6, float64(c.bytes)/1e6, float64(fetched)/float64(c.bytes))
		if requests > c.mostRequests || float64(fetched) > c.mostBytes*float64(c.bytes) {
			t.Errorf("%s: %d requests of at most %d, %d bytes of at most %.0f", c.what, requests, c.mostRequests, fetched, c.mostBytes*float64(c.bytes))
		}
	}
}
