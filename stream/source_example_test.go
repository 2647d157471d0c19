package stream_test

import (
	"context"
	"fmt"
	"io"

	"github.com/nystream/nystream/stream"
)

// squares is a source of rows that are computed: row i is [i, i²].
type squares struct{ rows int64 }

func (s squares) Info() stream.Info {
	return stream.Info{Name: "squares", Columns: []string{"i", "square"}, Rows: s.rows, SeekCost: 1}
}

func (s squares) Open(_ context.Context, first int64) (stream.Reader, error) {
	return &squaresReader{s.rows, first}, s.Info().CheckFirst(first)
}

// squaresReader gives the rows from next on.
type squaresReader struct{ rows, next int64 }

func (r *squaresReader) Read(dst *stream.Batch) (n int, err error) {
	for ; n < dst.X.Rows && r.next < r.rows; n++ {
		row := dst.X.Data[n*dst.X.Stride:]
		row[0], row[1] = float64(r.next), float64(r.next*r.next)
		r.next++
	}
	if r.next == r.rows {
		err = io.EOF
	}
	return n, err
}

func (r *squaresReader) Close() error { return nil }

// A source of one's own has two methods, and its reader two. Sources are comparable, or pointers. SeekCost 1 says that a
// reader may begin at any row: each worker of a pass opens one.
func ExampleSource() {
	ctx := context.Background()
	all, err := stream.ReadAll(ctx, squares{4})
	fmt.Println(all.Data, err)
	some, err := stream.GatherRows(ctx, squares{1_000_000}, []int64{3, 999})
	fmt.Println(some.Data, err)
	// Output:
	// [0 0 1 1 2 4 3 9] <nil>
	// [3 9 999 998001] <nil>
}
