// Package compression compresses and decompresses pages, buffers and sections of known size
// ([Unpacker], [Packer]) and whole texts ([NewReader]). It starts no goroutines.
package compression

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// MaxBytes bounds the size of a page or buffer, compressed or not.
const MaxBytes = 256 << 20

// ErrSize reports that decompressed data do not have the stated size.
var ErrSize = errors.New("it does not have the size that is stated for it")

// Unpacker decompresses pages, buffers and sections. Each method decompresses src to dst and fails
// unless the sizes agree. Unlike the codecs of parquet-go it never allocates the output.
type Unpacker struct {
	input        bytes.Reader
	zstdDecoder  *zstd.Decoder
	gzipReader   *gzip.Reader
	brotliReader *brotli.Reader
}

// Snappy decompresses a Snappy block.
func Snappy(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err == nil && n != len(dst) {
		err = ErrSize
	}
	if err == nil {
		_, err = snappy.Decode(dst, src)
	}
	return err
}

// Failed explains, from an error of a library, why bytes cannot be decompressed.
func Failed(err error) error {
	switch {
	case fault.IsReading(err):
		return err
	case errors.Is(err, ErrSize):
		return ErrSize
	}
	return errors.New("its bytes are not what that compression makes")
}

// LZ4 decompresses an LZ4 block.
func LZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = ErrSize
	}
	return err
}

// LZ4Frame decompresses an LZ4 frame.
func (u *Unpacker) LZ4Frame(dst, src []byte) error {
	u.input.Reset(src)
	return readExactly(lz4.NewReader(&u.input), dst)
}

// Brotli decompresses a Brotli stream.
func (u *Unpacker) Brotli(dst, src []byte) error {
	u.input.Reset(src)
	if u.brotliReader == nil {
		u.brotliReader = brotli.NewReader(&u.input)
	} else if err := u.brotliReader.Reset(&u.input); err != nil {
		return err
	}
	return readExactly(u.brotliReader, dst)
}

// Zstd decompresses a zstd frame.
func (u *Unpacker) Zstd(dst, src []byte) (err error) {
	if u.zstdDecoder == nil {
		u.zstdDecoder, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := u.zstdDecoder.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) != len(dst) {
		err = ErrSize
	}
	return err
}

// Gzip decompresses a gzip stream.
func (u *Unpacker) Gzip(dst, src []byte) (err error) {
	u.input.Reset(src)
	if u.gzipReader == nil {
		u.gzipReader, err = gzip.NewReader(&u.input)
	} else {
		err = u.gzipReader.Reset(&u.input)
	}
	if err != nil {
		return err
	}
	return readExactly(u.gzipReader, dst)
}

// readExactly fills dst from r, and fails unless r ends there.
func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return ErrSize
	}
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n != 0:
		return ErrSize
	case err != io.EOF:
		return err // for example a wrong checksum
	}
	return nil
}

// Close releases the decoders.
func (u *Unpacker) Close() {
	if u.zstdDecoder != nil {
		u.zstdDecoder.Close()
	}
}
