package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Digest identifies the content of a file by its size and SHA-256.
type Digest struct {
	Bytes  int64
	SHA256 string // 64 hexadecimal digits
}

// KeepDigest computes the digest while the file is written, so that Digest need not read it again.
// It is called before the first Write.
func (t *Temp) KeepDigest() { t.digest = sha256.New() }

// Digest finishes the file and returns its digest. Cost: the file is read again unless KeepDigest
// was called and all writes were sequential.
func (t *Temp) Digest(ctx context.Context) (Digest, error) {
	if err := t.Finish(); err != nil {
		return Digest{}, err
	}
	info, err := t.file.Stat()
	if err != nil {
		return Digest{}, t.Fail(err)
	}
	if t.digest != nil {
		return Digest{info.Size(), hex.EncodeToString(t.digest.Sum(nil))}, nil
	}
	return digestOf(ctx, t.file, info.Size())
}

// DigestOf returns the digest of the regular file or object at path. Cost: a read of all of it.
func (s *Session) DigestOf(ctx context.Context, path string) (Digest, error) {
	f, stamp, err := s.Open(ctx, path)
	if err != nil {
		return Digest{}, err
	}
	defer f.Close()
	d, err := digestOf(ctx, f, stamp.Size)
	return d, stamp.CheckUnchanged(f, err)
}

func digestOf(ctx context.Context, in io.ReaderAt, size int64) (Digest, error) {
	sum := sha256.New()
	_, err := io.CopyBuffer(sum, io.NewSectionReader(NewReaderAt(ctx, in), 0, size), make([]byte, 1<<20))
	return Digest{size, hex.EncodeToString(sum.Sum(nil))}, err
}
