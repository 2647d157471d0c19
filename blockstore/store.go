package blockstore

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/stream"
)

// VerifyStore checks the whole of the store at path: its structure, every
// section and the digest of the file. It reads the file twice. A nil error
// means that the file holds what was written to it, bit for bit.
func VerifyStore(ctx context.Context, path string) error {
	path, err := file.Plain(path)
	if err != nil {
		return err
	}
	return store.Verify(ctx, path)
}

// StoreOptions is how a store is written.
type StoreOptions struct {
	// Compress writes each section as a zstd frame where that is smaller.
	// Such sections are decompressed on every read.
	Compress bool
}

// CreateStore starts a store (.nys; see the package comment).
// Nothing appears at path before Commit. The writer holds one chunk of at most
// 4096 rows or a million values, whichever is less, and 32 bytes for each
// section written.
func CreateStore(path string, s Schema, o StoreOptions) (Writer, error) {
	return create(path, s, func(f *file.Atomic, s stream.Info) (column.Encoder, error) {
		return store.NewEncoder(f, s, o.Compress)
	})
}

// newPlainStoreEncoder starts a store without compression.
func newPlainStoreEncoder(f *file.Atomic, s stream.Info) (column.Encoder, error) {
	return store.NewEncoder(f, s, false)
}
