package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// writeStore writes b to a store in a temporary folder.
func writeStore(t testing.TB, s stream.Info, b *stream.Batch, compress bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.nys")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e, err := NewEncoder(w, s, compress)
	if err == nil {
		err = e.Encode(b, b.X.Rows)
	}
	if err == nil {
		err = e.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// openSample selects the numbers of filetest.SampleInfo as features and keeps the other columns.
func openSample(t testing.TB, path string) stream.Source {
	t.Helper()
	store, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(store, []int{0, 1, 2}, []int{3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestStoreRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, maxChunkRows - 1, maxChunkRows, maxChunkRows + 1, 2*maxChunkRows + 5} {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprint(n, compress), func(t *testing.T) {
				want := filetest.SampleBatch(n, 1)
				path := writeStore(t, filetest.SampleInfo, want, compress)
				src := openSample(t, path)
				if got := src.Info().Rows; got != int64(n) {
					t.Fatalf("%d rows, want %d", got, n)
				}
				if d := filetest.Diff(want, filetest.MustRead(t, src, 1000)); d != "" {
					t.Error(d)
				}
				if err := Verify(context.Background(), nil, path); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestStoreGather(t *testing.T) {
	n := 3 * maxChunkRows
	want := filetest.SampleBatch(n, 3)
	for _, compress := range []bool{false, true} {
		path := writeStore(t, filetest.SampleInfo, want, compress)
		src := openSample(t, path).(stream.Gatherer)
		rows := []int64{0, 3, 4, maxChunkRows - 1, maxChunkRows, 2*maxChunkRows + 17, int64(n) - 1}
		expected, got := column.NewBatch(src.Info(), len(rows)), column.NewBatch(src.Info(), len(rows))
		for i, r := range rows {
			copy(expected.X.Data[i*3:i*3+3], want.X.Data[r*3:])
			for k := range want.Kept {
				expected.Kept[k].Append(&want.Kept[k], int(r), int(r)+1)
			}
		}
		if err := src.Gather(context.Background(), rows, got); err != nil {
			t.Fatal(err)
		}
		if d := filetest.Diff(expected, got); d != "" {
			t.Error(d)
		}
	}
}

// A store of many columns has short chunks, and each column is read at its place.
func TestStoreManyColumns(t *testing.T) {
	const d, n = 3000, 900
	s := stream.Info{Columns: stream.NumberedColumns(d), Rows: n}
	b := column.NewBatch(stream.Info{Columns: s.Columns}, n)
	for i := range b.X.Data {
		b.X.Data[i] = float64(i)
	}
	store, err := Open(context.Background(), nil, writeStore(t, s, b, false))
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, store)
	if d := filetest.Diff(b, filetest.MustRead(t, src, 256)); d != "" {
		t.Error(d)
	}
}

// A flipped bit in any byte of a store is an error.
func TestStoreEveryByteFlip(t *testing.T) {
	t.Parallel()
	for _, compress := range []bool{false, true} {
		path := writeStore(t, filetest.SampleInfo, filetest.SampleBatch(20, 4), compress)
		healthy, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for at := range healthy {
			bit := at % 8
			f.WriteAt([]byte{healthy[at] ^ 1<<bit}, int64(at))
			if readStoreFile(path) == nil {
				t.Fatalf("bit %d of byte %d of %d flipped: not noticed", bit, at, len(healthy))
			}
			if at%7 == 0 && Verify(context.Background(), nil, path) == nil {
				t.Fatalf("bit %d of byte %d of %d flipped: not noticed by Verify", bit, at, len(healthy))
			}
			f.WriteAt(healthy[at:at+1], int64(at))
		}
		if err := Verify(context.Background(), nil, path); err != nil {
			t.Fatal(err)
		}
		t.Logf("compressed %v: one bit of each of %d bytes", compress, len(healthy))
	}
}

// readStoreFile opens a store and reads all its columns.
func readStoreFile(path string) error {
	store, err := Open(context.Background(), nil, path)
	if err != nil {
		return err
	}
	src, err := column.Choose(store, []int{0, 1, 2}, []int{3, 4, 5})
	if err != nil {
		return err
	}
	_, err = filetest.ReadAll(src, 100)
	return err
}

// Any proper prefix of a store is refused when it is opened.
func TestStoreEveryCut(t *testing.T) {
	path := writeStore(t, filetest.SampleInfo, filetest.SampleBatch(20, 5), false)
	healthy, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(healthy) - 1; n >= 0; n-- {
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), nil, path); err == nil {
			t.Fatalf("cut to %d of %d bytes: not noticed", n, len(healthy))
		}
	}
}

// A store that is truncated while it is mapped causes an error, not a SIGBUS.
func TestStoreShortenedWhileOpen(t *testing.T) {
	n := 4 * maxChunkRows
	path := writeStore(t, filetest.SampleInfo, filetest.SampleBatch(n, 6), false)
	src := openSample(t, path)
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := column.NewBatch(src.Info(), 100)
	if _, err := r.Read(b); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Read(b)
	}
	if !errors.Is(err, errShortened) {
		t.Errorf("got %v", err)
	}
	if _, err := filetest.ReadAll(src, 100); !errors.Is(err, file.ErrChanged) {
		t.Errorf("a second pass over the shortened file gives %v", err)
	}
}

// A store that is replaced between two passes is an error, even if sizes are equal.
func TestStoreReplaced(t *testing.T) {
	path := writeStore(t, filetest.SampleInfo, filetest.SampleBatch(50, 8), false)
	src := openSample(t, path)
	other := filetest.SampleBatch(50, 8)
	other.X.Data[20]++
	if err := os.Rename(writeStore(t, filetest.SampleInfo, other, false), path); err != nil {
		t.Fatal(err)
	}
	if _, err := filetest.ReadAll(src, 100); !errors.Is(err, file.ErrChanged) {
		t.Errorf("got %v", err)
	}
}

// The digest detects a changed store with valid checksums.
func TestVerifyStoreDigest(t *testing.T) {
	path := writeStore(t, filetest.SampleInfo, filetest.SampleBatch(5, 9), false)
	p, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trailer := p[len(p)-trailerSize:]
	digest := bytes.Clone(trailer[16:48])
	digest[0] ^= 1
	f := int64(len(p) - trailerSize)
	shape := &shape{body: f}
	footer, offset, err := shape.readFooter(bytes.NewReader(p))
	if err != nil {
		t.Fatal(err)
	}
	copy(trailer, encodeTrailer(offset, int64(len(footer)), paddedCRC(footer), digest))
	if err := os.WriteFile(path, p, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := readStoreFile(path); err != nil {
		t.Fatal(err)
	}
	filetest.WantError(t, Verify(context.Background(), nil, path), "digest")
}

func TestStoreRefusesBigIntegers(t *testing.T) {
	s := stream.Info{Kept: []stream.Field{{Name: "id", Kind: stream.Int64}}, Rows: 2}
	b := &stream.Batch{Kept: []stream.Column{{Kind: stream.Int64, Ints: []int64{1 << 53, 1<<53 + 1}}}}
	b.X.Rows = 2
	store, err := Open(context.Background(), nil, writeStore(t, s, b, false))
	if err != nil {
		t.Fatal(err)
	}
	_, err = filetest.ReadAll(filetest.ChooseAll(t, store), 10)
	var data *stream.DataError
	if !errors.As(err, &data) || data.Row != 1 || data.Column != "id" {
		t.Errorf("got %v", err)
	}
}

// FuzzStore reads stores with valid checksums, to reach the code behind them.
func FuzzStore(f *testing.F) {
	for _, compress := range []bool{false, true} {
		p, err := os.ReadFile(writeStore(f, filetest.SampleInfo, filetest.SampleBatch(9, 1), compress))
		if err != nil {
			f.Fatal(err)
		}
		footer, offset, err := (&shape{body: int64(len(p)) - trailerSize}).readFooter(bytes.NewReader(p))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(maxChunkRows), uint8(6), p[headerSize:offset], footer)
	}
	f.Fuzz(func(t *testing.T, chunkRows uint16, columns uint8, sections, footer []byte) {
		path := filepath.Join(t.TempDir(), "x.nys")
		if err := os.WriteFile(path, sealed(int(chunkRows), int(columns), sections, footer), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := Open(context.Background(), nil, path)
		if err != nil {
			return
		}
		numeric, kept := filetest.ComputableColumns(store)
		src, err := column.Choose(store, numeric, kept)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := filetest.ReadAll(src, 64); err == nil && int64(b.X.Rows) != src.Info().Rows {
			t.Errorf("%d rows, promised %d", b.X.Rows, src.Info().Rows)
		}
	})
}

// sealed returns a store of the given parts with valid checksums.
func sealed(chunkRows, columns int, sections, footer []byte) []byte {
	p := append(encodeHeader(version, chunkRows, columns), sections...)
	p = append(p, make([]byte, padded(int64(len(p)))-int64(len(p)))...)
	footer = bytes.Clone(footer)
	shape := &shape{chunkRows: max(1, chunkRows)}
	if len(footer) >= 8 && columns > 0 && shape.decodeFooter(footer, columns) == nil {
		for i := range shape.sections.len() {
			e := shape.sections.at(i)
			if e.offset >= 0 && e.offset <= int64(len(p)) && e.stored >= 0 && e.stored <= int64(len(p))-e.offset && e.end() <= int64(len(p)) {
				e.crc = crc32c(p[e.offset:e.end()])
				copy(shape.sections[i*entrySize:], e.append(nil))
			}
		}
	}
	offset, length := int64(len(p)), int64(len(footer))
	p = append(append(p, footer...), make([]byte, padded(length)-length)...)
	return append(p, encodeTrailer(offset, length, paddedCRC(footer), make([]byte, 32))...)
}

func BenchmarkStoreRead(b *testing.B) {
	const n, d = 100_000, 20
	rows := column.NewBatch(stream.Info{Columns: stream.NumberedColumns(d)}, n)
	for i := range rows.X.Data {
		rows.X.Data[i] = rand.Float64()
	}
	store, err := Open(context.Background(), nil, writeStore(b, stream.Info{Columns: stream.NumberedColumns(d), Rows: n}, rows, false))
	if err != nil {
		b.Fatal(err)
	}
	src := filetest.ChooseAll(b, store)
	part := column.NewBatch(src.Info(), 512)
	b.SetBytes(n * d * 8)
	for b.Loop() {
		r, err := src.Open(context.Background(), 0)
		for err == nil {
			_, err = r.Read(part)
		}
		r.Close()
	}
}

// The size of a footer is checked before memory is allocated for it.
func TestFooterIsCheckedBeforeItIsAllocated(t *testing.T) {
	const size = 512 << 20
	for name, length := range map[string]int64{"larger than names can be": size - headerSize - trailerSize, "with another checksum": 96 << 20} {
		path := filepath.Join(t.TempDir(), "a.nys")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		_, first := f.WriteAt(encodeHeader(version, 1, 1), 0)
		_, last := f.WriteAt(encodeTrailer(size-trailerSize-length, length, 1, make([]byte, 32)), size-trailerSize)
		if err := errors.Join(first, last, f.Close()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Open(t.Context(), nil, path)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 4<<20 {
			t.Errorf("a footer %s: %d bytes were allocated: %v", name, used, err)
		}
	}
}
