package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Verify verifies the whole store at path: its structure, every section and the digest of the file.
// It reads the file twice. A nil error means that the file is bit for bit as written.
func Verify(ctx context.Context, files *file.Session, path string) error {
	t, err := Open(ctx, files, path)
	if err != nil {
		return err
	}
	store := t.(*Table)
	if err := store.verifySections(ctx); err != nil {
		return err
	}
	return store.verifyDigest(ctx)
}

// verifySections verifies every section by reading it.
func (t *Table) verifySections(ctx context.Context) error {
	f, err := t.stamp.Open(ctx)
	if err != nil {
		return err
	}
	r := &chunkReader{table: t, window: window{file: f}}
	defer r.close()
	for chunk := range t.chunks() {
		for column := range t.fields {
			if err := r.guard(func() error { return r.load(chunk, []int{column}) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyDigest compares the digest of the file with the one in its trailer.
func (t *Table) verifyDigest(ctx context.Context) error {
	f, err := t.stamp.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(f, 0, t.body)); err != nil {
		return fault.File(t.Path, "%w", fault.Damaged(err))
	}
	if !bytes.Equal(digest.Sum(nil), t.trailer[16:48]) {
		return fault.File(t.Path, "the digest differs although every checksum agrees: the file was altered").WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	return nil
}
