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

// RowsSuffix ends the names of gathered rows in a store of states. They are not states:
// [ListStates] omits them.
const RowsSuffix = ".rows"

// maxFetchedBytes bounds the rows stored per call: enough for landmarks, not for all rows.
const maxFetchedBytes = 8 << 20

// Gather is [Gather] for the raw rows of a source in a run that shares its work with other
// processes. The first process stores the rows it gathered, so that the others need not read them
// again from many places of a file. Stored rows are identified by their numbers and by the
// fingerprint of the source as this process sees it, so a machine with other rows stores its own. A
// nil Run, or one that shares nothing, stores no rows. src must be comparable.
func (r *Run) Gather(ctx context.Context, src Source, rows []int64, dst *Batch) error {
	size := 8 * len(rows) * (dst.X.Cols + len(dst.Kept))
	if r == nil || !r.isShared() || len(rows) <= sampledRows || size > maxFetchedBytes || opening.Looks(ctx) ||
		!r.keepsStates(src.Info()) {
		return Gather(ctx, src, rows, dst)
	}
	r.gatherLock.Lock()
	defer r.gatherLock.Unlock()
	key, err := r.rowsKey(ctx, src, rows, dst.Kept != nil)
	if err != nil {
		return err
	}
	name := "fetched-" + hex.EncodeToString(key[:8]) + RowsSuffix
	if data, err := readObject(r.store, name); err == nil && decodeRows(data, key, dst) {
		r.markUsed(name)
		return nil
	}
	if err := Gather(ctx, src, rows, dst); err != nil {
		return err
	}
	if r.options.Parts > 0 || r.options.Runner != nil { // otherwise no process follows this one
		if r.store.Write(name, encodeRows(key, dst)) == nil { // on failure the other processes gather the rows themselves
			r.markUsed(name)
		}
	}
	return nil
}

// readObject returns the content stored under a name.
func readObject(store StateStore, name string) ([]byte, error) {
	r, err := store.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// isShared reports whether several processes take part in the fit.
func (r *Run) isShared() bool { return r.options.Parts > 0 || r.options.Finish || r.options.Join }

// rowsKey returns a digest of everything that determines the values of the rows.
func (r *Run) rowsKey(ctx context.Context, src Source, rows []int64, kept bool) (key [sha256.Size]byte, err error) {
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

// encodeRows returns the serial form of rows: the key, the values, the kept columns, and a digest
// of all of these.
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
			panic(err) // columns are slices of plain values, and a buffer never fails
		}
		data = kept.Bytes()
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// decodeRows decodes rows into a batch. It reports false unless data hold intact rows with the
// given key.
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
