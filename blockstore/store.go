package blockstore

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/store"
)

// VerifyStore verifies the whole store at path: its structure, every section and the digest of the
// file. It reads the file twice. A nil error means that the file is bit for bit as written.
func VerifyStore(ctx context.Context, path string) error {
	return verifyStore(ctx, singleCall(), path)
}

// VerifyStore is [VerifyStore] within the session.
func (s *Session) VerifyStore(ctx context.Context, path string) error {
	return verifyStore(ctx, s.Internal(), path)
}

// verifyStore verifies the store at path.
func verifyStore(ctx context.Context, files *file.Session, path string) error {
	path, err := file.Plain(path)
	if err != nil {
		return err
	}
	return store.Verify(ctx, files, path)
}
