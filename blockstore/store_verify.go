package blockstore

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
)

// verifyStore checks the whole of the store at path: its structure, every
// section and the digest of the file. It reads the file twice. A nil error
// means that the file holds what was written to it, bit for bit.
func verifyStore(path string) error {
	t, err := openStore(path)
	if err != nil {
		return err
	}
	store := t.(*storeTable)
	if err := store.verifySections(); err != nil {
		return err
	}
	return store.verifyDigest()
}

// verifySections checks every section by reading it.
func (t *storeTable) verifySections() error {
	r, err := t.open()
	if err != nil {
		return err
	}
	defer r.close()
	for chunk := range t.chunks() {
		for column := range t.fields {
			if err := r.with(chunk, []int{column}, func([][]byte) error { return nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyDigest compares the digest of the file with the one in its trailer.
func (t *storeTable) verifyDigest() error {
	f, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(f, 0, t.body)); err != nil {
		return badFile(t.path, "%w", err)
	}
	if !bytes.Equal(digest.Sum(nil), t.trailer[16:48]) {
		return badFile(t.path, "the digest differs although every checksum agrees: the file was altered")
	}
	return nil
}
