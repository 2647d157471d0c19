package stream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/opening"
)

// RowsSuffix ends the names of rows that were fetched by number, in a store of states. They
// are no states: [ListStates] leaves them out.
const RowsSuffix = ".rows"

// mostFetched is how many bytes of rows are kept at a time: those of landmarks, not those of
// all rows.
const mostFetched = 8 << 20

// Gather is [Gather] for the raw rows of a source, of a run that others do a part of: rows that
// one of them has fetched are in the store, so that the others need not fetch them again, from
// a thousand places of a file each. They are found by their numbers, and by the fingerprint of
// the source as this process sees it: a machine with other rows has its own. A nil Run keeps
// none, and neither does one that shares nothing. src has to be comparable.
func (r *Run) Gather(ctx context.Context, src Source, rows []int64, dst *Batch) error {
	size := 8 * len(rows) * (dst.X.Cols + len(dst.Kept))
	if r == nil || !r.shares() || len(rows) <= sampledRows || size > mostFetched || opening.Looks(ctx) ||
		!r.keeps(src.Info()) {
		return Gather(ctx, src, rows, dst)
	}
	r.fetching.Lock()
	defer r.fetching.Unlock()
	key, err := r.fetchedKey(ctx, src, rows, dst.Kept != nil)
	if err != nil {
		return err
	}
	name := "fetched-" + hex.EncodeToString(key[:8]) + RowsSuffix
	if data, err := readWhole(r.store, name); err == nil && decodeRows(data, key, dst) {
		r.use(name)
		return nil
	}
	if err := Gather(ctx, src, rows, dst); err != nil {
		return err
	}
	if r.options.Parts > 0 || r.options.Runner != nil { // otherwise nobody comes after this process
		if r.store.Write(name, encodeRows(key, dst)) == nil { // without them others fetch their own
			r.use(name)
		}
	}
	return nil
}

// readWhole returns what is in a store under a name.
func readWhole(store StateStore, name string) ([]byte, error) {
	r, err := store.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// shares reports whether the run is one of several that make a fit.
func (r *Run) shares() bool { return r.options.Parts > 0 || r.options.Finish || r.options.Join }

// fetchedKey returns a digest of what decides the values of rows.
func (r *Run) fetchedKey(ctx context.Context, src Source, rows []int64, kept bool) (key [sha256.Size]byte, err error) {
	print, err := r.fingerprint(ctx, src, kept)
	if err != nil {
		return key, err
	}
	var b bytes.Buffer
	b.WriteString(print + "\n" + strings.Join(src.Info().Columns, "\n") + "\n")
	if kept {
		fmt.Fprintln(&b, src.Info().Kept)
	}
	for _, n := range append(rows[:len(rows):len(rows)], src.Info().Rows) {
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	return sha256.Sum256(b.Bytes()), nil
}

// encodeRows returns the serial form of rows: the digest of what they are, their values, their kept
// columns, and a digest of all that.
func encodeRows(key [sha256.Size]byte, b *Batch) []byte {
	data := make([]byte, 0, 2*sha256.Size+8*b.X.Rows*(b.X.Cols+len(b.Kept)))
	data = append(data, key[:]...)
	for i := range b.X.Rows {
		for _, v := range matrix.Row(b.X, i) {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	if len(b.Kept) > 0 {
		kept := bytes.NewBuffer(data)
		if err := gob.NewEncoder(kept).Encode(b.Kept); err != nil {
			panic(err) // columns are slices of plain values, and a buffer takes all
		}
		data = kept.Bytes()
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// decodeRows reports whether data are the rows with the key, and puts them into a batch.
func decodeRows(data []byte, key [sha256.Size]byte, b *Batch) bool {
	end, numbers := len(data)-sha256.Size, sha256.Size+8*b.X.Rows*b.X.Cols
	if end < numbers || end > numbers && len(b.Kept) == 0 || [sha256.Size]byte(data[:sha256.Size]) != key ||
		sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return false
	}
	var kept []Column
	if len(b.Kept) > 0 {
		if err := gob.NewDecoder(bytes.NewReader(data[numbers:end])).Decode(&kept); err != nil || len(kept) != len(b.Kept) {
			return false
		}
		for k := range kept {
			if kept[k].Kind != b.Kept[k].Kind || kept[k].Len() != b.X.Rows {
				return false
			}
		}
	}
	copy(b.Kept, kept)
	values := data[sha256.Size:numbers]
	for i := range b.X.Rows {
		for j := range matrix.Row(b.X, i) {
			b.X.Data[i*b.X.Stride+j] = math.Float64frombits(binary.LittleEndian.Uint64(values))
			values = values[8:]
		}
	}
	return true
}
