// Package compression packs and unpacks: pages, buffers and sections of a size
// that is known beforehand ([Unpacker], [Packer]), and text that was compressed
// as a whole ([NewReader]). None of it starts goroutines.
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

// MaxBytes is the most that a page or a buffer may hold, compressed or not.
const MaxBytes = 256 << 20

// ErrSize reports that what was unpacked is not as long as stated.
var ErrSize = errors.New("it does not have the size that is stated for it")

// Unpacker decompresses pages, buffers and sections: each method fills dst with
// what src decompresses to, which must be as long. Unlike the codecs of
// parquet-go it writes into memory of a size known beforehand and never grows
// it. It starts no goroutines.
type Unpacker struct {
	input        bytes.Reader
	zstdDecoder  *zstd.Decoder
	gzipReader   *gzip.Reader
	brotliReader *brotli.Reader
}

// Snappy undoes Snappy.
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

// Failed returns what is wrong with bytes that cannot be unpacked, of the error of a library.
func Failed(err error) error {
	switch {
	case fault.IsReading(err):
		return err
	case errors.Is(err, ErrSize):
		return ErrSize
	}
	return errors.New("its bytes are not what that compression makes")
}

// LZ4 undoes an LZ4 block.
func LZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = ErrSize
	}
	return err
}

// LZ4Frame undoes an LZ4 frame.
func (u *Unpacker) LZ4Frame(dst, src []byte) error {
	u.input.Reset(src)
	return readExactly(lz4.NewReader(&u.input), dst)
}

// Brotli undoes Brotli.
func (u *Unpacker) Brotli(dst, src []byte) error {
	u.input.Reset(src)
	if u.brotliReader == nil {
		u.brotliReader = brotli.NewReader(&u.input)
	} else if err := u.brotliReader.Reset(&u.input); err != nil {
		return err
	}
	return readExactly(u.brotliReader, dst)
}

// Zstd undoes a zstd frame.
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

// Gzip undoes gzip.
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

// readExactly fills dst from r, which must end there.
func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return ErrSize
	}
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n != 0:
		return ErrSize
	case err != io.EOF:
		return err // a checksum that does not fit
	}
	return nil
}

// Close releases the decoders.
func (u *Unpacker) Close() {
	if u.zstdDecoder != nil {
		u.zstdDecoder.Close()
	}
}
