package compression

import (
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nystream/nystream/blockstore/internal/formats"
)

// Packer compresses with zstd. It starts no goroutines.
type Packer struct{ encoder *zstd.Encoder }

func NewPacker() (*Packer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &Packer{e}, nil
}

// Zstd returns src as one zstd frame, in the memory of dst if it fits.
func (p *Packer) Zstd(dst, src []byte) []byte { return p.encoder.EncodeAll(src, dst[:0]) }

// NewWriter returns a writer that compresses to out by gzip or zstd. The output is deterministic.
// It starts no goroutines.
func NewWriter(format string, out io.Writer) (io.WriteCloser, error) {
	if format == formats.Gzip {
		return gzip.NewWriter(out), nil
	}
	return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
}
