package blockstore

import "context"

// VerifyStore checks the whole of the store at path: its structure, every
// section and the digest of the file. It reads the file twice. A nil error
// means that the file holds what was written to it, bit for bit.
func VerifyStore(ctx context.Context, path string) error {
	return verifyStore(ctx, singleCall(), path)
}
