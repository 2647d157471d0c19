package blockstore

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxUnpacked is the most that a page or a buffer may hold, compressed or not.
const maxUnpacked = 256 << 20

// errUnpackedSize says that what was unpacked is not as long as stated.
var errUnpackedSize = errors.New("it does not have the size that is stated for it")

// unpacker decompresses pages, buffers and sections: each method fills dst with
// what src decompresses to, which must be as long. Unlike the codecs of
// parquet-go it writes into memory of a size known beforehand and never grows
// it. It starts no goroutines.
type unpacker struct {
	input  bytes.Reader
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// unpackSnappy undoes Snappy.
func unpackSnappy(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err == nil && n != len(dst) {
		err = errUnpackedSize
	}
	if err == nil {
		_, err = snappy.Decode(dst, src)
	}
	return err
}

// unpackLZ4 undoes an LZ4 block.
func unpackLZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = errUnpackedSize
	}
	return err
}

// unpackLZ4Frame undoes an LZ4 frame.
func (u *unpacker) unpackLZ4Frame(dst, src []byte) error {
	u.input.Reset(src)
	return readExactly(lz4.NewReader(&u.input), dst)
}

// unpackBrotli undoes Brotli.
func (u *unpacker) unpackBrotli(dst, src []byte) error {
	u.input.Reset(src)
	if u.brotli == nil {
		u.brotli = brotli.NewReader(&u.input)
	} else if err := u.brotli.Reset(&u.input); err != nil {
		return err
	}
	return readExactly(u.brotli, dst)
}

// unpackZstd undoes a zstd frame.
func (u *unpacker) unpackZstd(dst, src []byte) (err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := u.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) != len(dst) {
		err = errUnpackedSize
	}
	return err
}

// unpackGzip undoes gzip.
func (u *unpacker) unpackGzip(dst, src []byte) (err error) {
	u.input.Reset(src)
	if u.gzip == nil {
		u.gzip, err = gzip.NewReader(&u.input)
	} else {
		err = u.gzip.Reset(&u.input)
	}
	if err != nil {
		return err
	}
	return readExactly(u.gzip, dst)
}

// readExactly fills dst from r, which must end there.
func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return errUnpackedSize
	}
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n != 0:
		return errUnpackedSize
	case err != io.EOF:
		return err // a checksum that does not fit
	}
	return nil
}

// close releases the decoders.
func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
