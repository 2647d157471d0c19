package blockstore

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
)

// columnSums is an accumulator of sums whose bits depend on the order of summation.
type columnSums struct{ sum []float64 }

func (s *columnSums) Merge(later *columnSums) error {
	for j, v := range later.sum {
		s.sum[j] += v
	}
	return nil
}

func (s *columnSums) MarshalBinary() (data []byte, err error) {
	for _, v := range s.sum {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data, nil
}

func (s *columnSums) UnmarshalBinary([]byte) error { return errors.ErrUnsupported }

// A fold of files has the same bits for any format, number of readers and block size.
func TestFoldFilesWithSeveralReaders(t *testing.T) {
	const rows, columns = 9000, 3
	x := matrix.New(rows, columns)
	random := rand.New(rand.NewPCG(4, 4))
	for i := range x.Data {
		x.Data[i] = random.NormFloat64() * math.Exp(5*random.NormFloat64())
	}
	dir := t.TempDir()
	want := map[int][]byte{}
	for _, name := range []string{"a.parquet", "a.npy", "a.arrow", "a.csv", "a.nys"} {
		path := filepath.Join(dir, name)
		w, err := Create(path, Schema{Columns: stream.NumberedColumns(columns), Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&stream.Batch{X: x}, rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{100, 1024, 3000} {
			for _, threads := range []int{1, 2, 5} {
				src, err := Open(context.Background(), []string{path, path}, Options{})
				if err != nil {
					t.Fatal(err)
				}
				counted := passcount.New(src)
				sums, err := stream.Fold(context.Background(), stream.Engine{Threads: threads, BlockRows: block}, "sums", counted,
					func() *columnSums { return &columnSums{make([]float64, columns)} },
					func() func(*columnSums, *stream.Block) error {
						return func(s *columnSums, b *stream.Block) error {
							for i := range b.X.Rows {
								for j := range columns {
									s.sum[j] += b.X.Data[i*b.X.Stride+j]
								}
							}
							return nil
						}
					})
				if err != nil {
					t.Fatal(err)
				}
				got, _ := sums.MarshalBinary()
				if want[block] == nil {
					want[block] = got
				}
				if string(got) != string(want[block]) {
					t.Errorf("%s, %d threads, blocks of %d rows: other bits", name, threads, block)
				}
				if n := counted.Passes() - src.Info().PassesToOpen; n != 1 {
					t.Errorf("%s, %d threads: %d passes", name, threads, n)
				}
			}
		}
	}
}

// A file without rows does not reduce the number of readers of the files beside it.
func TestEmptyFileAmongOthers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.parquet", "a.npy", "a.arrow", "a.arrows", "a.csv", "a.nys"} {
		var paths []string
		for _, rows := range []int{0, 5} {
			path := filepath.Join(dir, strconv.Itoa(rows)+name)
			w, err := Create(path, Schema{Columns: stream.NumberedColumns(2), Rows: int64(rows)})
			if err == nil {
				err = w.Write(&stream.Batch{X: matrix.New(rows, 2)}, rows)
			}
			if err == nil {
				err = w.Commit()
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			paths = append(paths, path)
		}
		src, err := Open(t.Context(), paths, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if src.Info().SeekCost == 0 {
			t.Errorf("%s: one reader for all files", name)
		}
	}
}
