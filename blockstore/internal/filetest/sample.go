package filetest

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Text returns value i of a test column of texts.
func Text(i int) string { return strings.Repeat("ab", i%6) + fmt.Sprint("text", i/2%1000) }

// IsNull reports whether value i of a nullable test column is null: runs and single values.
func IsNull(i int) bool { return i%11 == 3 || i%500 > 470 }

// SampleInfo has a kept column of every kind.
var SampleInfo = stream.Info{
	Columns: []string{"a", "b", "c"},
	Kept:    []stream.Field{{Name: "id", Kind: stream.Int64}, {Name: "name", Kind: stream.String}, {Name: "score", Kind: stream.Float64}},
	Rows:    -1,
}

// SampleBatch returns n rows of SampleInfo, with nulls and unusual values.
func SampleBatch(n int, seed uint64) *stream.Batch {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := column.NewBatch(stream.Info{Columns: SampleInfo.Columns, Kept: SampleInfo.Kept}, n)
	for i := range b.X.Data {
		b.X.Data[i] = rng.NormFloat64()
	}
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 5e-324, math.MaxFloat64}
	copy(b.X.Data, odd[:min(len(odd), len(b.X.Data))])
	for i := range n {
		if i%7 == 3 {
			column.AppendNull(&b.Kept[0])
			column.AppendNull(&b.Kept[1])
			column.AppendNull(&b.Kept[2])
			continue
		}
		b.Kept[0].Ints = append(b.Kept[0].Ints, int64(rng.Uint64()))
		b.Kept[1].Strings = append(b.Kept[1].Strings, strings.Repeat("é", rng.IntN(5)))
		b.Kept[2].Floats = append(b.Kept[2].Floats, rng.Float64())
		for k := range b.Kept {
			column.AppendValid(&b.Kept[k])
		}
	}
	return b
}

// ReadAll reads all of a source, at most step rows at a time.
func ReadAll(src stream.Source, step int) (*stream.Batch, error) {
	info := src.Info()
	all, part := column.NewBatch(info, 0), column.NewBatch(info, step)
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		n, err := r.Read(part)
		for i := range n {
			all.X.Data = append(all.X.Data, matrix.Row(part.X, i)...)
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

// MustRead is ReadAll that fails the test on an error.
func MustRead(t testing.TB, src stream.Source, step int) *stream.Batch {
	t.Helper()
	b, err := ReadAll(src, step)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// SameBatch compares batches bitwise, except for the payload of NaNs.
func SameBatch(a, b *stream.Batch) bool {
	return a.X.Rows == b.X.Rows && slices.EqualFunc(a.X.Data, b.X.Data, isSame) && sameColumns(a.Kept, b.Kept)
}

// sameColumns compares columns bitwise, except for the payload of NaNs. cmp takes a hundred times
// as long.
func sameColumns(a, b []stream.Column) bool {
	return slices.EqualFunc(a, b, func(a, b stream.Column) bool {
		return a.Kind == b.Kind && slices.EqualFunc(a.Floats, b.Floats, isSame) && slices.Equal(a.Ints, b.Ints) &&
			slices.Equal(a.Strings, b.Strings) && slices.Equal(a.Valid, b.Valid)
	})
}

// Diff describes the differences of two batches, "" if there are none. It calls cmp, which is slow,
// only for different batches.
func Diff(want, got *stream.Batch) string {
	if SameBatch(want, got) {
		return ""
	}
	return "differs: " + cmp.Diff(want, got, SameBits, cmpopts.EquateEmpty())
}

// BatchPart returns n rows of b, with their kept values.
func BatchPart(b *stream.Batch, from, n int) *stream.Batch {
	part := &stream.Batch{X: matrix.Rows(b.X, from, n), Kept: make([]stream.Column, len(b.Kept))}
	for k := range part.Kept {
		part.Kept[k].Kind = b.Kept[k].Kind
		part.Kept[k].Append(&b.Kept[k], from, from+n)
		if !slices.Contains(part.Kept[k].Valid, false) {
			part.Kept[k].Valid = nil
		}
	}
	return part
}
