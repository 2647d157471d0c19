package blockstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nystream/nystream/stream"
)

// sampleSchema has every kind of kept column.
var sampleSchema = stream.Info{
	Columns: []string{"a", "b", "c"},
	Kept:    []stream.Field{{Name: "id", Kind: stream.Int64}, {Name: "name", Kind: stream.String}, {Name: "score", Kind: stream.Float64}},
	Rows:    -1,
}

// sampleBatch makes n rows of sampleSchema, with nulls and odd values among
// them.
func sampleBatch(n int, seed uint64) *stream.Batch {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := batchOf(stream.Info{Columns: sampleSchema.Columns, Kept: sampleSchema.Kept}, n)
	for i := range b.X.Data {
		b.X.Data[i] = rng.NormFloat64()
	}
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 5e-324, math.MaxFloat64}
	copy(b.X.Data, odd[:min(len(odd), len(b.X.Data))])
	for i := range n {
		if i%7 == 3 {
			appendNull(&b.Kept[0])
			appendNull(&b.Kept[1])
			appendNull(&b.Kept[2])
			continue
		}
		b.Kept[0].Ints = append(b.Kept[0].Ints, int64(rng.Uint64()))
		b.Kept[1].Strings = append(b.Kept[1].Strings, strings.Repeat("é", rng.IntN(5)))
		b.Kept[2].Floats = append(b.Kept[2].Floats, rng.Float64())
		for k := range b.Kept {
			appendValid(&b.Kept[k])
		}
	}
	return b
}

// writeStore writes b to a store in a temporary folder.
func writeStore(t testing.TB, s stream.Info, b *stream.Batch, compress bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.nys")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e, err := newStoreEncoder(w, s, compress)
	if err == nil {
		err = e.encode(b, b.X.Rows)
	}
	if err == nil {
		err = e.finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll reads a source to its end, at most step rows at a time.
func readAll(src stream.Source, step int) (*stream.Batch, error) {
	info := src.Info()
	all, part := batchOf(info, 0), batchOf(info, step)
	r, err := src.Open(context.Background())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		n, err := r.Read(part)
		for i := range n {
			all.X.Data = append(all.X.Data, part.X.Data[i*part.X.Stride:i*part.X.Stride+part.X.Cols]...)
		}
		all.X.Rows += n
		for k := range all.Kept {
			all.Kept[k].Append(&part.Kept[k], 0, n)
		}
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// mustRead is readAll where no error is expected.
func mustRead(t testing.TB, src stream.Source, step int) *stream.Batch {
	t.Helper()
	b, err := readAll(src, step)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameBatch compares batches bit for bit, except for the payload of NaNs.
func sameBatch(a, b *stream.Batch) bool {
	same := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}
	return a.X.Rows == b.X.Rows && slices.EqualFunc(a.X.Data, b.X.Data, same) &&
		slices.EqualFunc(a.Kept, b.Kept, func(a, b stream.Column) bool {
			return a.Kind == b.Kind && slices.EqualFunc(a.Floats, b.Floats, same) && slices.Equal(a.Ints, b.Ints) &&
				slices.Equal(a.Strings, b.Strings) && slices.Equal(a.Valid, b.Valid)
		})
}

// diff says where batches differ; cmp, which is slow, is asked only then.
func diff(want, got *stream.Batch) string {
	if sameBatch(want, got) {
		return ""
	}
	return "differs: " + cmp.Diff(want, got, sameBits, cmpopts.EquateEmpty())
}

// batchPart is n rows of b, with their kept values.
func batchPart(b *stream.Batch, from, n int) *stream.Batch {
	part := &stream.Batch{X: stream.RowSlice(b.X, from, n), Kept: make([]stream.Column, len(b.Kept))}
	for k := range part.Kept {
		part.Kept[k].Kind = b.Kept[k].Kind
		part.Kept[k].Append(&b.Kept[k], from, from+n)
		if !slices.Contains(part.Kept[k].Valid, false) {
			part.Kept[k].Valid = nil
		}
	}
	return part
}

// openSample chooses the numbers of sampleSchema as such and keeps the rest.
func openSample(t testing.TB, path string) stream.Source {
	t.Helper()
	store, err := openStore(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := choose(store, []int{0, 1, 2}, []int{3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestStoreRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, storeChunkRows - 1, storeChunkRows, storeChunkRows + 1, 2*storeChunkRows + 5} {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprint(n, compress), func(t *testing.T) {
				want := sampleBatch(n, 1)
				path := writeStore(t, sampleSchema, want, compress)
				src := openSample(t, path)
				if got := src.Info().Rows; got != int64(n) {
					t.Fatalf("%d rows, want %d", got, n)
				}
				if d := diff(want, mustRead(t, src, 1000)); d != "" {
					t.Error(d)
				}
				if err := verifyStore(path); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestStoreGather(t *testing.T) {
	n := 3 * storeChunkRows
	want := sampleBatch(n, 3)
	for _, compress := range []bool{false, true} {
		path := writeStore(t, sampleSchema, want, compress)
		src := openSample(t, path).(stream.Gatherer)
		rows := []int64{0, 3, 4, storeChunkRows - 1, storeChunkRows, 2*storeChunkRows + 17, int64(n) - 1}
		expected, got := batchOf(src.Info(), len(rows)), batchOf(src.Info(), len(rows))
		for i, r := range rows {
			copy(expected.X.Data[i*3:i*3+3], want.X.Data[r*3:])
			for k := range want.Kept {
				expected.Kept[k].Append(&want.Kept[k], int(r), int(r)+1)
			}
		}
		if err := src.Gather(context.Background(), rows, got); err != nil {
			t.Fatal(err)
		}
		if d := diff(expected, got); d != "" {
			t.Error(d)
		}
	}
}

// Many columns make short chunks; each column must come out at its place.
func TestStoreManyColumns(t *testing.T) {
	const d, n = 3000, 900
	s := stream.Info{Columns: stream.NumberedColumns(d), Rows: n}
	b := batchOf(stream.Info{Columns: s.Columns}, n)
	for i := range b.X.Data {
		b.X.Data[i] = float64(i)
	}
	store, err := openStore(writeStore(t, s, b, false))
	if err != nil {
		t.Fatal(err)
	}
	src := chooseAll(t, store)
	if d := diff(b, mustRead(t, src, 256)); d != "" {
		t.Error(d)
	}
}

// Every bit of a store is under a checksum.
func TestStoreEveryBitFlip(t *testing.T) {
	t.Parallel()
	for _, compress := range []bool{false, true} {
		path := writeStore(t, sampleSchema, sampleBatch(20, 4), compress)
		healthy, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for i := range 8 * len(healthy) {
			at := int64(i / 8)
			f.WriteAt([]byte{healthy[at] ^ 1<<(i%8)}, at)
			if readStoreFile(path) == nil {
				t.Fatalf("bit %d of byte %d of %d flipped: not noticed", i%8, at, len(healthy))
			}
			if i%7 == 0 && verifyStore(path) == nil {
				t.Fatalf("bit %d of byte %d of %d flipped: not noticed by verifyStore", i%8, at, len(healthy))
			}
			f.WriteAt(healthy[at:at+1], at)
		}
		if err := verifyStore(path); err != nil {
			t.Fatal(err)
		}
		t.Logf("compressed %v: all %d bits", compress, 8*len(healthy))
	}
}

// readStoreFile opens a store and reads all its columns.
func readStoreFile(path string) error {
	store, err := openStore(path)
	if err != nil {
		return err
	}
	src, err := choose(store, []int{0, 1, 2}, []int{3, 4, 5})
	if err != nil {
		return err
	}
	_, err = readAll(src, 100)
	return err
}

// Any prefix of a store is refused when it is opened.
func TestStoreEveryCut(t *testing.T) {
	path := writeStore(t, sampleSchema, sampleBatch(20, 5), false)
	healthy, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(healthy) - 1; n >= 0; n-- {
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		if _, err := openStore(path); err == nil {
			t.Fatalf("cut to %d of %d bytes: not noticed", n, len(healthy))
		}
	}
}

// A store that is shortened while it is read is an error, not a SIGBUS.
func TestStoreShortenedWhileOpen(t *testing.T) {
	n := 4 * storeChunkRows
	path := writeStore(t, sampleSchema, sampleBatch(n, 6), false)
	src := openSample(t, path)
	r, err := src.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := batchOf(src.Info(), 100)
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
	if _, err := readAll(src, 100); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a second pass over the shortened file gives %v", err)
	}
}

// A store replaced between two passes is noticed, even by one of equal size.
func TestStoreReplaced(t *testing.T) {
	path := writeStore(t, sampleSchema, sampleBatch(50, 8), false)
	src := openSample(t, path)
	other := sampleBatch(50, 8)
	other.X.Data[20]++
	if err := os.Rename(writeStore(t, sampleSchema, other, false), path); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(src, 100); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("got %v", err)
	}
}

// An altered store whose checksums were all made to fit is found by its digest.
func TestVerifyStoreDigest(t *testing.T) {
	path := writeStore(t, sampleSchema, sampleBatch(5, 9), false)
	p, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trailer := p[len(p)-storeTrailerSize:]
	digest := bytes.Clone(trailer[16:48])
	digest[0] ^= 1
	f := int64(len(p) - storeTrailerSize)
	shape := &storeShape{body: f}
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
	if err := verifyStore(path); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("got %v", err)
	}
}

func TestStoreRefusesBigIntegers(t *testing.T) {
	s := stream.Info{Kept: []stream.Field{{Name: "id", Kind: stream.Int64}}, Rows: 2}
	b := &stream.Batch{Kept: []stream.Column{{Kind: stream.Int64, Ints: []int64{maxExact, maxExact + 1}}}}
	b.X.Rows = 2
	store, err := openStore(writeStore(t, s, b, false))
	if err != nil {
		t.Fatal(err)
	}
	_, err = readAll(chooseAll(t, store), 10)
	var data *DataError
	if !errors.As(err, &data) || data.Row != 1 || data.Column != "id" {
		t.Errorf("got %v", err)
	}
}

// FuzzStore feeds the reader stores whose checksums are right, so that what
// lies behind the checksums is reached.
func FuzzStore(f *testing.F) {
	for _, compress := range []bool{false, true} {
		p, err := os.ReadFile(writeStore(f, sampleSchema, sampleBatch(9, 1), compress))
		if err != nil {
			f.Fatal(err)
		}
		footer, offset, err := (&storeShape{body: int64(len(p)) - storeTrailerSize}).readFooter(bytes.NewReader(p))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(storeChunkRows), uint8(6), p[storeHeaderSize:offset], footer)
	}
	f.Fuzz(func(t *testing.T, chunkRows uint16, columns uint8, sections, footer []byte) {
		path := filepath.Join(t.TempDir(), "x.nys")
		if err := os.WriteFile(path, sealed(int(chunkRows), int(columns), sections, footer), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := openStore(path)
		if err != nil {
			return
		}
		numeric, kept := computableColumns(store)
		src, err := choose(store, numeric, kept)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := readAll(src, 64); err == nil && int64(b.X.Rows) != src.Info().Rows {
			t.Errorf("%d rows, promised %d", b.X.Rows, src.Info().Rows)
		}
	})
}

// sealed makes a store of its parts, with the checksums that fit them.
func sealed(chunkRows, columns int, sections, footer []byte) []byte {
	p := append(encodeHeader(chunkRows, columns), sections...)
	p = append(p, make([]byte, padded(int64(len(p)))-int64(len(p)))...)
	footer = bytes.Clone(footer)
	shape := &storeShape{chunkRows: max(1, chunkRows)}
	if len(footer) >= 8 && columns > 0 && shape.decodeFooter(footer, columns) == nil {
		for i := range shape.sections.len() {
			e := shape.sections.at(i)
			if e.offset >= 0 && e.offset <= int64(len(p)) && e.stored >= 0 && e.stored <= int64(len(p))-e.offset && e.end() <= int64(len(p)) {
				e.crc = crc32c(p[e.offset:e.end()])
				copy(shape.sections[i*storeEntrySize:], e.append(nil))
			}
		}
	}
	offset, length := int64(len(p)), int64(len(footer))
	p = append(append(p, footer...), make([]byte, padded(length)-length)...)
	return append(p, encodeTrailer(offset, length, paddedCRC(footer), make([]byte, 32))...)
}

func BenchmarkStoreRead(b *testing.B) {
	const n, d = 100_000, 20
	rows := batchOf(stream.Info{Columns: stream.NumberedColumns(d)}, n)
	for i := range rows.X.Data {
		rows.X.Data[i] = rand.Float64()
	}
	store, err := openStore(writeStore(b, stream.Info{Columns: stream.NumberedColumns(d), Rows: n}, rows, false))
	if err != nil {
		b.Fatal(err)
	}
	src := chooseAll(b, store)
	part := batchOf(src.Info(), 512)
	b.SetBytes(n * d * 8)
	for b.Loop() {
		r, err := src.Open(context.Background())
		for err == nil {
			_, err = r.Read(part)
		}
		r.Close()
	}
}
