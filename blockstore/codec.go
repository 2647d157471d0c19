package blockstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// knownCodec says whether an unpacker can undo codec.
func knownCodec(codec format.CompressionCodec) bool {
	switch codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw:
		return true
	}
	return false
}

// maxRatio bounds how much smaller than its content a compressed page can be:
// what the formats allow. A brotli stream has no such bound.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 22,
	format.Lz4Raw: 256,
	format.Gzip:   1040,
	format.Zstd:   1 << 15,
}

// checkRatio refuses a size that a compressed page cannot have.
func checkRatio(codec format.CompressionCodec, packed, size int) error {
	if ratio := maxRatio[codec]; ratio > 0 && size/ratio > packed+64 {
		return fmt.Errorf("%d bytes of %s cannot hold %d bytes", packed, codec, size)
	}
	return nil
}

// errUnpackedSize says that what was unpacked is not as long as stated.
var errUnpackedSize = errors.New("it does not have the size that is stated for it")

// unpacker decompresses pages, buffers and sections. Unlike the codecs of parquet-go it writes into
// memory of a size known beforehand and never grows it. It starts no
// goroutines.
type unpacker struct {
	input  bytes.Reader
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// unpack fills dst with what src decompresses to, which must be as long.
func (u *unpacker) unpack(codec format.CompressionCodec, dst, src []byte) error {
	u.input.Reset(src)
	switch codec {
	case format.Snappy:
		return unpackSnappy(dst, src)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		if err == nil && n != len(dst) {
			err = errUnpackedSize
		}
		return err
	case format.Zstd:
		return u.unpackZstd(dst, src)
	case format.Gzip:
		return u.unpackGzip(dst)
	case format.Brotli:
		if u.brotli == nil {
			u.brotli = brotli.NewReader(&u.input)
		} else if err := u.brotli.Reset(&u.input); err != nil {
			return err
		}
		return readExactly(u.brotli, dst)
	}
	return fmt.Errorf("the compression %s is not supported", codec)
}

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

func (u *unpacker) unpackGzip(dst []byte) (err error) {
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
