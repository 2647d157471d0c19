package compression

import "github.com/klauspost/compress/zstd"

// Packer compresses with zstd. It starts no goroutines.
type Packer struct{ encoder *zstd.Encoder }

// NewPacker returns a Packer.
func NewPacker() (*Packer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &Packer{e}, nil
}

// Zstd returns src as one zstd frame, in the memory of dst if there is room.
func (p *Packer) Zstd(dst, src []byte) []byte { return p.encoder.EncodeAll(src, dst[:0]) }
