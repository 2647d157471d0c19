package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// A compressed buffer that is too large to be unpacked is refused before memory is taken for it.
func TestArrowLargeBuffer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrows")
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range 20_000 {
		b.Field(0).(*array.Float64Builder).Append(math.Sqrt(float64(i)))
	}
	writeArrow(t, path, schema, []arrow.Record{b.NewRecord()}, false, ipc.WithZstd())
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content = changeMessages(t, content, func(m *message, body []byte) {
		if m.kind != batchMessage {
			return
		}
		batch, err := m.batchOf()
		if err != nil {
			t.Fatal(err)
		}
		at := batch.vector(2, 16).int64(1, 0) // the values of the first column
		binary.LittleEndian.PutUint64(body[at:], compression.MaxBytes+1<<20)
	})
	tb, err := filetest.Opened(filetest.TempFile(t, "a.arrows", string(content)), Open)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = filetest.Slurp(src, 999)
	filetest.WantError(t, err, "a.arrows", `column "x"`, "257 MiB is larger than the 256", "smaller batches")
}

func numbersText(n int) []byte {
	var text []byte
	for i := 0; len(text) < n; i++ {
		text = fmt.Append(text, i*i, " ")
	}
	return text[:n]
}

// Where memory is limited, large batches of a pipe are read from disk, and one that takes more
// than is allowed is refused with what is needed, when it comes.
func TestArrowPipeLimited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrows")
	rows := growingBatches(t, path, false, ipc.WithLZ4())
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const memory = 1 << 30
	for _, allowed := range []int64{0, 16 << 20, decoderBytes + 100_000} {
		tb, err := OpenStream(bytes.NewReader(content), "pipe", Limits{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		src, err := column.Choose(tb, []int{0, 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if holds := src.Info().Holds; holds < decoderBytes+8*1000 || holds > decoderBytes+100_000 {
			t.Errorf("the first batch holds %d", holds)
		}
		tb.About().Allowed = allowed
		got, _, err := filetest.Slurp(src, 999)
		var over *stream.OverBudgetError
		switch refused := errors.As(err, &over); {
		case allowed == 0 || allowed > 8<<20:
			if err != nil || len(got) != rows {
				t.Errorf("allowed %d: %d rows, %v", allowed, len(got), err)
			}
		case !refused || over.Limit != memory || over.Need < memory+16*20_000-100_000:
			t.Errorf("allowed %d: %d rows, %v", allowed, len(got), err)
		}
	}
}

// The body of a large message goes to disk, and what comes back is the same.
func TestLargeBody(t *testing.T) {
	text := numbersText(3 * bodyBytes)
	b := body{Limits: Limits{Memory: 1}, name: "pipe"}
	defer b.close()
	for _, n := range []int64{bodyBytes + 1, 100, int64(len(text)), bodyBytes + 7} {
		r, err := b.read(bytes.NewReader(text), n)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		if k, err := r.ReadAt(got, 0); int64(k) != n || err != nil && err != io.EOF || !bytes.Equal(got, text[:n]) {
			t.Errorf("%d of %d bytes, %v", k, n, err)
		}
		if n > bodyBytes && int64(cap(b.buffer)) > bodyBytes {
			t.Errorf("%d bytes are in memory", cap(b.buffer))
		}
	}
	if _, err := b.read(bytes.NewReader(text), int64(len(text))+1); err != errCut {
		t.Errorf("a cut message: %v", err)
	}
}
