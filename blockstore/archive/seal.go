package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// sealDigits is the length of the digest at the end of an archive.
const sealDigits = 2 * sha256.Size

// sealWriter passes on everything but the last sealDigits bytes, which seal replaces by the digest
// of all bytes before them.
type sealWriter struct {
	out    io.Writer
	digest hash.Hash
	held   []byte
}

func newSealWriter(out io.Writer) *sealWriter {
	digest := sha256.New()
	return &sealWriter{out: io.MultiWriter(out, digest), digest: digest}
}

// Write appends p.
func (w *sealWriter) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	ready := max(0, len(w.held)-sealDigits)
	if _, err := w.out.Write(w.held[:ready]); err != nil {
		return 0, err
	}
	w.held = append(w.held[:0], w.held[ready:]...)
	return len(p), nil
}

// seal writes the digest.
func (w *sealWriter) seal() error {
	_, err := io.WriteString(w.out, hex.EncodeToString(w.digest.Sum(nil)))
	return err
}

var (
	errNoArchive = fault.New("this is not a Nystream model, or its end is missing").WithRemedy("fit the model again if the file was cut short")
	errNewer     = fault.New("the file was made by a newer version of Nystream").WithRemedy("use that version")
	errDamaged   = fault.New("the file is damaged: its bytes do not match the digest at its end").WithKind(stream.Damaged).WithRemedy("restore it or fit the model again")
)

// checkSeal reads a whole archive of the given size and verifies its digest. Digits in upper case
// are rejected, so that every bit of the file is verified.
func checkSeal(f io.ReaderAt, size int64) error {
	tail := make([]byte, min(size, int64(len(sealPrefix)+sealDigits)))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	at := bytes.LastIndex(tail, []byte(sealMarker))
	if at < 0 {
		return errNoArchive
	}
	digits, ok := strings.CutPrefix(string(tail[at:]), sealPrefix)
	if !ok {
		return errNewer
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(f, 0, size-int64(len(digits)))); err != nil {
		return err
	}
	if digits != hex.EncodeToString(digest.Sum(nil)) {
		return errDamaged
	}
	return nil
}
