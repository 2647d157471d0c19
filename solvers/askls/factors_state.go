package askls

import (
	"encoding/binary"
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// marshalFactors writes each factor behind its length.
func marshalFactors(lists ...[]*sketch.QR) (out []byte, err error) {
	for _, list := range lists {
		for _, qr := range list {
			data, err := qr.MarshalBinary()
			if err != nil {
				return nil, err
			}
			out = append(binary.LittleEndian.AppendUint64(out, uint64(len(data))), data...)
		}
	}
	return out, nil
}

// unmarshalFactors reads what marshalFactors of lists as long wrote.
func unmarshalFactors(data []byte, lists ...[]*sketch.QR) error {
	for _, list := range lists {
		for _, qr := range list {
			if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
				return fmt.Errorf("askls: the state of triangular factors ends after %d bytes", len(data))
			}
			n := binary.LittleEndian.Uint64(data)
			if err := qr.UnmarshalBinary(data[8 : 8+n]); err != nil {
				return err
			}
			data = data[8+n:]
		}
	}
	if len(data) > 0 {
		return fmt.Errorf("askls: %d bytes too many in the state of triangular factors", len(data))
	}
	return nil
}
